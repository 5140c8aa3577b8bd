/* SPDX-License-Identifier: Apache-2.0 */
/* Key derivation with any lengths, counts and overlaps that a caller may give.  Many passwords in
 * one call give the same results as each alone; outputs end where they should; a call for
 * many passwords that is refused writes nothing. */
#include "fuzz.h"

enum { MOST_JOBS = 20, ROOM = 300, MARK = 0xa5 };

/* Returns a length.  Sometimes it is one that no buffer has, with which a call must fail. */
static size_t take_len(struct input *in, size_t most)
{
    const uint8_t kind = take_byte(in);
    if (kind == 0xff)
        return SIZE_MAX - take_byte(in);
    return (kind | (size_t)take_byte(in) << 8) % (most + 1);
}

static void many(struct input *in, const struct hr_algorithm *row, const uint8_t *bytes)
{
    static uint8_t outs[MOST_JOBS][ROOM + 1], one[ROOM];
    struct hr_pbkdf2_job jobs[MOST_JOBS];
    const size_t num = take_byte(in) % (MOST_JOBS + 1);
    const uint64_t iterations = take_byte(in) % 5;
    int expected = iterations ? 0 : HR_EINVAL;
    memset(outs, MARK, sizeof outs);
    for (size_t i = 0; i < num; i++) {
        const struct hr_pbkdf2_job job = { outs[i], take_len(in, ROOM), bytes, take_len(in, ROOM),
                                           bytes,   take_len(in, ROOM) };
        jobs[i] = job;
        if (!expected && (job.out_len > ROOM || job.password_len > ROOM || job.salt_len > ROOM))
            expected = HR_ELENGTH;
    }
    CHECK(hr_pbkdf2_many(jobs, num, row->alg, iterations) == expected);
    for (size_t i = 0; i < num; i++) {
        const size_t len = expected ? 0 : jobs[i].out_len;
        for (size_t k = len; k <= ROOM; k++)
            CHECK(outs[i][k] == MARK);
        if (expected)
            continue;
        CHECK(!hr_pbkdf2(one, len, row->alg, bytes, jobs[i].password_len, bytes, jobs[i].salt_len,
                         iterations));
        CHECK(!memcmp(one, outs[i], len));
    }
}

static void overlapping(struct input *in, const struct hr_algorithm *row, uint8_t *bytes)
{
    const size_t out = take_byte(in), out_len = take_byte(in) % 40;
    const size_t salt = take_byte(in), salt_len = take_byte(in) % 40;
    const int touching = out_len && salt_len && out < salt + salt_len && salt < out + out_len;
    const int wanted = touching ? HR_EOVERLAP : 0;
    CHECK(hr_pbkdf2(bytes + out, out_len, row->alg, "p", 1, bytes + salt, salt_len, 1) == wanted);
    CHECK(hr_pbkdf2(bytes + out, out_len, row->alg, bytes + salt, salt_len, "s", 1, 1) == wanted);
    CHECK(hr_hkdf_expand(bytes + out, out_len, row->alg, "k", 1, bytes + salt, salt_len) == wanted);
}

static void hkdf(struct input *in, const struct hr_algorithm *row, const uint8_t *bytes)
{
    static uint8_t out[255 * HR_DIGEST_MAX_OUT + 1], prk[HR_DIGEST_MAX_OUT];
    static uint8_t again[sizeof out];
    const size_t len = take_len(in, sizeof out - 1), salt_len = take_len(in, ROOM);
    const size_t ikm_len = take_len(in, ROOM), info_len = take_len(in, ROOM);
    const int bad =
        len > 255 * (size_t)row->out_len || salt_len > ROOM || ikm_len > ROOM || info_len > ROOM;
    const int error = hr_hkdf(out, len, row->alg, bytes, salt_len, bytes, ikm_len, bytes, info_len);
    CHECK(error == (bad ? HR_ELENGTH : 0));
    if (bad)
        return;
    CHECK(!hr_hkdf_extract(prk, row->alg, bytes, salt_len, bytes, ikm_len));
    CHECK(!hr_hkdf_expand(again, len, row->alg, prk, row->out_len, bytes, info_len));
    CHECK(!memcmp(out, again, len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, size };
    uint8_t bytes[ROOM];
    const struct hr_algorithm *row = take_row(&in, HR_CLASS_MAC);
    take(&in, bytes, 32);
    memset(bytes + 32, 7, sizeof bytes - 32);
    hkdf(&in, row, bytes);
    many(&in, row, bytes);
    overlapping(&in, row, bytes);
    return 0;
}
