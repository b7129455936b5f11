/*
 * Tests of the program's pure functions: numbers, statistics, stamps, text.
 * Prints "passed CASE" or "failed CASE: WHY" for each.
 */
#define main gbtestdisk_main
#include "../gbtestdisk.c"
#undef main

static void passed(const char *name)
{
	printf("passed %s\n", name);
}

/* A case that wants a number. */
static void near_to(const char *name, double got, double want, double error)
{
	if (got >= want - error && got <= want + error)
		passed(name);
	else
		printf("failed %s: %.9g, not %.9g\n", name, got, want);
}

/* A case that wants this text. */
static void same_text(const char *name, const char *got, const char *want)
{
	if (strcmp(got, want) == 0)
		passed(name);
	else
		printf("failed %s: '%s', not '%s'\n", name, got, want);
}

static void test_parse_count(void)
{
	/* A result of why is "" where the number is good. */
	static const struct {
		const char *text;
		int suffixes;
		uint64_t plain, least, most, value;
		const char *why;
	} cases[] = {
		{ "0", 0, 1, 0, 10, 0, "" },
		{ "1", 0, 1, 1, 10, 1, "" },
		{ "10", 0, 1, 1, 10, 10, "" },
		{ "11", 0, 1, 1, 10, 0, "too large" },
		{ "0", 0, 1, 1, 10, 0, "too small" },
		{ "000", 0, 1, 1, 10, 0, "too small" },
		{ "010", 0, 1, 1, 10, 10, "" },
		{ "08", 0, 1, 1, 10, 8, "" },
		{ "0000000000000000000000000000000000007", 0, 1, 1, 10, 7, "" },
		{ "64", 1, MIB, 1, UINT64_MAX, 64 * MIB, "" },
		{ "64k", 1, MIB, 1, UINT64_MAX, 65536, "" },
		{ "3m", 1, MIB, 1, UINT64_MAX, 3 * MIB, "" },
		{ "3g", 1, MIB, 1, UINT64_MAX, 3 * MIB * 1024, "" },
		{ "3t", 1, MIB, 1, UINT64_MAX, 3 * MIB * MIB, "" },
		{ "3k", 1, 1, 1, UINT64_MAX, 3072, "" },
		{ "3", 1, 1, 1, UINT64_MAX, 3, "" },
		{ "9223372036854775807", 1, 1, 1, INT64_MAX, INT64_MAX, "" },
		{ "9223372036854775808", 1, 1, 1, INT64_MAX, 0, "too large" },
		{ "18446744073709551615", 1, 1, 1, INT64_MAX, 0, "too large" },
		{ "18446744073709551616", 1, 1, 1, INT64_MAX, 0, "too large" },
		{ "18446744073709551617", 1, 1, 1, INT64_MAX, 0, "too large" },
		{ "36893488147419103232", 1, 1, 1, INT64_MAX, 0, "too large" },
		{ "99999999999999999999999999", 1, 1, 1, INT64_MAX, 0, "too large" },
		{ "8796093022207", 1, MIB, 1, INT64_MAX, 8796093022207ULL * MIB, "" },
		{ "8796093022208", 1, MIB, 1, INT64_MAX, 0, "too large" },
		{ "17592186044416", 1, MIB, 1, INT64_MAX, 0, "too large" },
		{ "17592186044417", 1, MIB, 1, INT64_MAX, 0, "too large" },
		{ "8388607t", 1, 1, 1, INT64_MAX, 8388607ULL * MIB * MIB, "" },
		{ "8388608t", 1, 1, 1, INT64_MAX, 0, "too large" },
		{ "17179869185g", 1, 1, 1, INT64_MAX, 0, "too large" },
		{ "4294967297", 0, 1, 1, 1000000, 0, "too large" },
		{ "", 1, 1, 1, 10, 0, "not a plain number" },
		{ " 1", 1, 1, 1, 10, 0, "not a plain number" },
		{ "1 ", 1, 1, 1, 10, 0, "not a plain number" },
		{ "+1", 1, 1, 1, 10, 0, "not a plain number" },
		{ "-1", 1, 1, 1, 10, 0, "not a plain number" },
		{ "-0", 1, 1, 0, 10, 0, "not a plain number" },
		{ "\n-5", 1, 1, 1, 10, 0, "not a plain number" },
		{ "1.5", 1, 1, 1, 10, 0, "not a plain number" },
		{ "1e3", 1, 1, 1, 9999, 0, "not a plain number" },
		{ "0x10", 1, 1, 1, 99, 0, "not a plain number" },
		{ "1,", 1, 1, 1, 10, 0, "not a plain number" },
		{ "k", 1, 1, 1, 10, 0, "not a plain number" },
		{ "1kk", 1, 1, 1, UINT64_MAX, 0, "not a plain number" },
		{ "1kb", 1, 1, 1, UINT64_MAX, 0, "not a plain number" },
		{ "1K", 1, 1, 1, UINT64_MAX, 1024, "" },
		{ "1M", 1, 1, 1, UINT64_MAX, MIB, "" },
		{ "2T", 1, 1, 1, UINT64_MAX, 2 * MIB * MIB, "" },
		{ "1KB", 1, 1, 1, UINT64_MAX, 0, "not a plain number" },
		{ "1K", 0, 1, 1, UINT64_MAX, 0, "not a plain number" },
		{ "64MB", 1, 1, 1, UINT64_MAX, 0, "not a plain number" },
		{ "1p", 1, 1, 1, UINT64_MAX, 0, "not a plain number" },
		{ "1k", 0, 1, 1, UINT64_MAX, 0, "not a plain number" },
		{ "99999999999999999999999999x", 1, 1, 1, 10, 0, "not a plain number" },
		{ "\xd9\xa3", 1, 1, 1, 10, 0, "not a plain number" },
	};
	char name[100];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t value = 12345;
		const char *why = parse_count(cases[i].text, cases[i].suffixes, cases[i].plain,
		    cases[i].least, cases[i].most, &value);

		snprintf(name, sizeof name, "count %d '%.40s'", (int)i,
		    cases[i].text[0] == '\n'		 ? "newline"
		    : (unsigned char)cases[i].text[0] > 127 ? "another script's digit"
							    : cases[i].text);
		if (why == NULL)
			why = "";
		if (strcmp(why, cases[i].why) != 0)
			same_text(name, why, cases[i].why);
		else if (value != (*why ? 12345 : cases[i].value))
			near_to(name, (double)value, (double)cases[i].value, 0);
		else
			passed(name);
	}
}

