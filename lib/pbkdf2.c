/* SPDX-License-Identifier: Apache-2.0 */
/* PBKDF2, RFC 8018 section 5.2: T(i) = U1 ^ ... ^ Uc, where U1 = HMAC(P, S || INT(i)) and each next
 * U = HMAC(P, U).  No block T(i) depends on another one, so as many chains run side by side as a
 * kernel has lanes, for one or several passwords.  All chains have the same number of iterations,
 * so they end together. */
#include "class.h"
#include "digest.h"
#include "hash/hmac_iterate.h"
#include "hmac.h"

/* The next block to compute: block `index`, counted from 0, of jobs[0]. */
struct cursor {
    const struct hr_pbkdf2_job *jobs;
    size_t num_jobs;
    uint64_t index;
};

/* Where the T of a lane goes, and how many bytes of it. */
struct target {
    uint8_t *out;
    size_t len;
};

struct work {
    struct hmac_lanes lanes;
    struct hr_hmac_key key;    /* the key of the cursor's job */
    struct hr_hmac_ctx salted; /* has absorbed the salt S; INT(i) is still to come */
    struct target targets[MAX_LANES];
};

static uint64_t blocks_of(const struct hr_pbkdf2_job *job, size_t mac_len)
{
    return job->out_len / mac_len + (job->out_len % mac_len != 0);
}

/* The number of blocks still to compute, at most MAX_LANES. */
static size_t blocks_left(const struct cursor *at, size_t mac_len)
{
    uint64_t left = 0;
    for (size_t i = 0; i < at->num_jobs && left < MAX_LANES; i++)
        left += blocks_of(&at->jobs[i], mac_len) - (i ? 0 : at->index);
    return left < MAX_LANES ? (size_t)left : MAX_LANES;
}

static int start_job(struct work *w, const struct hr_pbkdf2_job *job, hr_alg alg)
{
    int error = hr_hmac_key_init(&w->key, alg, job->password, job->password_len);
    if (!error)
        error = hr_hmac_init(&w->salted, &w->key);
    if (!error)
        error = hr_hmac_update(&w->salted, job->salt, job->salt_len);
    return error;
}

/* Computes U1 of the cursor's block. */
static int first_digest(uint8_t u[HR_DIGEST_MAX_OUT], const struct work *w, uint64_t index)
{
    struct hr_hmac_ctx ctx = w->salted;
    uint8_t number[4];
    store_be32(number, (uint32_t)index + 1);
    int error = hr_hmac_update(&ctx, number, sizeof number);
    if (!error)
        error = hr_hmac_final(&ctx, u);
    WIPE(&ctx);
    return error;
}

static uint64_t load_word(const uint8_t *p, const struct digest_impl *digest)
{
    if (digest->word_len == 8)
        return load_be64(p);
    return digest->little_endian ? load_le32(p) : load_be32(p);
}

static void put_word(union lane_words *words, size_t at, uint64_t x, size_t word_len)
{
    if (word_len == 8)
        words->w64[at] = x;
    else
        words->w32[at] = (uint32_t)x;
}

static uint64_t state_word(const union digest_state *state, size_t i, size_t word_len)
{
    return word_len == 8 ? state->w64[i] : state->w32[i];
}

static void fill_lane(struct work *w, size_t lane, size_t num_lanes,
                      const uint8_t u[HR_DIGEST_MAX_OUT])
{
    const struct hmac_key *key = (const struct hmac_key *)&w->key;
    const size_t word_len = key->impl->word_len;
    for (size_t i = 0; i < key->impl->state_len / word_len; i++) {
        const size_t at = i * num_lanes + lane;
        const uint64_t x = load_word(u + i * word_len, key->impl);
        put_word(&w->lanes.inner, at, state_word(&key->inner, i, word_len), word_len);
        put_word(&w->lanes.outer, at, state_word(&key->outer, i, word_len), word_len);
        put_word(&w->lanes.u, at, x, word_len);
        put_word(&w->lanes.t, at, x, word_len);
    }
}

/* Moves the cursor's block, which has to exist, into a lane. */
static int next_block(struct work *w, struct cursor *at, hr_alg alg, size_t lane, size_t num_lanes)
{
    const size_t mac_len = w->lanes.digest->out_len;
    uint8_t u[HR_DIGEST_MAX_OUT] = { 0 };
    int error = 0;
    for (; at->index == blocks_of(at->jobs, mac_len); at->num_jobs--) {
        at->jobs++;
        at->index = 0;
    }
    const size_t done = at->index * mac_len, rest = at->jobs->out_len - done;
    w->targets[lane] = (struct target){ at->jobs->out + done, rest < mac_len ? rest : mac_len };
    if (at->index == 0)
        error = start_job(w, at->jobs, alg);
    if (!error)
        error = first_digest(u, w, at->index++);
    if (!error)
        fill_lane(w, lane, num_lanes, u);
    WIPE(&u);
    return error;
}

