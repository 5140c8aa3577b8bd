/* SPDX-License-Identifier: Apache-2.0 */
/* Key derivation: arguments that the header forbids are refused. On every kernel, PBKDF2 of many
 * passwords and of one give what their definition over hr_hmac gives, for outputs of random
 * lengths; HKDF gives what RFC 5869 defines. */
#include "internal.h"
#include "test.h"
#include <headrace/algorithms.h>

enum { MOST_JOBS = 40, LONGEST = 300, ROUNDS = 12 };

static const hr_alg macs[] = {
#define HR_MAC(number, sym, SYM, ...) HR_##SYM,
#include <headrace/algorithms.def>
};

static void wants(int got, int want, const char *what)
{
    if (got != want)
        complain("%s: %d (%s) instead of %d (%s)", what, got, hr_strerror(got), want,
                 hr_strerror(want));
}

/* ---- refused arguments ---- */

static void check_pbkdf2_errors(const struct hr_algorithm *row)
{
    uint8_t out[64] = { 1 };
    const uint64_t most = UINT64_C(0xffffffff) * row->out_len;
    wants(hr_pbkdf2(out, 9, HR_SHA256, "p", 1, "s", 1, 1), HR_EALG, "a digest");
    wants(hr_pbkdf2(out, 9, HR_PBKDF2, "p", 1, "s", 1, 1), HR_EALG, "a key derivation");
    wants(hr_pbkdf2(out, 9, (hr_alg)0xffff, "p", 1, "s", 1, 1), HR_EALG, "no such row");
    wants(hr_pbkdf2(out, 9, row->alg, "p", 1, "s", 1, 0), HR_EINVAL, "no iterations");
    wants(hr_pbkdf2(NULL, 9, row->alg, "p", 1, "s", 1, 1), HR_EINVAL, "out NULL");
    wants(hr_pbkdf2(out, 9, row->alg, NULL, 1, "s", 1, 1), HR_EINVAL, "password NULL");
    wants(hr_pbkdf2(out, 9, row->alg, "p", 1, NULL, 1, 1), HR_EINVAL, "salt NULL");
    wants(hr_pbkdf2(out, 9, row->alg, "p", SIZE_MAX, "s", 1, 1), HR_ELENGTH, "password too long");
    wants(hr_pbkdf2(out, 9, row->alg, "p", 1, "s", SIZE_MAX / 4, 1), HR_ELENGTH, "salt too long");
    wants(hr_pbkdf2(out, most + 1, row->alg, "p", 1, "s", 1, 1), HR_ELENGTH, "2^32 blocks");
    wants(hr_pbkdf2(out, SIZE_MAX, row->alg, "p", 1, "s", 1, 1), HR_ELENGTH, "too many blocks");
    wants(hr_pbkdf2(out, 9, row->alg, out + 8, 1, "s", 1, 1), HR_EOVERLAP, "password in out");
    wants(hr_pbkdf2(out + 1, 9, row->alg, "p", 1, out, 2, 1), HR_EOVERLAP, "salt reaches out");
    wants(hr_pbkdf2(out + 1, 9, row->alg, out, 1, out + 10, 9, 1), 0, "neighbours");
    wants(hr_pbkdf2(out, 9, row->alg, NULL, 0, NULL, 0, 1), 0, "nothing at NULL");
    wants(hr_pbkdf2(NULL, 0, row->alg, "p", 1, "s", 1, 1), 0, "no output");
    tap(!complaints_so_far(), "PBKDF2 with %s refuses what the header forbids", row->name);
}

static void check_many_errors(const struct hr_algorithm *row)
{
    uint8_t out[2][9];
    struct hr_pbkdf2_job jobs[] = { { out[0], 9, "p", 1, "s", 1 }, { out[1], 9, "p", 1, "s", 1 } };
    wants(hr_pbkdf2_many(jobs, 2, HR_SHA256, 1), HR_EALG, "a digest");
    wants(hr_pbkdf2_many(NULL, 1, row->alg, 1), HR_EINVAL, "jobs NULL");
    wants(hr_pbkdf2_many(NULL, 0, row->alg, 1), 0, "no jobs");
    wants(hr_pbkdf2_many(jobs, 2, row->alg, 0), HR_EINVAL, "no iterations");
    wants(hr_pbkdf2_many_kernel(jobs, 2, HR_SHA256, 0, 1), HR_EALG, "a kernel of a digest");
    wants(hr_pbkdf2_many_kernel(jobs, 2, row->alg, SIZE_MAX, 1), HR_ECPU, "a kernel past the end");
    jobs[1].salt = NULL;
    memset(out, 0, sizeof out);
    wants(hr_pbkdf2_many(jobs, 2, row->alg, 1), HR_EINVAL, "the second job's salt NULL");
    if (!is_zero(out, sizeof out))
        complain("a refused call writes");
    jobs[1].salt_len = 0;
    wants(hr_pbkdf2_many(jobs, 2, row->alg, 1), 0, "no salt");
    tap(!complaints_so_far(), "many PBKDF2 with %s refuse what the header forbids", row->name);
}