static void test_parse_fraction(void)
{
	static const struct {
		const char *text;
		double over, most, value;
		const char *why;
	} cases[] = {
		{ "0", -1, 10, 0, "" },
		{ "0.0", -1, 10, 0, "" },
		{ "2", -1, 10, 2, "" },
		{ "02", -1, 10, 2, "" },
		{ "0.5", -1, 10, .5, "" },
		{ "0.1", -1, 10, .1, "" },
		{ "0.30", -1, 10, .3, "" },
		{ "2.75", -1, 10, 2.75, "" },
		{ "0.000001", -1, 10, 1e-6, "" },
		{ "0.3333333333333333333333333333", -1, 10, 1 / 3., "" },
		{ "10", -1, 10, 10, "" },
		{ "10.0", -1, 10, 10, "" },
		{ "10.01", -1, 10, 0, "too large" },
		{ "10.0000000000000000000000", -1, 10, 10, "" },
		{ "10.0000000000000000000001", -1, 10, 0, "too large" },
		{ "10.000000001", -1, 10, 0, "too large" },
		{ "010.0", -1, 10, 10, "" },
		{ "11", -1, 10, 0, "too large" },
		{ "99999999999999999999999999999999999999999999", -1, 1e9, 0, "too large" },
		{ "0", 0, 10, 0, "too small" },
		{ "0.0", 0, 10, 0, "too small" },
		{ "0.01", 0, 10, .01, "" },
		{ "", -1, 10, 0, "not a plain number" },
		{ ".5", -1, 10, 0, "not a plain number" },
		{ "5.", -1, 10, 0, "not a plain number" },
		{ ".", -1, 10, 0, "not a plain number" },
		{ "1.2.3", -1, 10, 0, "not a plain number" },
		{ "1,5", -1, 10, 0, "not a plain number" },
		{ "-1", -1, 10, 0, "not a plain number" },
		{ "-0", -1, 10, 0, "not a plain number" },
		{ "+1", -1, 10, 0, "not a plain number" },
		{ " 1", -1, 10, 0, "not a plain number" },
		{ "1 ", -1, 10, 0, "not a plain number" },
		{ "1e0", -1, 10, 0, "not a plain number" },
		{ "0x1", -1, 10, 0, "not a plain number" },
		{ "1s", -1, 10, 0, "not a plain number" },
		{ "nan", -1, 10, 0, "not a plain number" },
		{ "inf", -1, 10, 0, "not a plain number" },
	};
	char name[100];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		double value = 12345;
		const char *why =
		    parse_fraction(cases[i].text, cases[i].over, cases[i].most, &value);

		snprintf(name, sizeof name, "fraction %d '%.40s'", (int)i, cases[i].text);
		if (why == NULL)
			why = "";
		if (strcmp(why, cases[i].why) != 0)
			same_text(name, why, cases[i].why);
		else
			near_to(name, value, *why ? 12345 : cases[i].value, 1e-15);
	}
}