static void store_lane(const struct work *w, size_t lane, size_t num_lanes)
{
    const struct digest_impl *digest = w->lanes.digest;
    union digest_state t;
    uint8_t bytes[HR_DIGEST_MAX_OUT];
    for (size_t i = 0; i < digest->state_len / digest->word_len; i++)
        if (digest->word_len == 8)
            t.w64[i] = w->lanes.t.w64[i * num_lanes + lane];
        else
            t.w32[i] = w->lanes.t.w32[i * num_lanes + lane];
    store_state(bytes, &t, digest->out_len, digest->word_len, digest->little_endian);
    memcpy(w->targets[lane].out, bytes, w->targets[lane].len);
    WIPE(&t);
    WIPE(&bytes);
}

/* Computes all blocks.  `forced` NULL: uses the kernel that is best for the number of blocks left.
 */
static int run(struct work *w, struct cursor *at, hr_alg alg, uint64_t iterations,
               const struct iterate_kernel *forced)
{
    const struct iterate_op *op = iterate_op(alg);
    for (size_t left; (left = blocks_left(at, w->lanes.digest->out_len));) {
        const struct iterate_kernel *kernel = forced ? forced : iterate_choose(op, left);
        const size_t num = left < kernel->lanes ? left : kernel->lanes;
        int error = 0;
        for (size_t lane = 0; !error && lane < num; lane++)
            error = next_block(w, at, alg, lane, kernel->lanes);
        if (error)
            return error;
        w->lanes.live = num;
        iterate_run(kernel, &w->lanes, iterations - 1);
        for (size_t lane = 0; lane < num; lane++)
            store_lane(w, lane, kernel->lanes);
    }
    return 0;
}

static int check_job(const struct hr_pbkdf2_job *job, size_t mac_len)
{
    if ((!job->out && job->out_len) || (!job->password && job->password_len) ||
        (!job->salt && job->salt_len))
        return HR_EINVAL;
    if (job->out_len > UINT32_MAX * (uint64_t)mac_len || job->password_len > HMAC_MAX_IN ||
        job->salt_len > HMAC_MAX_IN)
        return HR_ELENGTH;
    if (touch(job->out, job->out_len, job->password, job->password_len) ||
        touch(job->out, job->out_len, job->salt, job->salt_len))
        return HR_EOVERLAP;
    return 0;
}

static int derive_many(const struct hr_pbkdf2_job *jobs, size_t num_jobs, hr_alg alg,
                       uint64_t iterations, const struct iterate_kernel *forced)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    struct cursor at = { jobs, num_jobs, 0 };
    struct work w;
    if (!row || row->cls != HR_CLASS_MAC)
        return HR_EALG;
    if ((!jobs && num_jobs) || !iterations)
        return HR_EINVAL;
    int error = 0;
    for (size_t i = 0; !error && i < num_jobs; i++)
        error = check_job(&jobs[i], row->out_len);
    if (error)
        return error;
    memset(&w, 0, sizeof w); /* initialises the unused lanes, which are computed too */
    const struct digest_impl *digest = digest_impl(row->digest);
    hmac_lanes_init(&w.lanes, digest, digest_kernel(digest)->blocks);
    error = run(&w, &at, alg, iterations, forced);
    WIPE(&w);
    return error;
}

int hr_pbkdf2_many(const struct hr_pbkdf2_job *jobs, size_t num_jobs, hr_alg alg,
                   uint64_t iterations)
{
    return derive_many(jobs, num_jobs, alg, iterations, NULL);
}

int hr_pbkdf2_many_kernel(const struct hr_pbkdf2_job *jobs, size_t num_jobs, hr_alg alg, size_t i,
                          uint64_t iterations)
{
    const struct iterate_op *op = iterate_op(alg);
    if (!op)
        return HR_EALG;
    if (i >= op->num_kernels || op->kernels[i].info.needs & ~hr_cpu_features())
        return HR_ECPU;
    return derive_many(jobs, num_jobs, alg, iterations, &op->kernels[i]);
}

int hr_pbkdf2(uint8_t *out, size_t out_len, hr_alg alg, const void *password, size_t password_len,
              const void *salt, size_t salt_len, uint64_t iterations)
{
    const struct hr_pbkdf2_job job = { out, out_len, password, password_len, salt, salt_len };
    return hr_pbkdf2_many(&job, 1, alg, iterations);
}

/* Key derivation (also HKDF) is built on HMAC: it has neither jobs nor kernels of its own. */
const struct class_calls kdf_class = { .run = NULL };