static void check_hkdf_errors(const struct hr_algorithm *row)
{
    static uint8_t out[255 * HR_DIGEST_MAX_OUT + 1];
    const size_t most = 255 * (size_t)row->out_len;
    wants(hr_hkdf_extract(out, HR_SHA256, "s", 1, "i", 1), HR_EALG, "extract with a digest");
    wants(hr_hkdf_extract(NULL, row->alg, "s", 1, "i", 1), HR_EINVAL, "prk NULL");
    wants(hr_hkdf_extract(out, row->alg, NULL, 1, "i", 1), HR_EINVAL, "salt NULL");
    wants(hr_hkdf_extract(out, row->alg, "s", 1, NULL, 1), HR_EINVAL, "input NULL");
    wants(hr_hkdf_extract(out, row->alg, "s", SIZE_MAX, "i", 1), HR_ELENGTH, "salt too long");
    wants(hr_hkdf_extract(out, row->alg, "s", 1, "i", SIZE_MAX), HR_ELENGTH, "input too long");
    wants(hr_hkdf_extract(out, row->alg, NULL, 0, NULL, 0), 0, "nothing at NULL");
    wants(hr_hkdf_expand(out, 9, HR_HKDF, "k", 1, "i", 1), HR_EALG, "expand with HKDF");
    wants(hr_hkdf_expand(NULL, 9, row->alg, "k", 1, "i", 1), HR_EINVAL, "out NULL");
    wants(hr_hkdf_expand(out, 9, row->alg, NULL, 1, "i", 1), HR_EINVAL, "prk NULL");
    wants(hr_hkdf_expand(out, 9, row->alg, "k", 1, NULL, 1), HR_EINVAL, "info NULL");
    wants(hr_hkdf_expand(out, 9, row->alg, "k", 1, "i", SIZE_MAX / 4), HR_ELENGTH, "info too long");
    wants(hr_hkdf_expand(out, 9, row->alg, "k", 1, out, 1), HR_EOVERLAP, "info in out");
    wants(hr_hkdf_expand(out, most + 1, row->alg, "k", 1, "i", 1), HR_ELENGTH, "256 blocks");
    wants(hr_hkdf_expand(out, most, row->alg, "k", 1, "i", 1), 0, "255 blocks");
    wants(hr_hkdf_expand(NULL, 0, row->alg, "k", 1, "i", 1), 0, "no output");
    wants(hr_hkdf(out, 9, HR_HKDF, "s", 1, "i", 1, "", 0), HR_EALG, "HKDF with itself");
    wants(hr_hkdf(out, most + 1, row->alg, "s", 1, "i", 1, "", 0), HR_ELENGTH, "256 blocks");
    tap(!complaints_so_far(), "HKDF with %s refuses what the header forbids", row->name);
}

/* ---- results ---- */

static void must(int error)
{
    if (error)
        complain("%s", hr_strerror(error));
}

/* definition computes RFC 8018 section 5.2 step by step. */
static void definition(uint8_t *out, const struct hr_pbkdf2_job *job,
                       const struct hr_algorithm *row, uint64_t iterations)
{
    struct hr_hmac_key key;
    uint8_t message[LONGEST + 4], u[HR_DIGEST_MAX_OUT], t[HR_DIGEST_MAX_OUT];
    must(hr_hmac_key_init(&key, row->alg, job->password, job->password_len));
    for (size_t done = 0, block = 1; done < job->out_len; done += row->out_len, block++) {
        memcpy(message, job->salt, job->salt_len);
        store_be32(message + job->salt_len, (uint32_t)block);
        must(hr_hmac(u, message, job->salt_len + 4, &key));
        memcpy(t, u, sizeof t);
        for (uint64_t c = 1; c < iterations; c++) {
            must(hr_hmac(u, u, row->out_len, &key));
            for (size_t i = 0; i < row->out_len; i++)
                t[i] ^= u[i];
        }
        const size_t left = job->out_len - done;
        memcpy(out + done, t, left < row->out_len ? left : row->out_len);
    }
}

/* check_round compares PBKDF2 of random jobs with its definition, on the kernel with this number;
 * SIZE_MAX means the kernel that is chosen. */
