/* SPDX-License-Identifier: Apache-2.0 */
/* ed25519_lanes [--quick]: Ed25519 side by side: each kernel, with any number of jobs, writes and
 * accepts what one at a time does, for messages of any length, Ed25519ctx and Ed25519ph, points of
 * small order and numbers out of range in every lane; a job that is wrong spoils no other. */
#include "cpu.h"
#include "curve25519/ed25519_sign.h"
#include "curve25519/lanes25519.h"
#include "jobs.h"
#include "test.h"
#include <headrace/algorithms.h>
#include <headrace/queue.h>

enum { MOST = 16, SIG = 64, MESSAGE = 1100 };

static int quick;
static struct hr_sign_key keys[MOST];
static uint8_t messages[MOST][MESSAGE], alone[MOST][SIG], together[MOST][SIG];
static struct hr_job jobs[MOST];
static const struct hr_sign_options options[] = {
    { .flags = 0 },
    { .context = (const uint8_t *)"a name", .context_len = 6 },
    { .flags = HR_SIGN_PREHASH }, /* of 64 bytes */
};

static struct ed25519_key *part_of(struct hr_sign_key *key)
{
    return (struct ed25519_key *)((struct sign_key *)key)->part;
}

/* Messages of 0 to 97 bytes, 64 for Ed25519ph, and one that is too long to be hashed again. */
static size_t message_len(size_t i)
{
    return i % 3 == 2 ? 64 : i == 13 ? MESSAGE : i * 7 % 98;
}

static void make_jobs(size_t num, enum hr_job_op op, uint8_t (*sig)[SIG])
{
    for (size_t i = 0; i < num; i++)
        jobs[i] = (struct hr_job){ .alg = HR_ED25519,
                                   .op = (uint8_t)op,
                                   .key_form = HR_KEY_OBJECT,
                                   .key = &keys[i],
                                   .in = messages[i],
                                   .len = message_len(i),
                                   .tag = sig[i],
                                   .options = &options[i % COUNT_OF(options)] };
}

static void check_fill(size_t num)
{
    make_jobs(num, HR_JOB_SIGN, alone);
    for (size_t i = 0; i < num; i++)
        if (hr_job_run(&jobs[i]))
            complain("alone: %s", hr_strerror(jobs[i].result));
    make_jobs(num, HR_JOB_SIGN, together);
    memset(together, 0, sizeof together);
    if (hr_sign_many(jobs, num))
        complain("%zu together are not signed", num);
    for (size_t i = 0; i < num; i++)
        if (memcmp(alone[i], together[i], SIG))
            complain("%zu of %zu: another signature", i, num);
    make_jobs(num, HR_JOB_VERIFY, together);
    if (hr_verify_many(jobs, num))
        complain("%zu together are not verified", num);
}

/* ---- wrong signatures ---- */

