/* SPDX-License-Identifier: Apache-2.0 */
/* Checks one kernel of HR_OP_ITERATE: PBKDF2's chain (RFC 8018 section 5.2) in any number of live
 * lanes is compared with the portable kernel in every word, and with hr_hmac. */
#include "digest.h"
#include "hash/hmac_iterate.h"
#include "hmac.h"
#include "kernels.h"

enum { KEY_LEN = 20, MOST_ITERATIONS = 5 };

struct subject {
    const struct hr_algorithm *row;
    const struct digest_impl *digest;
    const struct iterate_kernel *kernel;
    size_t num_words;         /* of a chaining value */
    struct hmac_lanes *lanes; /* at a guard page */
    struct hr_hmac_key keys[MAX_LANES];
    uint8_t u[MAX_LANES][HR_DIGEST_MAX_OUT]; /* the first digest of each lane */
};

static uint64_t get_word(const union lane_words *words, size_t at, size_t word_len)
{
    return word_len == 8 ? words->w64[at] : words->w32[at];
}

static void put_word(union lane_words *words, size_t at, uint64_t x, size_t word_len)
{
    if (word_len == 8)
        words->w64[at] = x;
    else
        words->w32[at] = (uint32_t)x;
}

/* load_word loads one word of a digest from `bytes`, in the digest's word length and byte order. */
static uint64_t load_word(const uint8_t *bytes, const struct digest_impl *digest)
{
    if (digest->word_len == 8)
        return load_be64(bytes);
    return digest->little_endian ? load_le32(bytes) : load_be32(bytes);
}

static void fill(const struct subject *s, struct hmac_lanes *l, size_t from, size_t lane,
                 size_t num_lanes)
{
    const struct hmac_key *key = (const struct hmac_key *)&s->keys[from];
    const size_t word_len = s->digest->word_len;
    for (size_t i = 0; i < s->num_words; i++) {
        const uint64_t u = load_word(s->u[from] + i * word_len, s->digest);
        const size_t at = i * num_lanes + lane;
        put_word(&l->inner, at, word_len == 8 ? key->inner.w64[i] : key->inner.w32[i], word_len);
        put_word(&l->outer, at, word_len == 8 ? key->outer.w64[i] : key->outer.w32[i], word_len);
        put_word(&l->u, at, u, word_len);
        put_word(&l->t, at, u, word_len);
    }
}

/* definition computes T of one lane (RFC 8018 section 5.2) with hr_hmac. */
static void definition(uint8_t *t, const struct subject *s, size_t lane, uint64_t iterations)
{
    uint8_t u[HR_DIGEST_MAX_OUT];
    memcpy(u, s->u[lane], sizeof u);
    memcpy(t, s->u[lane], sizeof u);
    for (; iterations; iterations--) {
        must(hr_hmac(u, u, s->row->out_len, &s->keys[lane]), "hmac");
        for (size_t i = 0; i < s->row->out_len; i++)
            t[i] ^= u[i];
    }
}

static void compare_lane(const struct subject *s, size_t lane, size_t live, uint64_t iterations)
{
    const size_t word_len = s->digest->word_len;
    struct hmac_lanes one = { .live = 1 };
    uint8_t want[HR_DIGEST_MAX_OUT];
    hmac_lanes_init(&one, s->digest, s->digest->kernels[s->digest->num_kernels - 1].blocks);
    fill(s, &one, lane, 0, 1);
    hmac_iterate_c(&one, iterations);
    definition(want, s, lane, iterations);
    for (size_t i = 0; i < s->num_words; i++) {
        const size_t at = i * s->kernel->lanes + lane;
        const uint64_t t = get_word(&one.t, i, word_len);
        if (get_word(&s->lanes->u, at, word_len) != get_word(&one.u, i, word_len) ||
            get_word(&s->lanes->t, at, word_len) != t)
            complain("%s %zu of %zu lanes, %u iterations: wrong word %zu", s->kernel->info.name,
                     lane, live, (unsigned)iterations, i);
        const uint64_t keep = word_len == 8 ? one.keep.w64[i] : one.keep.w32[i];
        if ((t & keep) != load_word(want + i * word_len, s->digest))
            complain("portable kernel, lane %zu, %u iterations: word %zu is not RFC 8018's", lane,
                     (unsigned)iterations, i);
    }
}

