/* SPDX-License-Identifier: Apache-2.0 */
/* ec_lanes [--quick]: signatures and agreements of P-256 and P-384 side by side: each kernel, with
 * any number of jobs, writes and accepts what one at a time does; scalars and signatures at the
 * edges; a job that is wrong spoils no other. */
#include "ec/ec_lanes.h"
#include "cpu.h"
#include "ec/ecdsa.h"
#include "jobs.h"
#include "pk/sign.h"
#include "test.h"
#include <headrace/algorithms.h>
#include <headrace/queue.h>

enum { MOST = 16, MAX_SIG = 2 * EC_BYTES, NUM_EDGES = 4 };

static int quick;
static struct hr_sign_key keys[MOST];
static uint8_t digests[MOST][48], random_input[32];
static uint8_t alone[MOST][MAX_SIG], together[MOST][MAX_SIG];
static const struct hr_sign_options options[] = {
    { .flags = HR_SIGN_DETERMINISTIC },
    { .random = random_input },
};

static const struct ec_key *part_of(const struct hr_sign_key *key)
{
    return (const struct ec_key *)((const struct sign_key *)key)->part;
}

static void make_jobs(struct hr_job *jobs, size_t num, hr_alg alg, enum hr_job_op op,
                      uint8_t (*sig)[MAX_SIG])
{
    for (size_t i = 0; i < num; i++)
        jobs[i] = (struct hr_job){ .alg = (uint16_t)alg,
                                   .op = (uint8_t)op,
                                   .key_form = HR_KEY_OBJECT,
                                   .key = &keys[i],
                                   .in = digests[i],
                                   .len = sizeof digests[i] - i % 3 * 8,
                                   .tag = sig[i],
                                   .options = &options[i % COUNT_OF(options)] };
}

/* ---- keys and messages at the edges ---- */

/* The i-th scalar: 1, 2, n - 1, n - 2, then any. */
static void make_key(size_t i, hr_alg alg)
{
    const struct ec_domain *const domain = alg == HR_ECDSA_P256 ? &p256_domain : &p384_domain;
    uint64_t k[EC_LIMBS] = { 1 + i % 2 };
    uint8_t bytes[EC_BYTES];
    if (i % 4 > 1)
        bn_sub(k, domain->n, k, domain->num);
    bn_to_bytes(bytes, domain->bytes, k);
    const int error = i < NUM_EDGES ? hr_sign_key_init(&keys[i], alg, bytes, domain->bytes)
                                    : hr_sign_key_generate(&keys[i], alg, NULL);
    if (error)
        complain("a key: %s", hr_strerror(error));
}

static void make_input(hr_alg alg)
{
    random_bytes(digests, sizeof digests);
    random_bytes(random_input, sizeof random_input);
    memset(digests[1], 0, sizeof digests[1]);
    memset(digests[2], 0xff, sizeof digests[2]);
    for (size_t i = 0; i < MOST; i++)
        make_key(i, alg);
}

/* ---- any number of jobs ---- */

static void check_fill(hr_alg alg, size_t num)
{
    struct hr_job jobs[MOST];
    const size_t len = hr_algorithm(alg)->out_len;
    make_jobs(jobs, num, alg, HR_JOB_SIGN, alone);
    for (size_t i = 0; i < num; i++)
        if (hr_job_run(&jobs[i]))
            complain("alone: %s", hr_strerror(jobs[i].result));
    make_jobs(jobs, num, alg, HR_JOB_SIGN, together);
    if (hr_sign_many(jobs, num))
        complain("%zu together are not signed", num);
    for (size_t i = 0; i < num; i++)
        if (memcmp(alone[i], together[i], len))
            complain("%zu of %zu: another signature", i, num);
    make_jobs(jobs, num, alg, HR_JOB_VERIFY, together);
    if (hr_verify_many(jobs, num))
        complain("%zu together are not verified", num);
}

/* Each of num signatures is wrong in turn: a bit, or r or s out of range. */
static void check_wrong(hr_alg alg, size_t num)
{
    const size_t len = hr_algorithm(alg)->out_len;
    struct hr_job jobs[MOST];
    for (size_t at = 0; at < num; at++)
        for (int defect = 0; defect < 4 && !complaints_suffice(); defect++) {
            memcpy(together, alone, sizeof alone);
            uint8_t *const sig = together[at];
            if (!defect)
                sig[random_below((uint32_t)len)] ^= (uint8_t)(1 << random_below(8));
            else
                memset(sig + (defect & 1 ? 0 : len / 2), defect < 3 ? 0 : 0xff, len / 2);
            make_jobs(jobs, num, alg, HR_JOB_VERIFY, together);
            if (hr_verify_many(jobs, num) != HR_EMAC)
                complain("a wrong signature, %zu of %zu", at, num);
            for (size_t i = 0; i < num; i++)
                if (jobs[i].result != (i == at ? HR_EMAC : 0))
                    complain("%zu of %zu, wrong is %zu: %s", i, num, at,
                             hr_strerror(jobs[i].result));
        }
}