/* S + L is S modulo L. */
static void add_order(uint8_t s[32])
{
    static const uint8_t order[32] = { 0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,       0xd6,
                                       0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, [31] = 0x10 };
    unsigned carry = 0;
    for (size_t i = 0; i < 32; i++) {
        carry += (unsigned)s[i] + order[i];
        s[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

static void spoil(uint8_t sig[SIG], int defect)
{
    switch (defect) {
    case 0:
        sig[random_below(SIG)] ^= (uint8_t)(1 << random_below(8));
        return;
    case 1:
        add_order(sig + 32);
        return;
    case 2:
        memset(sig, 0xff, 32);
        return;
    case 3:
        memset(sig + 32, 0xff, 32);
        return;
    default:
        memset(sig + 32, 0, 32);
    }
}

static void check_wrong(size_t num)
{
    for (size_t at = 0; at < num; at++)
        for (int defect = 0; defect < 5 && !complaints_suffice(); defect++) {
            memcpy(together, alone, sizeof alone);
            spoil(together[at], defect);
            make_jobs(num, HR_JOB_VERIFY, together);
            if (hr_verify_many(jobs, num) != HR_EMAC)
                complain("a wrong signature, %zu of %zu", at, num);
            for (size_t i = 0; i < num; i++)
                if (jobs[i].result != (i == at ? HR_EMAC : 0))
                    complain("%zu of %zu, wrong is %zu: %s", i, num, at,
                             hr_strerror(jobs[i].result));
        }
}

/* Parts of a key that do not fit, as a fault leaves them. */
static void check_faults(size_t num)
{
    for (size_t at = 0; at < num; at++)
        for (int fault = 0; fault < 4 && !complaints_suffice(); fault++) {
            struct ed25519_key *const part = part_of(&keys[at]), whole = *part;
            uint64_t *const parts[] = { part->s, part->minus_s, part->minus_a + 4, NULL };
            if (parts[fault])
                parts[fault][0] ^= 2;
            else
                part->public[3] ^= 1;
            make_jobs(num, HR_JOB_SIGN, together);
            memset(together, 0, sizeof together);
            if (hr_sign_many(jobs, num) != HR_EFAULT)
                complain("a fault is not told");
            for (size_t i = 0; i < num; i++)
                if (jobs[i].result != (i == at ? HR_EFAULT : 0))
                    complain("%zu of %zu, a fault in %zu: %s", i, num, at,
                             hr_strerror(jobs[i].result));
            if (!is_zero(together[at], SIG))
                complain("a wrong signature leaves");
            *part = whole;
        }
}

/* ---- points at the edges ---- */

/* y of points of order 1, 2, 4 and 8; with the sign of x beside it, and p + 1, which is none. */
static const struct {
    const uint8_t bytes[32];
} small[] = {
    { { 1 } },
    { { 0 } },
    { { 0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4,
        0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6,
        0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05 } },
    { { 0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b,
        0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
        0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a } },
    { { 0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f } },
    { { 0xee, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f } },
};
enum { NUM_SMALL = 2 * COUNT_OF(small) };

static void small_point(uint8_t out[32], size_t i)
{
    memcpy(out, small[i / 2].bytes, 32);
    out[31] |= (uint8_t)(i % 2 << 7);
}

/* With S = 0, R must be -[k] A; whether it is depends on the message. */
static void check_small(unsigned *accepted, const struct hr_sign_key *key, size_t r, size_t at)
{
    uint8_t sig[SIG] = { 0 };
    small_point(sig, r);
    memcpy(together, alone, sizeof alone);
    make_jobs(LANES25519, HR_JOB_VERIFY, together);
    jobs[at].key = key;
    jobs[at].tag = sig;
    jobs[at].options = NULL;
    const int want = hr_verify(sig, SIG, jobs[at].in, jobs[at].len, key, NULL);
    *accepted += !want;
    if (hr_verify_many(jobs, LANES25519) != want)
        complain("an edge, together");
    for (size_t i = 0; i < LANES25519; i++)
        if (jobs[i].result != (i == at ? want : 0))
            complain("an edge, %zu, in %zu: %s", i, at, hr_strerror(jobs[i].result));
}

static void check_edges(void)
{
    static struct hr_sign_key key;
    unsigned accepted = 0;
    for (size_t a = 0; a < NUM_SMALL && !complaints_suffice(); a++) {
        uint8_t bytes[32];
        small_point(bytes, a);
        if (hr_sign_key_init_public(&key, HR_ED25519, bytes, sizeof bytes))
            continue;
        for (size_t r = 0; r < NUM_SMALL; r++)
            for (size_t at = quick ? r % LANES25519 : 0; at < LANES25519;
                 at += quick ? LANES25519 : 1)
                check_small(&accepted, &key, r, at);
    }
    if (!accepted)
        complain("no signature with points of small order is right");
}

/* ---- kernels ---- */

static void check_kernel(const char *name)
{
    random_bytes(messages, sizeof messages);
    for (size_t i = 0; i < MOST; i++)
        if (hr_sign_key_generate(&keys[i], HR_ED25519, NULL))
            complain("a key");
    for (size_t num = 1; num <= MOST; num++)
        check_fill(num);
    check_wrong(quick ? 5 : MOST);
    check_faults(quick ? 5 : LANES25519);
    check_edges();
    tap(1, "%s", name);
}

int main(int argc, char **argv)
{
    /* Which width is faster, is no instruction. */
    const uint64_t features = hr_cpu_features(), have = features | CPU(HALVES512);
    quick = argc > 1 && !strcmp(argv[1], "--quick");
    for (size_t i = 0; i < ed25519_lanes_num_kernels; i++) {
        const struct ed25519_lanes_kernel *const kernel = &ed25519_lanes_kernels[i];
        uint64_t without = 0;
        for (size_t j = 0; j < i; j++)
            without |= ed25519_lanes_kernels[j].info.needs & ~kernel->info.needs;
        if (kernel->info.needs & ~have) {
            tap_skip(cannot_run(kernel->info.needs), "%s", kernel->info.name);
            continue;
        }
        cpu_override(have & ~without);
        check_kernel(kernel->info.name);
        cpu_override(features);
    }
    return tap_done();
}