static void test_square_root(void)
{
	static const double cases[][2] = { { 0, 0 }, { 1, 1 }, { 2, 1.4142135623730951 }, { 4, 2 },
		{ .25, .5 }, { 1e-12, 1e-6 }, { 1e30, 1e15 }, { 152415787532388367501905199875019052100.,
			12345678901234567890. } };
	char name[100];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(name, sizeof name, "square root of %g", cases[i][0]);
		near_to(name, square_root(cases[i][0]), cases[i][1], cases[i][1] * 1e-14);
	}
	near_to("square root of what is negative by rounding", square_root(-1e-9), 0, 0);
}

/* The 97.5 % points, from printed tables. */
static void test_student_t(void)
{
	static const struct {
		uint64_t n;
		double t;
	} cases[] = { { 1, 12.706204736 }, { 2, 4.302652730 }, { 3, 3.182446305 }, { 4, 2.776445105 },
		{ 5, 2.570581836 }, { 6, 2.446911851 }, { 7, 2.364624252 }, { 8, 2.306004135 },
		{ 9, 2.262157163 }, { 10, 2.228138852 }, { 11, 2.200985160 }, { 12, 2.178812830 },
		{ 13, 2.160368656 }, { 15, 2.131449546 }, { 20, 2.085963447 }, { 30, 2.042272456 },
		{ 31, 2.03951344640 }, { 60, 2.00029782201 }, { 61, 1.999623584995 },
		{ 299, 1.967929669 }, { 300, 1.967903011 }, { 1000000, 1.959966356 } };
	char name[100];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(name, sizeof name, "Student's t of %.0f", (double)cases[i].n);
		near_to(name, student_t(cases[i].n), cases[i].t, 5e-10 * cases[i].t);
	}
	/* -e asks for it after each round: it must not take the longer the more there were. */
	clock_t begin = clock();
	double sum = 0;

	for (i = 0; i < 2000; i++)
		sum += student_t(MOST_ROUNDS - i);
	near_to("Student's t of very many takes no time", (double)(clock() - begin) / CLOCKS_PER_SEC, 0, .5);
	near_to("and all of them are near the normal distribution's point", sum / 2000, 1.959966, 1e-6);
}