/* Keys that do not fit their points, as a fault leaves them: what is deterministic is verified. */
static void check_faults(hr_alg alg, size_t num)
{
    struct hr_job jobs[MOST];
    for (size_t at = 0; at < num && !complaints_suffice(); at++) {
        struct ec_key *const part = (struct ec_key *)((struct sign_key *)&keys[at])->part;
        part->point[0] ^= 2;
        make_jobs(jobs, num, alg, HR_JOB_SIGN, together);
        memset(together, 0, sizeof together);
        for (size_t i = 0; i < num; i++)
            jobs[i].options = &options[0];
        if (hr_sign_many(jobs, num) != HR_EFAULT)
            complain("a fault is not told");
        for (size_t i = 0; i < num; i++)
            if (jobs[i].result != (i == at ? HR_EFAULT : 0))
                complain("%zu of %zu, a fault in %zu: %s", i, num, at, hr_strerror(jobs[i].result));
        if (!is_zero(together[at], sizeof together[at]))
            complain("a wrong signature leaves");
        part->point[0] ^= 2;
    }
}

/* ---- sums of points at the edges ---- */

struct edge {
    uint64_t r[EC_LIMBS], s[EC_LIMBS], e[EC_LIMBS];
    int wanted;
};

static void order_mul(uint64_t *z, const uint64_t *x, const uint64_t *y, const struct ec *ec)
{
    ec_order_mul(z, x, y, ec);
    ec_order_mul(z, z, ec->domain->n_r2, ec);
}

/* The two products are one point, with e = r d and s = 2 r d / k, or opposite ones. */
static void make_double(struct edge *edge, int opposite, const struct ec_key *key)
{
    static const uint64_t zero[EC_LIMBS];
    const struct ec *const ec = &key->ec;
    const struct ec_domain *const domain = ec->domain;
    uint64_t k[EC_LIMBS] = { 12345, random_below(UINT32_MAX), 7 }, point[3 * EC_LIMBS];
    ec_multiply_base(point, k, ec);
    ec_affine_x(edge->r, point, ec);
    bn_reduce_once(edge->r, 0, edge->r, domain->n, domain->num);
    order_mul(edge->e, edge->r, key->scalar, ec);
    bn_mod_add(edge->s, edge->e, edge->e, domain->n, domain->num);
    ec_order_inverse(k, k, ec);
    order_mul(edge->s, edge->s, k, ec);
    if (opposite)
        bn_mod_sub(edge->e, zero, edge->e, domain->n, domain->num);
    edge->wanted = opposite ? HR_EMAC : 0;
}

/* The x of the sum is r + n: the public key is the first point from n on, and the sum. */
static void make_large_x(struct edge *edge, struct hr_sign_key *key, hr_alg alg)
{
    const struct ec_domain *const domain = part_of(key)->ec.domain;
    uint8_t public[1 + EC_BYTES] = { 2 };
    *edge = (struct edge){ .wanted = 0 };
    do {
        uint64_t x[EC_LIMBS];
        edge->r[0]++;
        bn_add(x, domain->n, edge->r, domain->num);
        bn_to_bytes(public + 1, domain->bytes, x);
    } while (hr_sign_key_init_public(key, alg, public, 1 + (size_t)domain->bytes));
    edge->s[0] = edge->r[0];
}

static void check_edge(hr_alg alg, const struct edge *edge, const struct hr_sign_key *key,
                       size_t at)
{
    const struct ec_domain *const domain = part_of(key)->ec.domain;
    const size_t bytes = domain->bytes;
    uint8_t digest[EC_BYTES], sig[MAX_SIG];
    struct hr_job jobs[MOST];
    bn_to_bytes(digest, bytes, edge->e);
    bn_to_bytes(sig, bytes, edge->r);
    bn_to_bytes(sig + bytes, bytes, edge->s);
    memcpy(together, alone, sizeof alone);
    make_jobs(jobs, EC_LANES, alg, HR_JOB_VERIFY, together);
    jobs[at].key = key;
    jobs[at].in = digest;
    jobs[at].len = bytes;
    jobs[at].tag = sig;
    if (hr_verify(sig, 2 * bytes, digest, bytes, key, NULL) != edge->wanted)
        complain("an edge, alone");
    if (hr_verify_many(jobs, EC_LANES) != edge->wanted)
        complain("an edge, together");
    for (size_t i = 0; i < EC_LANES; i++)
        if (jobs[i].result != (i == at ? edge->wanted : 0))
            complain("an edge, %zu, in %zu: %s", i, at, hr_strerror(jobs[i].result));
}

