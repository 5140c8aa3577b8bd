/* SPDX-License-Identifier: Apache-2.0 */
/* rsa_many [--quick] FILE...: private operations side by side, under the keys of the files
 * (rsa_keys.h): with every number of jobs and each kind of kernel, the same as one at a time; what
 * spoils a job spoils no other. */
#include "masks.h"
#include "rsa_keys.h"
#include "test.h"

enum { MOST_JOBS = 2 * RSA_MANY + 1 };

static int quick;
static struct hr_rsa_key broken;

/* ---- jobs ---- */

static uint8_t bytes[MOST_JOBS][RSA_PRIVATE_BYTES], want[MOST_JOBS][RSA_PRIVATE_BYTES];
static struct rsa_job jobs[MOST_JOBS];

/* Any numbers below n, under key i % num_keys + first, and the results of one at a time. */
static void fill_jobs(size_t num, size_t first)
{
    for (size_t i = 0; i < num; i++) {
        const struct rsa_key *const key = inner(&keys[(first + i) % num_keys]);
        random_bytes(bytes[i], key->bytes);
        bytes[i][0] = 0;
        memcpy(want[i], bytes[i], key->bytes);
        jobs[i] = (struct rsa_job){ .bytes = bytes[i], .key = key, .error = 1 };
        if (rsa_private(want[i], key, 0))
            complain("one alone fails");
    }
}

static void check_jobs(size_t num, size_t spoilt, int error)
{
    for (size_t i = 0; i < num; i++) {
        const int expected = i == spoilt ? error : 0;
        if (expected)
            memset(want[i], 0, sizeof want[i]);
        CT_PUBLIC(bytes[i], sizeof bytes[i]);
        CT_PUBLIC(want[i], sizeof want[i]);
        if (jobs[i].error != expected)
            complain("job %zu of %zu: %d", i, num, jobs[i].error);
        else if (memcmp(bytes[i], want[i], jobs[i].key->bytes))
            complain("job %zu of %zu: wrong", i, num);
    }
}

static void check_fills(void)
{
    const size_t most = IS_MEMCHECK ? 2 : MOST_JOBS;
    for (size_t num = 0; num <= most; num += quick && num > 1 ? 3 : 1) {
        fill_jobs(num, num);
        rsa_private_many(jobs, num);
        check_jobs(num, num, 0);
    }
}

static void check_spoilt(size_t num, size_t at)
{
    fill_jobs(num, at);
    memset(bytes[at], 0xff, jobs[at].key->bytes);
    rsa_private_many(jobs, num);
    check_jobs(num, at, HR_ELENGTH);
}

/* A bit of a part of one key flips: 1 makes a prime even, which lanes refuse. */
static void check_faults(size_t num, size_t at)
{
    struct rsa_key *const k = (struct rsa_key *)&broken;
    uint64_t *const places[] = { k->p.p, k->p.p,      k->p.d,      k->q.d, k->q.p,
                                 k->q.p, k->p.r2 + 2, k->q.r2 + 1, k->qinv };
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        fill_jobs(num, at);
        memcpy(&broken, jobs[at].key, sizeof broken);
        places[i][0] ^= i % 5 ? 16 : 1;
        jobs[at].key = k;
        rsa_private_many(jobs, num);
        check_jobs(num, at, HR_EFAULT);
    }
}

static void check_jobs_of(const struct mont_lanes_kernel *kernel, int first)
{
    (void)kernel;
    (void)first;
    check_fills();
    for (size_t at = 0; at < RSA_MANY && !IS_MEMCHECK && !complaints_suffice(); at += quick ? 3 : 1)
        check_spoilt(RSA_MANY, at);
    for (size_t at = 0; at < 4 && !IS_MEMCHECK && !complaints_suffice(); at += quick ? 2 : 1)
        check_faults(4, at);
}

static void check_kernels(uint64_t features, const char *name)
{
    check_masked(features, name, 16, 2 * RSA_MANY, check_jobs_of);
}

/* Memcheck rounds doubles as it likes, so that results are wrong there. */
int main(int argc, char **argv)
{
    quick = argc > 1 && !strcmp(argv[1], "--quick");
    read_keys(argv + 1 + quick);
    tap(num_keys >= 3, "keys of %zu lengths", num_keys);
    if (!num_keys)
        return tap_done();
    if (!IS_MEMCHECK) {
        check_kernels(UINT64_MAX, "the best lanes");
        check_kernels(~IFMA, "without IFMA");
        check_kernels(~(IFMA | CPU(AVX512F)), "without AVX-512");
    }
    check_kernels(~(IFMA | CPU(AVX512F) | CPU(FMA)), "one after the other");
    return tap_done();
}