static void test_statistics(void)
{
	double one[] = { 7 }, two[] = { 3, 1 }, five[] = { 4, 1, 5, 2, 3 }, equal[] = { .1, .1, .1 },
	       far[] = { 1000000001, 1000000002, 1000000003, 1000000000 }, none[3] = { 1, 0, 2 },
	       many[1000], stats[STATS];
	int i;

	statistics(one, 1, stats);
	near_to("one rate, max", stats[STAT_MAX], 7, 0);
	near_to("one rate, min", stats[STAT_MIN], 7, 0);
	near_to("one rate, avg", stats[STAT_AVG], 7, 0);
	near_to("one rate, med", stats[STAT_MED], 7, 0);
	near_to("one rate, dev", stats[STAT_DEV], 0, 0);
	near_to("one rate, ci is nan", is_nan(stats[STAT_CI]), 1, 0);
	statistics(two, 2, stats);
	near_to("two rates, max", stats[STAT_MAX], 3, 0);
	near_to("two rates, min", stats[STAT_MIN], 1, 0);
	near_to("two rates, avg", stats[STAT_AVG], 2, 0);
	near_to("two rates, med", stats[STAT_MED], 2, 0);
	near_to("two rates, dev", stats[STAT_DEV], 1.4142135624, 1e-9);
	near_to("two rates, ci", stats[STAT_CI], 12.706205, 1e-6);
	statistics(five, 5, stats);
	near_to("five rates, max", stats[STAT_MAX], 5, 0);
	near_to("five rates, min", stats[STAT_MIN], 1, 0);
	near_to("five rates, avg", stats[STAT_AVG], 3, 0);
	near_to("five rates, med", stats[STAT_MED], 3, 0);
	near_to("five rates, dev", stats[STAT_DEV], 1.5811388301, 1e-9);
	near_to("five rates, ci", stats[STAT_CI], 1.9632431, 1e-6);
	statistics(equal, 3, stats);
	near_to("equal rates, avg", stats[STAT_AVG], .1, 0);
	near_to("equal rates, dev", stats[STAT_DEV], 0, 0);
	near_to("equal rates, ci", stats[STAT_CI], 0, 0);
	statistics(far, 4, stats);
	near_to("large rates, avg", stats[STAT_AVG], 1000000001.5, 0);
	near_to("large rates, med", stats[STAT_MED], 1000000001.5, 0);
	near_to("large rates, dev", stats[STAT_DEV], 1.2909944487, 1e-9);
	none[1] = none[1] / none[1];
	statistics(none, 3, stats);
	near_to("a nan among rates, avg is nan", is_nan(stats[STAT_AVG]), 1, 0);
	near_to("a nan among rates, max is nan", is_nan(stats[STAT_MAX]), 1, 0);
	near_to("a nan among rates, dev is nan", is_nan(stats[STAT_DEV]), 1, 0);
	statistics(many, 0, stats);
	near_to("no rates, avg is nan", is_nan(stats[STAT_AVG]), 1, 0);
	for (i = 0; i < 1000; i++)
		many[i] = i * 7 % 1000;
	statistics(many, 1000, stats);
	near_to("thousand rates, max", stats[STAT_MAX], 999, 0);
	near_to("thousand rates, min", stats[STAT_MIN], 0, 0);
	near_to("thousand rates, avg", stats[STAT_AVG], 499.5, 0);
	near_to("thousand rates, med", stats[STAT_MED], 499.5, 0);
	near_to("thousand rates, dev", stats[STAT_DEV], 288.8194361, 1e-6);
	near_to("thousand rates, ci", stats[STAT_CI], 288.8194361 * 1.9623415 / 31.6227766, 1e-4);
}

/* With many requests in flight a part's time can be less than the clock's ns. */
static void test_map_rate(void)
{
	struct detail *d = calloc(1, detail_bytes(1));
	struct map_part *part = d->map;
	static const struct options opt = { .unit = &units[2], .map_parts = 1 };
	const struct column *cache = &column_types[3];
	struct pass_findings *f = &results.found.pass[cache->pass];

	part->ns = 60;
	part->calls[cache->kind] = 3;
	results.detail[cache->pass] = d;
	f->moving_ns = 1000;
	f->calls_ns = 32000;
	near_to("the rate of a part of 1.875 ns", map_rate(&opt, cache, 0), 1.6e9, 1);
	part->ns = 16;
	near_to("the rate of a part of half a ns", map_rate(&opt, cache, 0), 6e9, 1);
	results.detail[cache->pass] = NULL;
	free(d);
	memset(f, 0, sizeof *f);
}