static void check_edges(hr_alg alg)
{
    static struct hr_sign_key other;
    struct edge edge;
    for (size_t at = 0; at < EC_LANES && !complaints_suffice(); at++) {
        for (int opposite = 0; opposite < 2; opposite++) {
            make_double(&edge, opposite, part_of(&keys[at]));
            check_edge(alg, &edge, &keys[at], at);
        }
        if (hr_sign_key_generate(&other, alg, NULL))
            complain("generate");
        make_large_x(&edge, &other, alg);
        check_edge(alg, &edge, &other, at);
        edge.s[0]++;
        edge.wanted = HR_EMAC;
        check_edge(alg, &edge, &other, at);
    }
}

/* ---- agreement ---- */

/* Agreements of all keys with the first one's point; with `wrong` below num, that point is none. */
static void check_agree(hr_alg alg, size_t num, size_t wrong)
{
    static struct hr_agree_key agree_keys[MOST];
    const hr_alg row = alg == HR_ECDSA_P256 ? HR_ECDH_P256 : HR_ECDH_P384;
    const size_t len = hr_algorithm(row)->out_len;
    uint8_t peers[MOST][1 + 2 * EC_BYTES], secrets[MOST][EC_BYTES], bytes[EC_BYTES];
    struct hr_job jobs[MOST];
    for (size_t i = 0; i < num; i++) {
        size_t peer_len = sizeof peers[i], key_len = sizeof bytes;
        if (hr_sign_key_public(peers[i], &peer_len, &keys[(i * 5 + num) % MOST]) ||
            hr_sign_key_private(bytes, &key_len, &keys[i]) ||
            hr_agree_key_init(&agree_keys[i], row, bytes, key_len))
            complain("a key of agreement");
        peers[i][peer_len - 1] ^= i == wrong;
        jobs[i] = (struct hr_job){ .alg = (uint16_t)row,
                                   .op = HR_JOB_DERIVE,
                                   .key_form = HR_KEY_OBJECT,
                                   .key = &agree_keys[i],
                                   .in = peers[i],
                                   .len = peer_len,
                                   .tag = secrets[i] };
    }
    memset(secrets, 0, sizeof secrets);
    run_queued(jobs, num);
    for (size_t i = 0; i < num; i++) {
        uint8_t secret[EC_BYTES] = { 0 };
        size_t secret_len = len;
        const int want = hr_agree(secret, &secret_len, peers[i], jobs[i].len, &agree_keys[i]);
        if (jobs[i].result != want || want != (i == wrong ? HR_EKEY : 0) ||
            memcmp(secret, secrets[i], len))
            complain("%zu of %zu agreements: %s", i, num, hr_strerror(jobs[i].result));
    }
}

static void check_agreements(hr_alg alg)
{
    for (size_t num = 1; num <= MOST; num += quick && num > 3 ? 4 : 1)
        check_agree(alg, num, num);
    for (size_t wrong = 0; wrong < EC_LANES; wrong++)
        check_agree(alg, EC_LANES, wrong);
}

static void check_row(hr_alg alg, const char *kernel)
{
    make_input(alg);
    for (size_t num = 1; num <= MOST; num += quick && num > 3 ? 4 : 1)
        check_fill(alg, num);
    check_fill(alg, MOST);
    check_wrong(alg, quick ? 5 : MOST);
    check_faults(alg, quick ? 5 : EC_LANES);
    check_edges(alg);
    check_agreements(alg);
    tap(1, "%s, %s", hr_algorithm(alg)->name, kernel);
}

static void check_rows(uint64_t features, const char *kernel)
{
    const uint64_t have = hr_cpu_features();
    cpu_override(features);
    check_row(HR_ECDSA_P256, kernel);
    check_row(HR_ECDSA_P384, kernel);
    cpu_override(have);
}

int main(int argc, char **argv)
{
    /* Which width is faster, is no instruction. */
    const uint64_t have = hr_cpu_features() | CPU(HALVES512);
    quick = argc > 1 && !strcmp(argv[1], "--quick");
    for (size_t i = 0; i < p256_lanes.num_kernels; i++) {
        const struct ec_lanes_kernel *const kernel = &p256_lanes.kernels[i];
        uint64_t without = 0;
        for (size_t j = 0; j < i; j++)
            without |= p256_lanes.kernels[j].info.needs & ~kernel->info.needs;
        if (kernel->info.needs & ~have)
            tap_skip(cannot_run(kernel->info.needs), "%s", kernel->info.name);
        else
            check_rows(have & ~without, kernel->info.name);
    }
    return tap_done();
}
