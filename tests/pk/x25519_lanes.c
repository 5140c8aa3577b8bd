/* SPDX-License-Identifier: Apache-2.0 */
/* x25519_lanes [--quick]: X25519 side by side: each kernel, with any number of jobs, gives what one
 * agreement gives, for any points, those of small order and numbers above p, in every lane; a job
 * that is refused spoils no other. */
#include "cpu.h"
#include "curve25519/lanes25519.h"
#include "jobs.h"
#include "test.h"
#include <headrace/algorithms.h>
#include <headrace/queue.h>

enum { MOST = 16, LEN = 32 };

static struct hr_agree_key keys[MOST];
static uint8_t peers[MOST][LEN], secrets[MOST][LEN];
static struct hr_job jobs[MOST];

/* u of points of order 1, 2, 4 and 8 (RFC 7748 section 7 refuses what they give), then numbers from
 * p on, and 2^255 - 1; little-endian, the first bytes, the bytes between, and the last one. */
static const uint8_t order8[2][LEN] = {
    { 0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3,
      0xfa, 0xf1, 0x9f, 0xc4, 0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32,
      0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00 },
    { 0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1,
      0x55, 0x9c, 0x83, 0xef, 0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c,
      0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57 },
};
static const struct {
    uint8_t first, between, last;
} edges[] = {
    { 0, 0, 0 },          { 1, 0, 0 },          { 0xec, 0xff, 0x7f },
    { 0xed, 0xff, 0x7f }, { 0xee, 0xff, 0x7f }, { 0xef, 0xff, 0x7f },
    { 0xff, 0xff, 0x7f }, { 2, 0, 0 },          { 0, 0, 0x40 },
};
enum { NUM_EDGES = COUNT_OF(edges) + COUNT_OF(order8) };

static void make_edge(uint8_t u[LEN], size_t i)
{
    if (i >= COUNT_OF(edges)) {
        memcpy(u, order8[i - COUNT_OF(edges)], LEN);
        return;
    }
    memset(u, edges[i].between, LEN);
    u[0] = edges[i].first;
    u[LEN - 1] = edges[i].last;
}

static void make_jobs(size_t num)
{
    for (size_t i = 0; i < num; i++) {
        random_bytes(peers[i], LEN);
        jobs[i] = (struct hr_job){ .alg = HR_X25519,
                                   .op = HR_JOB_DERIVE,
                                   .key_form = HR_KEY_OBJECT,
                                   .key = &keys[i],
                                   .in = peers[i],
                                   .len = LEN,
                                   .tag = secrets[i] };
    }
}

static void check_jobs(size_t num)
{
    memset(secrets, 0, sizeof secrets);
    run_queued(jobs, num);
    for (size_t i = 0; i < num; i++) {
        uint8_t secret[LEN] = { 0 };
        size_t len = LEN;
        const int want = hr_agree(secret, &len, peers[i], jobs[i].len, jobs[i].key);
        if (jobs[i].result != want || memcmp(secret, secrets[i], LEN))
            complain("%zu of %zu: %s instead of %s", i, num, hr_strerror(jobs[i].result),
                     hr_strerror(want));
    }
}

static void check_kernel(const char *name, int quick)
{
    for (size_t i = 0; i < MOST; i++)
        if (hr_agree_key_generate(&keys[i], HR_X25519, NULL))
            complain("a key");
    for (size_t num = 1; num <= MOST; num++)
        for (int n = 0; n < (quick ? 1 : 20); n++) {
            make_jobs(num);
            check_jobs(num);
        }
    tap(1, "%s: any number of agreements", name);
    for (size_t edge = 0; edge < NUM_EDGES; edge++)
        for (size_t at = 0; at < LANES25519; at++) {
            make_jobs(LANES25519);
            make_edge(peers[at], edge);
            peers[at][LEN - 1] |= (uint8_t)(random_below(2) << 7); /* which is ignored */
            check_jobs(LANES25519);
        }
    tap(1, "%s: points at the edges", name);
    for (size_t at = 0; at < LANES25519; at++) {
        make_jobs(LANES25519);
        jobs[at].len = LEN - 1 + at % 2 * 2;
        check_jobs(LANES25519);
    }
    tap(1, "%s: a point of another length", name);
}

int main(int argc, char **argv)
{
    /* Which width is faster, is no instruction. */
    const uint64_t features = hr_cpu_features(), have = features | CPU(HALVES512);
    const int quick = argc > 1 && !strcmp(argv[1], "--quick");
    for (size_t i = 0; i < x25519_lanes_num_kernels; i++) {
        const struct x25519_lanes_kernel *const kernel = &x25519_lanes_kernels[i];
        uint64_t without = 0;
        for (size_t j = 0; j < i; j++)
            without |= x25519_lanes_kernels[j].info.needs & ~kernel->info.needs;
        if (kernel->info.needs & ~have) {
            tap_skip(cannot_run(kernel->info.needs), "%s", kernel->info.name);
            continue;
        }
        cpu_override(have & ~without);
        check_kernel(kernel->info.name, quick);
        cpu_override(features);
    }
    return tap_done();
}