static void test_origin(void)
{
	static const uint64_t sectors[] = { 0, 1, 2, 511, 8191, 1000003, 8589934592ULL,
		((uint64_t)1 << 34) - 1 };
	uint64_t generation;
	char name[100];
	size_t i;

	data.key = 0x0123456789abcdefULL;
	for (i = 0; i < sizeof sectors / sizeof *sectors; i++) {
		int wrong = 0;

		for (generation = 0; generation < 2000; generation++)
			if (stamp_origin(stamp_word(sectors[i], generation)) !=
			    sectors[i] + (generation << GENERATION_SHIFT))
				wrong++;
		snprintf(name, sizeof name, "origin of the stamps of sector %.0f",
		    (double)sectors[i]);
		near_to(name, wrong, 0, 0);
	}
	near_to("stamps of two sectors differ", stamp_word(1, 1) != stamp_word(2, 1), 1, 0);
	near_to("stamps of two generations differ", stamp_word(1, 1) != stamp_word(1, 2), 1, 0);
}

enum { FILE_BYTES = 4096 };

/* Writes a file by stamp in blocks, and reads it by stamps_check in others. */
static uint64_t round_trip(unsigned char *image, size_t written, size_t read, uint64_t base,
    uint64_t generation, uint64_t checked, size_t spoil, uint64_t *found)
{
	uint64_t at, wrong;
	size_t len;

	memset(image, 0xaa, FILE_BYTES);
	for (at = 0; at < FILE_BYTES; at += written) {
		len = FILE_BYTES - at < written ? (size_t)(FILE_BYTES - at) : written;
		stamp(image + at, base + at, len, generation);
	}
	if (spoil < FILE_BYTES)
		image[spoil] ^= 1;
	for (at = 0; at < FILE_BYTES; at += read) {
		len = FILE_BYTES - at < read ? (size_t)(FILE_BYTES - at) : read;
		wrong = stamps_check(image + at, base + at, len, checked, found);
		if (wrong != NO_MISMATCH)
			return wrong - base;
	}
	return NO_MISMATCH;
}

static void test_stamps(void)
{
	static const size_t blocks[] = { 1, 2, 7, 8, 9, 100, 504, 505, 511, 512, 513, 520, 1000, 1024,
		3000, 4096, 8192 };
	static const uint64_t bases[] = { 0, 512, 4294966784ULL, 4294967296ULL, 1099511627776ULL };
	static unsigned char image[FILE_BYTES];
	uint64_t found;
	char name[100];
	size_t i, k, at;

	data.key = 0xfedcba9876543210ULL;
	for (i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		int wrong = 0, missed = 0, touched = 0;

		for (k = 0; k < sizeof blocks / sizeof *blocks; k++)
			for (at = 0; at < sizeof bases / sizeof *bases; at++)
				wrong += round_trip(image, blocks[i], blocks[k], bases[at], 9, 9,
					     FILE_BYTES, &found) != NO_MISMATCH;
		for (at = 0; at < FILE_BYTES; at++)
			touched += at % SECTOR >= STAMP_BYTES && image[at] != 0xaa;
		for (at = 0; at < FILE_BYTES; at++)
			missed += round_trip(image, 1024, blocks[i], 0, 9, 9, at, &found) !=
				  (at % SECTOR < STAMP_BYTES ? at - at % SECTOR : NO_MISMATCH);
		snprintf(name, sizeof name, "stamps in blocks of %d", (int)blocks[i]);
		near_to(name, wrong, 0, 0);
		snprintf(name, sizeof name, "stamps alone are written in blocks of %d", (int)blocks[i]);
		near_to(name, touched, 0, 0);
		snprintf(name, sizeof name, "each spoilt stamp is found in blocks of %d", (int)blocks[i]);
		near_to(name, missed, 0, 0);
	}
	near_to("an older generation is wrong",
	    (double)round_trip(image, 1024, 1024, 512, 3, 4, FILE_BYTES, &found), 0, 0);
	near_to("its sector is found", (double)stamp_origin(found), 1 + 3. * (double)((uint64_t)1 << GENERATION_SHIFT), 0);
	near_to("a newer generation is wrong",
	    (double)round_trip(image, 1024, 1024, 0, 7, 6, FILE_BYTES, &found), 0, 0);
	round_trip(image, 1024, 1024, 0, 5, 5, FILE_BYTES, &found);
	memcpy(image + 1024, image + 5 * 512, 512);
	near_to("a sector in another's place is wrong",
	    (double)stamps_check(image, 0, FILE_BYTES, 5, &found), 1024, 0);
	near_to("and whose it is", (double)(stamp_origin(found) & (((uint64_t)1 << GENERATION_SHIFT) - 1)), 5, 0);
}

