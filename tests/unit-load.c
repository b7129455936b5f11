/*
 * Tests of the load's pure parts, in the program's own words: the order of
 * the blocks, what workers share, latencies, stamps, the map, sureness.
 * Prints "passed CASE" or "failed CASE: WHY" for each.
 */
#define main gbtestdisk_main
#include "../gbtestdisk.c"
#undef main

static const char *case_name;
static int case_failed;

static void begin(const char *name)
{
	case_name = name;
	case_failed = 0;
}

/* Says what was wrong, once for each case. */
static void wrong(const char *format, ...)
{
	va_list ap;

	if (case_failed++)
		return;
	printf("failed %s: ", case_name);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
}

static void end(void)
{
	if (!case_failed)
		printf("passed %s\n", case_name);
	fflush(stdout);
}

static void *memory(size_t bytes)
{
	void *p = calloc(1, bytes);

	if (p == NULL) {
		wrong("no memory");
		exit(1);
	}
	return p;
}

static uint64_t random_state = 1;

static uint64_t random_word(void)
{
	return mix64(random_state += STAMP_STEP);
}

static uint64_t random_below(uint64_t n)
{
	return random_word() % n;
}

static int compare_words(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double no_number(void)
{
	volatile double zero = 0;

	return zero / zero;
}

static int no_figure(double x)
{
	return x != x;
}

/* ---- the order of the blocks ------------------------------------------- */

/* Whether the order is a bijection of its count places. */
static int order_complete(uint64_t count, uint64_t key, unsigned char *seen)
{
	struct order o = order_make(count, key);
	uint64_t i, at;

	memset(seen, 0, (size_t)count);
	for (i = 0; i < count; i++)
		if ((at = order_at(&o, i)) >= count || seen[at]++)
			return 0;
	return 1;
}

static void test_bijection(void)
{
	static const uint64_t larger[] = { 65535, 65536, 65537, 1000000, 1048575, 1048576, 1048577 };
	unsigned char *seen = memory(1048577);
	uint64_t n;
	size_t i;

	begin("the order is a bijection for 1 to 5000 blocks");
	for (n = 1; n <= 5000; n++)
		if (!order_complete(n, random_word(), seen))
			wrong("not for %.0f blocks", (double)n);
	end();

	begin("the order is a bijection for special keys");
	for (n = 1; n <= 300; n++)
		if (!order_complete(n, 0, seen) || !order_complete(n, 1, seen) ||
		    !order_complete(n, UINT64_MAX, seen))
			wrong("not for %.0f blocks", (double)n);
	end();

	begin("the order is a bijection for larger counts");
	for (i = 0; i < sizeof larger / sizeof *larger; i++)
		if (!order_complete(larger[i], random_word(), seen))
			wrong("not for %.0f blocks", (double)larger[i]);
	end();
	free(seen);
}

static void test_huge_order(void)
{
	enum { PLACES = 100000 };
	static const uint64_t counts[] = { ((uint64_t)1 << 32) + 1, ((uint64_t)1 << 40) - 3,
		((uint64_t)1 << 40) + 1, ((uint64_t)1 << 53) + 7 };
	uint64_t *at = memory(PLACES * sizeof *at), i;
	size_t k;

	begin("places of huge orders are in range and distinct");
	for (k = 0; k < sizeof counts / sizeof *counts; k++) {
		struct order o = order_make(counts[k], random_word());

		/* Neighbours at the start, and places all over. */
		for (i = 0; i < PLACES; i++) {
			at[i] = order_at(&o, i < PLACES / 2 ? i : counts[k] / PLACES * i + i);
			if (at[i] >= counts[k])
				wrong("%.0f of %.0f", (double)at[i], (double)counts[k]);
		}
		qsort(at, PLACES, sizeof *at, compare_words);
		for (i = 1; i < PLACES; i++)
			if (at[i] == at[i - 1])
				wrong("%.0f twice of %.0f", (double)at[i], (double)counts[k]);
	}
	end();
	free(at);
}

/* In how many places two orders agree. */
static uint64_t order_agreement(uint64_t count, uint64_t key, uint64_t other)
{
	struct order a = order_make(count, key), b = order_make(count, other);
	uint64_t i, same = 0;

	for (i = 0; i < count; i++)
		same += order_at(&a, i) == order_at(&b, i);
	return same;
}

static void test_keys(void)
{
	static const uint64_t counts[] = { 64, 100, 1000, 1024, 4097, 65536 };
	size_t i;
	int bit;

	/* Two permutations at random agree in one place on average. */
	begin("another key is another order");
	for (i = 0; i < sizeof counts / sizeof *counts; i++)
		for (bit = 0; bit < 64; bit++) {
			uint64_t key = random_word();
			uint64_t same = order_agreement(counts[i], mix64(key), mix64(key + 1));

			if (same > 12)
				wrong("%.0f of %.0f places agree", (double)same, (double)counts[i]);
		}
	end();

	begin("the same key is the same order");
	for (i = 0; i < sizeof counts / sizeof *counts; i++)
		if (order_agreement(counts[i], 7, 7) != counts[i])
			wrong("not for %.0f", (double)counts[i]);
	end();
}

static void test_randomness(void)
{
	static const uint64_t counts[] = { 256, 1000, 4096, 25600, 65536, 1000000 };
	enum { CELLS = 16 };
	double table[CELLS][CELLS], expected, square;
	size_t k;
	int x, y, tries;

	begin("the order has no step that it prefers, and is not sorted in part");
	for (k = 0; k < sizeof counts / sizeof *counts; k++) {
		uint64_t n = counts[k], *steps = memory((size_t)n * sizeof *steps), i, run, most = 0;
		struct order o = order_make(n, random_word());
		uint64_t rises = 0, last = order_at(&o, 0);

		for (i = 1; i < n; i++) {
			uint64_t now = order_at(&o, i);

			rises += now > last;
			steps[i - 1] = (now + n - last) % n;
			last = now;
		}
		qsort(steps, (size_t)n - 1, sizeof *steps, compare_words);
		for (i = 1, run = 1; i + 1 < n; i++) {
			run = steps[i] == steps[i - 1] ? run + 1 : 1;
			most = run > most ? run : most;
		}
		/* Of a random order, hardly ever more than ten. */
		if (most > 10 + n / 500)
			wrong("a step occurs %.0f times in %.0f", (double)most, (double)n);
		/* Half, give or take six deviations of square root of n / 12. */
		if ((double)rises < (double)n / 2 - 6 * square_root((double)n / 12) ||
		    (double)rises > (double)n / 2 + 6 * square_root((double)n / 12))
			wrong("%.0f rises in %.0f", (double)rises, (double)n);
		free(steps);
	}
	end();

	/*
	 * Places against blocks, both in 16 classes: 225 degrees of freedom; a
	 * permutation is a little evener than independent draws.  400 is eight
	 * deviations above.
	 */
	begin("all places are as likely for all blocks");
	for (k = 1; k < sizeof counts / sizeof *counts; k++)
		for (tries = 0; tries < 4; tries++) {
			uint64_t n = counts[k], i;
			struct order o = order_make(n, random_word());

			memset(table, 0, sizeof table);
			for (i = 0; i < n; i++)
				table[i * CELLS / n][order_at(&o, i) * CELLS / n]++;
			expected = (double)n / CELLS / CELLS;
			for (square = 0, x = 0; x < CELLS; x++)
				for (y = 0; y < CELLS; y++)
					square += (table[x][y] - expected) * (table[x][y] - expected) / expected;
			if (square > 400 || square < 100)
				wrong("chi-square %g for %.0f", square, (double)n);
		}
	end();

	/* The direction of mix is a second order: independent of the first. */
	begin("which blocks mix writes does not hang on their place");
	for (tries = 0; tries < 20; tries++) {
		uint64_t key = random_word(), n = 10000, i, first = 0;
		struct order o = order_make(n, key), d = order_make(n, mix64(key));

		for (i = 0; i < n / 2; i++)
			first += order_at(&d, order_at(&o, i)) < n / 2;
		/* Half of 5000, with a deviation of 25. */
		if (first < 2350 || first > 2650)
			wrong("%.0f of the first 5000 are written", (double)first);
	}
	end();
}

/* ---- what a pass covers ------------------------------------------------ */

static void test_parts(void)
{
	static const uint64_t counts[] = { 0, 1, 2, 7, 64, 1000, 4096, 1000003,
		((uint64_t)1 << 40) + 5, UINT64_MAX / 2 };
	static const int parts[] = { 1, 2, 3, 7, 64, 1000, 4096 };
	size_t i, k;
	int part;

	begin("parts lie one after the other, begin where they should, and are all of the file");
	for (i = 0; i < sizeof counts / sizeof *counts; i++)
		for (k = 0; k < sizeof parts / sizeof *parts; k++) {
			struct coverage c;

			memset(&c, 0, sizeof c);
			c.parts = parts[k];
			c.ends = memory((size_t)parts[k] * sizeof *c.ends);
			coverage_all(&c, counts[i]);
			for (part = 0; part < parts[k]; part++)
				if ((counts[i] < (uint64_t)1 << 50 && part_begin(counts[i], parts[k], part) !=
				    (uint64_t)part * counts[i] / (uint64_t)parts[k]) ||
				    (part > 0 && c.ends[part - 1] != part_begin(counts[i], parts[k], part)))
					wrong("part %d of %d of %.0f", part, parts[k], (double)counts[i]);
			if (c.ends[parts[k] - 1] != counts[i] || coverage_blocks(&c, counts[i]) != counts[i])
				wrong("%d parts of %.0f", parts[k], (double)counts[i]);
			free(c.ends);
		}
	end();
}

/* A pass reads, in an order of its own, just what passes that were cut have left. */
static void test_cut_orders(void)
{
	enum { BLOCKS = 1000 };
	unsigned char *written = memory(BLOCKS), *seen = memory(BLOCKS);
	uint64_t covered = BLOCKS, cuts[] = { 700, 400, 100 }, i, neighbours = 0, last = 0;
	struct coverage c;
	int pass;

	begin("what a cut pass has left is read in another order, each block once");
	memset(&c, 0, sizeof c);
	c.parts = 1;
	c.ends = &covered;
	for (pass = 0; pass < 3; pass++) {
		memset(seen, 0, BLOCKS);
		c.orders[c.order_count++] = order_make(covered, random_word());
		for (i = 0; i < covered; i++) {
			uint64_t block = coverage_at(&c, i);

			if (block >= BLOCKS || seen[block]++ || (pass > 0 && !written[block]))
				wrong("pass %d, place %.0f: block %.0f", pass, (double)i, (double)block);
			neighbours += i > 0 && block == last + 1;
			last = block;
		}
		/* The next pass has what this one did before its end. */
		memset(written, 0, BLOCKS);
		for (i = 0; i < cuts[pass]; i++)
			written[coverage_at(&c, i)] = 1;
		covered = cuts[pass];
	}
	if (neighbours > 20)
		wrong("%.0f neighbours follow each other", (double)neighbours);
	end();
	free(written);
	free(seen);
}

/* ---- which generation a block must have -------------------------------- */

/* Whether the bytes of a block of that generation pass the check. */
static int holds(const struct plan *p, uint64_t block, uint64_t generation)
{
	static unsigned char bytes[8192];
	struct outcome o;

	memset(bytes, 0, sizeof bytes);
	memset(&o, 0, sizeof o);
	stamp(bytes, block * p->block_bytes, (size_t)p->block_bytes, generation);
	return block_check(p, bytes, block, (size_t)p->block_bytes, &o) == 0;
}

/* Adds a writing; in a mix, half of the blocks are written. */
static void written_now(int is_mix, uint64_t blocks, int is_whole)
{
	struct writing w;

	memset(&w, 0, sizeof w);
	w.generation = file.newest + 1;
	w.is_mix = is_mix;
	w.choice = order_make(blocks, random_word());
	w.choices = blocks / 2;
	w.is_whole = is_whole;
	file.newest++;
	file.writings[w.generation % HISTORY] = w;
}

static void test_generations(void)
{
	static const uint64_t sizes[] = { 4096, 512, 2300, 700, 100, 3 };
	enum { BLOCKS = 64, PASSES_OF_MIX = 40 };
	uint64_t must[BLOCKS], block, g;
	size_t i;
	int pass;

	begin("a block must have the generation of the last pass that wrote it");
	for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct plan p;

		memset(&p, 0, sizeof p);
		p.block_bytes = sizes[i];
		p.size_bytes = BLOCKS * sizes[i];
		p.blocks = BLOCKS;
		file.newest = 0;
		for (pass = 0; pass < PASSES_OF_MIX; pass++) {
			written_now(pass > 0, BLOCKS, 1);
			for (block = 0; block < BLOCKS; block++)
				if (writes_block(&file.writings[file.newest % HISTORY], block))
					must[block] = file.newest;
			for (block = 0; block < BLOCKS; block++) {
				if (!holds(&p, block, must[block]))
					wrong("blocks of %.0f, pass %d: the right generation of block %.0f",
					    (double)sizes[i], pass, (double)block);
				/* A block of 100 bytes or fewer may have no whole stamp, or none at all. */
				for (g = 1; sizes[i] >= 700 && g <= file.newest + 1; g++)
					if (g != must[block] && holds(&p, block, g))
						wrong("blocks of %.0f, pass %d: generation %.0f of block %.0f",
						    (double)sizes[i], pass, (double)g, (double)block);
			}
		}
	}
	end();

	begin("a mix pass that was cut may have written a block or not");
	for (pass = 0; pass < 2; pass++) {
		struct plan p;

		memset(&p, 0, sizeof p);
		p.block_bytes = 4096;
		p.size_bytes = BLOCKS * 4096;
		p.blocks = BLOCKS;
		file.newest = 0;
		written_now(0, BLOCKS, 1);
		written_now(1, BLOCKS, pass);
		for (block = 0; block < BLOCKS; block++) {
			int is_chosen = writes_block(&file.writings[2], block);

			if (holds(&p, block, 1) != (!is_chosen || !pass) || holds(&p, block, 2) != is_chosen)
				wrong("block %.0f", (double)block);
		}
	}
	end();
}

