/* SPDX-License-Identifier: Apache-2.0 */
/* digest_many [--quick] compares hr_digest_many with hr_digest: any number of messages, of any
 * lengths and of one, each before a guard page. */
#include "../test.h"
#include <headrace/algorithms.h>
#include <headrace/queue.h>

/* NUM_EQUAL is more than the lanes of any kernel, twice. */
enum { PAGES = 72, MOST = 9000, NUM = 150, NUM_EQUAL = 2 * 64 + 5 };

static size_t step = 1; /* between the lengths of equal messages */
static struct guarded pages[PAGES];
static const void *in[NUM];
static size_t in_len[NUM];
static uint8_t out[NUM * HR_DIGEST_MAX_OUT];

static void must(int error, const char *what)
{
    if (error)
        complain("%s: %s", what, hr_strerror(error));
}

static void put(size_t i, size_t len)
{
    in_len[i] = len;
    in[i] = len || random_below(2) ? pages[i % PAGES].end - len : NULL;
}

static void compare(const struct hr_algorithm *row, size_t num)
{
    uint8_t want[HR_DIGEST_MAX_OUT];
    memset(out, 0, sizeof out);
    must(hr_digest_many(out, row->alg, in, in_len, num), "many");
    for (size_t i = 0; i < num; i++) {
        must(hr_digest(want, row->alg, in[i], in_len[i]), "direct");
        if (memcmp(want, out + i * row->out_len, row->out_len))
            complain("%s: message %zu of %zu, %zu bytes", row->name, i, num, in_len[i]);
    }
}

static void check_any(const struct hr_algorithm *row)
{
    static const uint32_t below[] = { 16, 130, 300, 1100, MOST };
    for (size_t num = 0; num <= NUM; num = num < 34 ? num + 1 : num + 29) {
        for (size_t i = 0; i < num; i++)
            put(i, random_below(below[random_below(COUNT_OF(below))]));
        compare(row, num);
    }
}

/* check_equal takes as many equally long messages as fill the lanes of each kernel, and some more;
 * all lengths of the last blocks come, and the messages at the end may be longer. */
static void check_equal(const struct hr_algorithm *row)
{
    for (size_t len = 0; len <= 3u * row->block_len; len += step) {
        const size_t num_equal = NUM_EQUAL - random_below(NUM_EQUAL);
        for (size_t i = 0; i < NUM_EQUAL; i++)
            put(i, i < num_equal ? len : len + 1);
        compare(row, NUM_EQUAL);
    }
}

static void check_errors(const struct hr_algorithm *row)
{
    in[0] = NULL;
    in_len[0] = 1;
    if (hr_digest_many(out, row->alg, in, in_len, 1) != HR_EINVAL ||
        hr_digest_many(NULL, row->alg, in, in_len, 1) != HR_EINVAL)
        complain("%s: NULL is digested", row->name);
    in[0] = out;
    in_len[0] = SIZE_MAX / 2;
    if (hr_digest_many(out, row->alg, in, in_len, 1) != HR_ELENGTH)
        complain("%s: a length that overflows", row->name);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--quick"))
        step = 13;
    const struct hr_algorithm *row;
    for (size_t i = 0; i < PAGES; i++) {
        pages[i] = guarded_new(MOST);
        random_bytes(pages[i].start, (size_t)(pages[i].end - pages[i].start));
    }
    for (size_t r = 0; (row = hr_algorithm_at(r)); r++)
        if (row->cls == HR_CLASS_DIGEST) {
            check_any(row);
            check_equal(row);
            check_errors(row);
        }
    if (hr_digest_many(out, HR_HMAC_SHA256, in, in_len, 0) != HR_EALG)
        complain("a MAC is no digest");
    tap(!complaints_so_far(), "hr_digest_many is hr_digest, many times");
    return tap_done();
}