static void check_round(const struct hr_algorithm *row, size_t kernel)
{
    static uint8_t bytes[2 * LONGEST], outs[MOST_JOBS][LONGEST + 1];
    struct hr_pbkdf2_job jobs[MOST_JOBS];
    uint8_t want[LONGEST], one[LONGEST];
    const size_t num = random_below(MOST_JOBS + 1);
    const uint64_t iterations = 1 + random_below(4);
    random_bytes(bytes, sizeof bytes);
    memset(outs, 0x5a, sizeof outs);
    for (size_t i = 0; i < num; i++)
        jobs[i] = (struct hr_pbkdf2_job){ outs[i],
                                          random_below(random_below(3) ? 80 : LONGEST + 1),
                                          bytes + random_below(9),
                                          random_below(random_below(3) ? 40 : LONGEST),
                                          bytes + LONGEST,
                                          random_below(random_below(3) ? 20 : LONGEST) };
    must(kernel == SIZE_MAX ? hr_pbkdf2_many(jobs, num, row->alg, iterations)
                            : hr_pbkdf2_many_kernel(jobs, num, row->alg, kernel, iterations));
    for (size_t i = 0; i < num; i++) {
        definition(want, &jobs[i], row, iterations);
        must(hr_pbkdf2(one, jobs[i].out_len, row->alg, jobs[i].password, jobs[i].password_len,
                       jobs[i].salt, jobs[i].salt_len, iterations));
        if (memcmp(outs[i], want, jobs[i].out_len))
            complain("job %zu of %zu, %zu bytes: not what RFC 8018 says", i, num, jobs[i].out_len);
        if (memcmp(one, want, jobs[i].out_len))
            complain("job %zu alone, %zu bytes: not what RFC 8018 says", i, jobs[i].out_len);
        if (outs[i][jobs[i].out_len] != 0x5a)
            complain("job %zu of %zu writes behind its %zu bytes", i, num, jobs[i].out_len);
    }
}

static void check_agreement(const struct hr_algorithm *row)
{
    struct hr_kernel kernel;
    const uint64_t before = hr_cpu_features();
    for (size_t i = 0; hr_kernel_at(&kernel, row->alg, HR_OP_ITERATE, i) == 0; i++) {
        if (cannot_run(kernel.needs)) {
            tap_skip(cannot_run(kernel.needs), "PBKDF2 with %s on %s", row->name, kernel.name);
            continue;
        }
        cpu_override(kernel.needs);
        for (size_t round = 0; round < ROUNDS; round++)
            check_round(row, round % 2 ? i : SIZE_MAX);
        cpu_override(before);
        tap(!complaints_so_far(), "PBKDF2 with %s on %s: many, one and the definition agree",
            row->name, kernel.name);
    }
    for (size_t round = 0; round < ROUNDS; round++)
        check_round(row, SIZE_MAX);
    tap(!complaints_so_far(), "PBKDF2 with %s on this CPU: the same", row->name);
}

/* check_hkdf compares hr_hkdf_expand with RFC 5869 section 2.3 step by step, and hr_hkdf with its
 * two steps. */
static void check_hkdf(const struct hr_algorithm *row)
{
    uint8_t prk[HR_DIGEST_MAX_OUT], out[LONGEST], whole[LONGEST], want[LONGEST + HR_DIGEST_MAX_OUT];
    uint8_t message[HR_DIGEST_MAX_OUT + LONGEST + 1], bytes[LONGEST];
    struct hr_hmac_key key;
    const size_t h = row->out_len;
    for (size_t len = 0; len <= LONGEST; len++) {
        const size_t info_len = random_below(LONGEST), salt_len = random_below(200);
        random_bytes(bytes, sizeof bytes);
        must(hr_hkdf_extract(prk, row->alg, bytes, salt_len, bytes, len));
        must(hr_hkdf_expand(out, len, row->alg, prk, h, bytes, info_len));
        must(hr_hkdf(whole, len, row->alg, bytes, salt_len, bytes, len, bytes, info_len));
        must(hr_hmac_key_init(&key, row->alg, prk, h));
        for (size_t done = 0, i = 1; done < len; done += h, i++) {
            const size_t before = i > 1 ? h : 0;
            memcpy(message, want + done - before, before);
            memcpy(message + before, bytes, info_len);
            message[before + info_len] = (uint8_t)i;
            must(hr_hmac(want + done, message, before + info_len + 1, &key));
        }
        if (memcmp(out, want, len) || memcmp(whole, want, len))
            complain("%zu bytes: not what RFC 5869 says", len);
    }
    tap(!complaints_so_far(), "HKDF with %s is its definition", row->name);
}

int main(void)
{
    for (size_t i = 0; i < COUNT_OF(macs); i++) {
        const struct hr_algorithm *row = hr_algorithm(macs[i]);
        check_pbkdf2_errors(row);
        check_many_errors(row);
        check_hkdf_errors(row);
        check_agreement(row);
        check_hkdf(row);
    }
    return tap_done();
}