/* ---- latencies --------------------------------------------------------- */

static const uint64_t asked[] = { 0, 250000, 500000, 750000, 900000, 950000, 990000, 999000, 999900,
	999990, 999999, 1000000 };
enum { ASKED = sizeof asked / sizeof *asked };

/* e^x for small x, by halving: libm is not linked. */
static double power_of_e(double x)
{
	double y = x / 1024, r = 1 + y + y * y / 2 + y * y * y / 6;
	int i;

	for (i = 0; i < 10; i++)
		r *= r;
	return r;
}

/* Adds n sorted values, and compares with the exact quantiles. */
static void check_histogram(const char *what, uint64_t *ns, uint64_t n)
{
	struct histogram *h = memory(sizeof *h), *parts = memory(3 * sizeof *h);
	double sum = 0, last = 0, found;
	uint64_t i, rank;
	int k;

	for (i = 0; i < n; i++) {
		histogram_add(h, ns[i]);
		histogram_add(&parts[ns[i] % 3], ns[i]);
		sum += (double)ns[i];
	}
	qsort(ns, (size_t)n, sizeof *ns, compare_words);
	for (k = 0; k < ASKED; k++) {
		double exact;

		rank = (uint64_t)(((double)n * (double)asked[k] + 999999) / 1e6);
		exact = (double)ns[rank > 0 ? rank - 1 : 0];
		found = histogram_percentile(h, asked[k]);
		if (found < exact * 0.99 || found > exact * 1.01)
			wrong("%s, %.0f calls: %g %% is %.0f, not %.0f", what, (double)n,
			    (double)asked[k] / 1e4, found, exact);
		if ((k == 0 && found != (double)ns[0]) || (k == ASKED - 1 && found != (double)ns[n - 1]))
			wrong("%s, %.0f calls: an end is not exact", what, (double)n);
		if (found < last || found > (double)ns[n - 1])
			wrong("%s, %.0f calls: %g %% falls or passes the maximum", what, (double)n,
			    (double)asked[k] / 1e4);
		last = found;
	}
	found = histogram_mean(h);
	if (found < sum / (double)n * (1 - 1e-12) || found > sum / (double)n * (1 + 1e-12))
		wrong("%s, %.0f calls: the mean is %g", what, (double)n, found);
	histogram_merge(&parts[1], &parts[0]);
	histogram_merge(&parts[1], &parts[2]);
	if (memcmp(parts[1].counts, h->counts, sizeof h->counts) != 0 ||
	    parts[1].calls != n || parts[1].min_ns != ns[0] ||
	    parts[1].max_ns != ns[n - 1])
		wrong("%s, %.0f calls: merged it is another", what, (double)n);
	for (k = 0; k < ASKED; k++)
		if (histogram_percentile(&parts[1], asked[k]) != histogram_percentile(h, asked[k]))
			wrong("%s, %.0f calls: merged, %g %% is another", what, (double)n, (double)asked[k] / 1e4);
	free(h);
	free(parts);
}

