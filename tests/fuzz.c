/*
 * Fuzzes the reading of options and numbers, in the program's own words.
 * For libFuzzer:
 *	clang -g -fsanitize=fuzzer,address,undefined -o fuzz fuzz.c
 *	./fuzz -close_fd_mask=2 -max_total_time=3600
 * For AFL++, or to run files of cases again:
 *	afl-clang-fast -DFUZZ_MAIN -o fuzz fuzz.c
 *
 * A case is a byte that says what is tried, then the arguments, each ended
 * by a zero byte.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static jmp_buf fuzz_end;
static int fuzz_status;

static void fuzz_exit(int status)
{
	fuzz_status = status;
	longjmp(fuzz_end, 1);
}

#define main gbtestdisk_main
#define exit fuzz_exit
#include "../gbtestdisk.c"
#undef exit
#undef main

/* What goes wrong here is told by its place in the report of the abort. */
#define CHECK(that) ((that) ? (void)0 : abort())

#define MOST_BYTES 4096
#define MOST_ARGUMENTS 64

/* A number that was taken is what the digits say, or what strtod says. */
static void try_numbers(const char *s)
{
	static const uint64_t plain[] = { 1, MIB }, most[] = { 0, 1, 4096, INT64_MAX, UINT64_MAX - 1 };
	uint64_t value, digits = strspn(s, "0123456789");
	size_t i, j, suffixes;
	double fraction;

	for (i = 0; i < sizeof plain / sizeof *plain; i++)
		for (j = 0; j < sizeof most / sizeof *most; j++)
			for (suffixes = 0; suffixes < 2; suffixes++) {
				long double scale = plain[i], is = 0;

				value = 12345;
				if (parse_count(s, (int)suffixes, plain[i], 1, most[j], &value) != NULL) {
					CHECK(value == 12345);
					continue;
				}
				CHECK(digits > 0 && strlen(s) - digits <= suffixes);
				CHECK(value >= 1 && value <= most[j]);
				switch (tolower((unsigned char)s[digits])) {
				case 'k': scale = 1024.0L; break;
				case 'm': scale = 1024.0L * 1024; break;
				case 'g': scale = 1024.0L * 1024 * 1024; break;
				case 't': scale = 1024.0L * 1024 * 1024 * 1024; break;
				default: CHECK(s[digits] == '\0');
				}
				is = strtold(s, NULL) * scale;
				CHECK((long double)value == is);
			}
	fraction = -7;
	if (parse_fraction(s, -1, MOST_SECONDS, &fraction) == NULL) {
		double is = strtod(s, NULL), off = fraction - is;

		CHECK(fraction >= 0 && fraction <= MOST_SECONDS);
		CHECK(strspn(s, "0123456789.") == strlen(s));
		CHECK(off <= is * 1e-12 + 1e-14 && -off <= is * 1e-12 + 1e-14);
	} else
		CHECK(fraction == -7);
}

/* What options_check lets through is what the rest of the program relies on. */
static void check_options(const struct options *opt)
{
	CHECK(opt->operand != NULL && opt->operand[0] != '\0');
	CHECK(opt->size_bytes >= 1 && opt->size_bytes <= INT64_MAX);
	CHECK(opt->block_bytes >= 1 && opt->block_bytes <= opt->size_bytes);
	CHECK(blocks_of(opt) >= 1);
	CHECK((opt->rounds >= 1 && opt->rounds <= MOST_ROUNDS) || opt->rounds == UNLIMITED);
	CHECK(opt->rounds != UNLIMITED || opt->seconds > 0);
	CHECK(opt->warmup <= MOST_ROUNDS);
	CHECK(opt->processes >= 1 && opt->depth >= 1);
	CHECK(opt->processes * opt->depth <= MOST_REQUESTS);
	CHECK(opt->map_parts <= MOST_PARTS && opt->map_parts <= blocks_of(opt));
	CHECK(opt->idle_seconds >= 0 && opt->idle_seconds <= MOST_SECONDS);
	CHECK(opt->seconds >= 0 && opt->seconds <= MOST_SECONDS);
	CHECK(opt->sure_percent >= 0 && opt->sure_percent <= 100);
	CHECK(opt->write_percent == -1 || (opt->write_percent >= 0 && opt->write_percent <= 100));
	CHECK(((opt->passes & 1u << PASS_MIX) != 0) == (opt->write_percent >= 0));
	CHECK(opt->passes != 0 && opt->passes < 1u << PASSES);
	CHECK(!opt->direct || !(opt->passes & 1u << PASS_CACHE));
	CHECK(opt->unit >= units && opt->unit < units + UNITS);
	CHECK(is_nan(planned_writes(opt)) || planned_writes(opt) >= 0);
	CHECK(opt->write_percent < 0 || mix_writes(opt) <= blocks_of(opt));
}

static void try_options(int argc, char **argv)
{
	memset(&options, 0, sizeof options);
	fuzz_status = -1;
	file.is_ours = 1;
	optind = 0;	/* glibc's way to begin anew */
	if (setjmp(fuzz_end) == 0) {
		options_parse(argc, argv);
		options_check(&options);
		options_complete(&options, 0);
	}
	if (fuzz_status == -1)
		check_options(&options);
	else
		CHECK(fuzz_status == 0 || fuzz_status == 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static char text[MOST_BYTES + 1], name[] = "gbtestdisk";
	static int quiet;
	char *argv[MOST_ARGUMENTS + 2], *p;
	int argc = 1;

	if (size < 1 || size > MOST_BYTES)
		return 0;
	if (!quiet++ && freopen("/dev/null", "w", stdout) == NULL)
		abort();
	memcpy(text, bytes + 1, size - 1);
	text[size - 1] = '\0';
	if (bytes[0] % 4 == 0) {
		try_numbers(text);
		return 0;
	}
	argv[0] = name;
	for (p = text; p < text + size - 1 && argc <= MOST_ARGUMENTS; p += strlen(p) + 1)
		argv[argc++] = p;
	argv[argc] = NULL;
	try_options(argc, argv);
	return 0;
}

#ifdef FUZZ_MAIN
int main(int argc, char **argv)
{
	static uint8_t bytes[MOST_BYTES];
	int i = 1;

	do {
		FILE *f = argc > 1 ? fopen(argv[i], "rb") : stdin;

		if (f == NULL)
			return 1;
		LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, sizeof bytes, f));
		if (f != stdin)
			fclose(f);
	} while (++i < argc);
	return 0;
}
#endif