/* left_on_stack counts the places where the last call left eight bytes in a row of a lane's words
 * on the stack below this function. */
static __attribute__((noinline)) unsigned left_on_stack(const struct hmac_lanes *l)
{
    enum { DEPTH = 3072 };
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)7;
    const union lane_words *secrets[] = { &l->inner, &l->outer, &l->u, &l->t };
    unsigned found = 0;
    for (uintptr_t at = here - DEPTH; at < here - 512; at += 8) {
        const uint64_t word = *(const volatile uint64_t *)at;
        for (size_t k = 0; word && k < COUNT_OF(secrets); k++)
            for (size_t i = 0; i < COUNT_OF(secrets[k]->w64); i++)
                found += secrets[k]->w64[i] == word;
    }
    return found;
}

static void check(const struct subject *s, size_t live, uint64_t iterations)
{
    struct hmac_lanes *l = s->lanes, before;
    random_bytes(l, sizeof *l);
    hmac_lanes_init(l, s->digest, s->digest->kernels[s->digest->num_kernels - 1].blocks);
    l->live = live;
    for (size_t lane = 0; lane < live; lane++)
        fill(s, l, lane, lane, s->kernel->lanes);
    before = *l;
    const uintptr_t args[6] = { (uintptr_t)l, iterations, 0, 0, 0, 0 };
    const int changed = checked_call((void (*)(void))s->kernel->iterate, args);
    if (changed)
        complain("%zu lanes: %d registers not kept", live, changed);
    for (size_t lane = 0; lane < live; lane++)
        compare_lane(s, lane, live, iterations);
    const size_t used = s->num_words * s->kernel->lanes * s->digest->word_len;
    if (memcmp((uint8_t *)&l->u + used, (uint8_t *)&before.u + used, sizeof l->u - used) ||
        memcmp((uint8_t *)&l->t + used, (uint8_t *)&before.t + used, sizeof l->t - used))
        complain("%zu lanes: words behind the last lane's changed", live);
    before.u = l->u;
    before.t = l->t;
    if (memcmp(l, &before, sizeof before))
        complain("%zu lanes: more than u and t changed", live);
}

int check_iterate_kernel(const struct hr_algorithm *row, size_t index)
{
    static struct guarded memory;
    struct subject s = { .row = row,
                         .digest = digest_impl(row->digest),
                         .kernel = &iterate_op(row->alg)->kernels[index] };
    const int before = complaints_so_far();
    uint8_t bytes[KEY_LEN];
    if (!memory.start)
        memory = guarded_new(sizeof *s.lanes);
    s.lanes = (struct hmac_lanes *)(memory.end - sizeof *s.lanes);
    s.num_words = s.digest->state_len / s.digest->word_len;
    for (size_t lane = 0; lane < MAX_LANES; lane++) {
        random_bytes(bytes, sizeof bytes);
        must(hr_hmac_key_init(&s.keys[lane], row->alg, bytes, sizeof bytes), "key_init");
        random_bytes(s.u[lane], row->out_len);
    }
    for (size_t live = 1; live <= s.kernel->lanes; live++)
        for (uint64_t iterations = 0; iterations <= MOST_ITERATIONS; iterations++)
            check(&s, live, iterations);
    iterate_run(s.kernel, s.lanes, MOST_ITERATIONS);
    const unsigned left = stack_is_not_ours ? 0 : left_on_stack(s.lanes);
    if (left)
        complain("%u pieces of lanes are left on the stack", left);
    return complaints_so_far() - before;
}