static void test_histogram(void)
{
	static const uint64_t calls[] = { 1, 2, 3, 4, 5, 10, 19, 20, 99, 100, 101, 1000, 1001, 9999, 100000 };
	static const char *const names[] = { "uniform", "small", "log-uniform", "constant", "two values",
		"one outlier" };
	uint64_t *ns = memory(100000 * sizeof *ns), i;
	size_t kind, k;

	begin("percentiles are within 1 % of the exact ones, 0 and 100 exact");
	for (kind = 0; kind < sizeof names / sizeof *names; kind++)
		for (k = 0; k < sizeof calls / sizeof *calls; k++) {
			for (i = 0; i < calls[k]; i++)
				switch (kind) {
				case 0: ns[i] = 1 + random_below(1000000000); break;
				case 1: ns[i] = random_below(300); break;
				case 2: /* 1 ns to 1e13 ns */
					ns[i] = (uint64_t)power_of_e((double)random_below(29933) / 1000);
					break;
				case 3: ns[i] = 123456789; break;
				case 4: ns[i] = random_below(2) ? 5000000 : 12345678901ULL; break;
				default: ns[i] = i == calls[k] / 2 ? 20000000000000ULL : 1000 + i % 7; break;
				}
			check_histogram(names[kind], ns, calls[k]);
		}
	end();

	begin("every single latency from 1 ns to hours is within 1 %");
	for (i = 1; i < 10800000000000ULL; i += i / 500 + 1) {
		double middle = bucket_middle(bucket_of(i));

		if (middle < (double)i * 0.99 || middle > (double)i * 1.01)
			wrong("%.0f ns became %.0f", (double)i, middle);
		if (bucket_of(i + 1) < bucket_of(i) || bucket_of(i + 1) > bucket_of(i) + 1)
			wrong("the bucket after that of %.0f ns", (double)i);
		if (bucket_of((uint64_t)middle) != bucket_of(i))
			wrong("the middle of %.0f ns is in another bucket", (double)i);
	}
	if (bucket_of(UINT64_MAX) >= BUCKETS || bucket_of(0) != 0)
		wrong("an end");
	end();

	begin("days are not clipped in the maximum");
	{
		struct histogram *h = memory(sizeof *h);

		histogram_add(h, 1000);
		histogram_add(h, 900000ULL * NS);
		if (histogram_percentile(h, 1000000) != 9e14 || histogram_percentile(h, 0) != 1000)
			wrong("%g", histogram_percentile(h, 1000000));
		free(h);
	}
	end();

	/* 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares about it 32, by 7. */
	begin("mean and deviation of latencies");
	{
		static const uint64_t eight[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
		struct histogram *h = memory(sizeof *h);
		double dev;

		for (i = 0; i < 8; i++)
			histogram_add(h, eight[i] * 1000);
		dev = histogram_deviation(h);
		if (histogram_mean(h) != 5000 || dev < 2138.08 || dev > 2138.10)
			wrong("%g, %g", histogram_mean(h), dev);
		memset(h, 0, sizeof *h);
		if (!no_figure(histogram_mean(h)) || !no_figure(histogram_deviation(h)) ||
		    !no_figure(histogram_percentile(h, 500000)))
			wrong("no call has a figure");
		/* Equal values leave no deviation, whatever rounding does. */
		for (i = 0; i < 1000; i++)
			histogram_add(h, 123456789);
		dev = histogram_deviation(h);
		if (histogram_mean(h) != 123456789 || !(dev >= 0) || dev > 20)
			wrong("equal calls: %g, %g", histogram_mean(h), dev);
		free(h);
	}
	end();
	free(ns);
}

/* ---- stamps ------------------------------------------------------------ */

static void test_stamps(void)
{
	enum { LEN = 64 * SECTOR };
	static const uint64_t places[] = { 0, 512, 100, 4095, 1048576, ((uint64_t)1 << 33) + 7,
		(uint64_t)1 << 44 };
	unsigned char *b = memory(LEN);
	uint64_t found, at, generation;
	size_t k, i;

	data.key = 0x0123456789abcdefULL;
	begin("stamps are right in their own generation, place and run only");
	for (k = 0; k < sizeof places / sizeof *places; k++) {
		uint64_t first = (places[k] + SECTOR - 1) / SECTOR * SECTOR;

		for (generation = 1; generation <= 5; generation++) {
			stamp(b, places[k], LEN, generation);
			if (stamps_check(b, places[k], LEN, generation, &found) != NO_MISMATCH)
				wrong("its own at %.0f", (double)places[k]);
			if (stamps_check(b, places[k], LEN, generation + 1, &found) == NO_MISMATCH)
				wrong("an older one passes at %.0f", (double)places[k]);
			if (stamps_check(b, places[k], LEN, generation - 1, &found) == NO_MISMATCH)
				wrong("a newer one passes at %.0f", (double)places[k]);
			if (stamps_generation(b, places[k], LEN) != generation)
				wrong("it claims another one at %.0f", (double)places[k]);
			at = stamps_check(b, places[k] + SECTOR, LEN, generation, &found);
			if (at == NO_MISMATCH || at > first + SECTOR || at + SECTOR < places[k] + SECTOR)
				wrong("one sector on passes at %.0f", (double)places[k]);
			data.key++;
			if (stamps_check(b, places[k], LEN, generation, &found) == NO_MISMATCH)
				wrong("another run's passes at %.0f", (double)places[k]);
			data.key--;
		}
	}
	end();

	begin("the sector that is wrong is named, with what stands there");
	for (i = 0; i < LEN / SECTOR; i++) {
		uint64_t origin;

		stamp(b, 40960, LEN, 3);
		stamp(b + i * SECTOR, 10 * SECTOR, SECTOR, 2);
		at = stamps_check(b, 40960, LEN, 3, &found);
		origin = stamp_origin(found);
		if (at != 40960 + i * SECTOR || origin >> GENERATION_SHIFT != 2 ||
		    (origin & (((uint64_t)1 << GENERATION_SHIFT) - 1)) != 10)
			wrong("sector %d", (int)i);
	}
	end();

	/* Blocks of 100 bytes cut a stamp at 1100, 1600 and so on. */
	begin("stamps across blocks are written in parts and checked in parts");
	for (at = 0; at < LEN; at += 100)
		stamp(b + at, at, at + 100 < LEN ? 100 : (size_t)(LEN - at), 9);
	if (stamps_check(b, 0, LEN, 9, &found) != NO_MISMATCH)
		wrong("the parts do not make the whole");
	for (at = 0; at + 100 < LEN; at += 100)
		if (stamps_check(b + at, at, 100, 9, &found) != NO_MISMATCH)
			wrong("the part at %.0f", (double)at);
	/* 512 lies in 500 to 600, whole; 1024 to 1032 in 1000 to 1030 and on. */
	stamp(b, 0, LEN, 9);
	b[1031] ^= 1;
	if (stamps_check(b + 1030, 1030, 100, 9, &found) != 1024)
		wrong("a wrong end of a stamp passes");
	if (stamps_check(b + 1000, 1000, 30, 9, &found) != NO_MISMATCH)
		wrong("what is not in the block is held against it");
	end();
	free(b);
}

/* ---- the map ----------------------------------------------------------- */

static void test_map(void)
{
	struct options opt;
	uint64_t n, parts, k, b;

	memset(&opt, 0, sizeof opt);
	opt.block_bytes = 4096;
	begin("each block falls into the part of the map whose rows cover it");
	for (n = 1; n <= 130; n++)
		for (parts = 1; parts <= n; parts++) {
			opt.size_bytes = n * opt.block_bytes;
			opt.map_parts = parts;
			if (map_block(&opt, 0) != 0 || map_block(&opt, parts) != n)
				wrong("the ends of %.0f in %.0f", (double)n, (double)parts);
			for (k = 0; k < parts; k++) {
				uint64_t blocks = map_block(&opt, k + 1) - map_block(&opt, k);

				if (blocks != n / parts && blocks != (n + parts - 1) / parts)
					wrong("part %.0f of %.0f of %.0f has %.0f blocks", (double)k, (double)parts,
					    (double)n, (double)blocks);
			}
		}
	for (n = 1; n <= 130; n += 3) {
		struct plan p;

		memset(&p, 0, sizeof p);
		p.pass = PASS_READ;
		p.blocks = n;
		p.workers = 1;
		p.clock = CLOCK_PASS;
		for (parts = 1; parts <= n; parts++) {
			struct detail *d = memory(detail_bytes(parts));
			struct map_part *map = d->map;
			struct outcome o;

			opt.size_bytes = n * opt.block_bytes;
			opt.map_parts = p.map_parts = parts;
			memset(&o, 0, sizeof o);
			p.detail = d;
			for (b = 0; b < n; b++)
				calls_keep(&p, b, DIRECTION_READ, 4096, 1, 1000, &o);
			for (k = 0; k < parts; k++) {
				uint64_t blocks = map_block(&opt, k + 1) - map_block(&opt, k);

				if (map[k].bytes[DIRECTION_READ] != 4096 * blocks ||
				    map[k].calls[DIRECTION_READ] != blocks ||
				    map[k].ns > 1000 * (double)blocks || map[k].ns < 1000 * (double)blocks)
					wrong("part %.0f of %.0f of %.0f", (double)k, (double)parts, (double)n);
			}
			free(d);
		}
	}
	end();
}

/* ---- sureness ---------------------------------------------------------- */

/* Whether n rates, a column, are sure to percent. */
static int sure(const double *rates, size_t n, double percent)
{
	struct running r = { 0, 0, 0 };
	size_t i;

	for (i = 0; i < n; i++)
		running_add(&r, rates[i]);
	return sure_enough(&r, 1, percent);
}

static void test_sure(void)
{
	/*
	 * Mean, deviation, t: 100, 10, 4.302653: 24.8414 %.
	 * 11, 1.581139, 2.776445: 1.963243, 17.8477 %.
	 * 2.5, 1.290994, 3.182446: 2.054260, 82.1704 %.
	 */
	static const double three[] = { 100, 110, 90 }, five[] = { 10, 12, 11, 13, 9 },
			    four[] = { 1, 2, 3, 4 }, equal[] = { 7, 7, 7 }, big[] = { 1e12, 1.1e12, 0.9e12 };
	double many[100];
	struct running r[3];
	size_t i;

	begin("the interval of three rounds");
	if (sure(three, 3, 24.841) || !sure(three, 3, 24.842))
		wrong("not at 24.8414 %%");
	if (sure(big, 3, 24.841) || !sure(big, 3, 24.842))
		wrong("not of large rates");
	end();

	begin("the interval of more rounds");
	if (sure(five, 5, 17.847) || !sure(five, 5, 17.848))
		wrong("five: not at 17.8477 %%");
	if (sure(four, 4, 82.17) || !sure(four, 4, 82.171))
		wrong("four: not at 82.1704 %%");
	/* 50 of 90 and 50 of 110: 10 * sqrt(100/99) = 10.050378, t(99) = 1.984217: 1.994212 %. */
	for (i = 0; i < 100; i++)
		many[i] = i % 2 ? 90 : 110;
	if (sure(many, 100, 1.9942) || !sure(many, 100, 1.99425))
		wrong("a hundred: not at 1.994212 %%");
	end();

	begin("two rounds are never sure, three equal ones always");
	if (sure(equal, 1, 100) || sure(equal, 2, 100))
		wrong("fewer than three");
	if (!sure(equal, 3, 0.000001))
		wrong("three");
	end();

	begin("every column has to be sure, and those without a figure are left out");
	memset(r, 0, sizeof r);
	for (i = 0; i < 3; i++) {
		running_add(&r[0], equal[i]);
		running_add(&r[1], three[i]);
		running_add(&r[2], i == 1 ? no_number() : 5.0 * (double)i);
	}
	if (sure_enough(r, 2, 20) || !sure_enough(r, 2, 25))
		wrong("the second column does not count");
	if (!sure_enough(r, 3, 25))
		wrong("nan is not left out");
	if (sure_enough(r + 2, 1, 100))
		wrong("only nan is sure");
	end();
}

int main(void)
{
	test_bijection();
	test_huge_order();
	test_keys();
	test_randomness();
	test_parts();
	test_cut_orders();
	test_generations();
	test_histogram();
	test_stamps();
	test_map();
	test_sure();
	return 0;
}