static void test_pool(void)
{
	static const uint64_t blocks[] = { 1, 7, 512, 4096, 65536, 1000003, MIB, 3 * MIB, 4 * MIB, 9 * MIB };
	static const uint64_t odd[] = { 1, 700, 1537, 1000003, 5 * MIB + 1 };
	uint64_t requests;
	char name[100];
	size_t i;

	for (i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		snprintf(name, sizeof name, "the pool of blocks of %.0f is made", (double)blocks[i]);
		near_to(name, data_make(blocks[i], 1, 1), 0, 0);
		snprintf(name, sizeof name, "what repeats is 4 MiB off, in blocks of %.0f",
		    (double)blocks[i]);
		near_to(name, (double)(data.slot_count * blocks[i]) >= 4. * MIB, 1, 0);
		snprintf(name, sizeof name, "the pool is at most 8 MiB and a block, in blocks of %.0f",
		    (double)blocks[i]);
		near_to(name, (double)(data.slot_count * blocks[i]) <= 8. * MIB + (double)blocks[i], 1, 0);
	}
	/* A file shorter than its block makes a block of its own size; a direct read asks for more. */
	for (i = 0; i < sizeof odd / sizeof *odd; i++) {
		for (requests = 1; requests < 4; requests += 2) {
			snprintf(name, sizeof name, "the buffers of %.0f requests of %.0f bytes are aligned",
			    (double)requests, (double)odd[i]);
			data_make(odd[i], requests, 1);
			near_to(name, (double)((uintptr_t)data.buffers % 4096), 0, 0);
			memset(data.buffers + (requests - 1) * odd[i], 0, (size_t)odd[i] + DIRECT_MOST);
		}
		/* Without room behind it, malloc or -fsanitize=address finds this out. */
		unsigned char *buffer = memory_get(odd[i]);

		snprintf(name, sizeof name, "a buffer of %.0f bytes takes a direct read", (double)odd[i]);
		memset(buffer, 0, (size_t)odd[i] + DIRECT_MOST);
		free(malloc((size_t)MIB));
		passed(name);
	}
}

static void test_text(void)
{
	static const struct {
		const char *text, *escaped;
	} cases[] = { { "", "" }, { "plain text", "plain text" }, { "a\nb", "a\\012b" },
		{ "\t", "\\011" }, { "\\", "\\134" }, { "\033[31m", "\\033[31m" }, { "\177", "\\177" },
		{ "\001", "\\001" }, { "\xc2\x9b", "\\302\\233" }, { "\x9b", "\\233" }, { "\xe4", "\xe4" },
		{ "\xe2\x82\xac", "\xe2\x82\xac" }, { "\xc3\x84", "\xc3\x84" }, { "\xc3\xa4", "\xc3\xa4" }, { "\r\n", "\\015\\012" } };
	static const struct {
		double seconds;
		const char *text;
	} times[] = { { 0, "0:00:00" }, { .9, "0:00:00" }, { 1, "0:00:01" }, { 59.99, "0:00:59" },
		{ 60, "0:01:00" }, { 3599.9, "0:59:59" }, { 3600, "1:00:00" }, { 3661, "1:01:01" },
		{ 86400, "24:00:00" }, { 360000, "100:00:00" } };
	char text[100], name[100];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		escape(cases[i].text, text, sizeof text);
		snprintf(name, sizeof name, "escaped %d", (int)i);
		same_text(name, text, cases[i].escaped);
	}
	for (i = 0; i < sizeof times / sizeof *times; i++) {
		format_duration(times[i].seconds, text, sizeof text);
		snprintf(name, sizeof name, "duration %g", times[i].seconds);
		same_text(name, text, times[i].text);
	}
}

int main(void)
{
	test_parse_count();
	test_parse_fraction();
	test_square_root();
	test_student_t();
	test_statistics();
	test_map_rate();
	test_origin();
	test_stamps();
	test_pool();
	test_text();
	return 0;
}
