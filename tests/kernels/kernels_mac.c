/* SPDX-License-Identifier: Apache-2.0 */
/* Compares HMAC on one digest kernel with the definition of RFC 2104 section 2 over the portable
 * digest: direct, generic and streaming calls, keys, verification and state export. */
#include "hmac.h"
#include "kernels_calls.h"

enum { MAX = 4096 + HR_DIGEST_MAX_BLOCK, MAX_KEY = 300 };

struct subject {
    const struct hr_algorithm *row;
    size_t index, portable; /* kernel numbers */
    const struct effort *effort;
    uint8_t *message; /* MAX random bytes */
    struct guarded in, out;
    struct hr_hmac_key key; /* of `index`, made of the first KEY_LEN bytes of the message */
};

enum { KEY_LEN = 40 };

static void digest(uint8_t *out, const struct subject *s, const uint8_t *a, size_t a_len,
                   const uint8_t *b, size_t b_len)
{
    struct hr_digest_ctx ctx;
    must(hr_digest_init_kernel(&ctx, s->row->digest, s->portable), "digest");
    must(hr_digest_update(&ctx, a, a_len), "digest");
    must(hr_digest_update(&ctx, b, b_len), "digest");
    must(hr_digest_final(&ctx, out), "digest");
}

/* definition computes H(K ^ opad, H(K ^ ipad, text)).  K is the key, or the digest of a key longer
 * than a block, with zeros up to a block. */
static void definition(uint8_t *out, const struct subject *s, const uint8_t *key, size_t key_len,
                       const uint8_t *in, size_t len)
{
    const size_t block_len = s->row->block_len;
    uint8_t k[HR_DIGEST_MAX_BLOCK] = { 0 }, pad[HR_DIGEST_MAX_BLOCK], inner[HR_DIGEST_MAX_OUT];
    if (key_len > block_len)
        digest(k, s, key, key_len, NULL, 0);
    else
        memcpy(k, key, key_len);
    for (size_t i = 0; i < block_len; i++)
        pad[i] = k[i] ^ 0x36;
    digest(inner, s, pad, block_len, in, len);
    for (size_t i = 0; i < block_len; i++)
        pad[i] = k[i] ^ 0x5c;
    digest(out, s, pad, block_len, inner, s->row->out_len);
}

static void whole(uint8_t *out, const struct subject *s, const uint8_t *in, size_t len)
{
    definition(out, s, s->message, KEY_LEN, in, len);
}

static void one_update(uint8_t *out, const struct subject *s, const uint8_t *in, size_t len)
{
    struct hr_hmac_ctx ctx;
    must(hr_hmac_init(&ctx, &s->key), "init");
    must(hr_hmac_update(&ctx, in, len), "update");
    must(hr_hmac_final(&ctx, out), "final");
    if (!is_zero(&ctx, hr_hmac_size(s->row->alg)))
        complain("final leaves something in the context");
}

static void check_lengths(const struct subject *s)
{
    uint8_t want[HR_DIGEST_MAX_OUT], *out = s->out.end - s->row->out_len;
    for (size_t n = 0; n <= s->effort->max_len; n += s->effort->len_step) {
        whole(want, s, s->message, n);
        memcpy(s->in.start, s->message, n);
        must(direct_mac(s->row->alg)(out, s->in.start, n, &s->key), "direct");
        differs(out, want, s->row->out_len, "direct", n, 0);
        memcpy(s->in.end - n, s->message, n);
        must(direct_mac(s->row->alg)(out, s->in.end - n, n, &s->key), "direct");
        differs(out, want, s->row->out_len, "direct, at the end of a page", n, 0);
        must(hr_hmac(out, s->in.end - n, n, &s->key), "generic");
        differs(out, want, s->row->out_len, "generic", n, 0);
        one_update(out, s, s->in.end - n, n);
        differs(out, want, s->row->out_len, "streaming", n, 0);
    }
}

static void check_splits(const struct subject *s)
{
    for (size_t k = 0; k < s->effort->num_splits; k++) {
        const size_t len = random_below((uint32_t)s->effort->max_len);
        const uint32_t longest = 1 + random_below(k & 1 ? 40 : 900);
        uint8_t want[HR_DIGEST_MAX_OUT], got[HR_DIGEST_MAX_OUT];
        struct hr_hmac_ctx ctx;
        whole(want, s, s->message, len);
        must(hr_hmac_init(&ctx, &s->key), "init");
        for (size_t at = 0, n; at < len; at += n) {
            n = random_below(longest + 1);
            n = n < len - at ? n : len - at;
            memcpy(s->in.end - n, s->message + at, n);
            must(hr_hmac_update(&ctx, s->in.end - n, n), "update");
        }
        must(hr_hmac_final(&ctx, got), "final");
        differs(got, want, s->row->out_len, "random split (round, length)", k, len);
    }
}

/* check_registers checks that direct calls, which may use a kernel of HMAC's own, keep the caller's
 * registers. */
static void check_registers(const struct subject *s)
{
    uint8_t want[HR_DIGEST_MAX_OUT], *out = s->out.end - s->row->out_len;
    for (size_t n = 0; n <= 4 * (size_t)s->row->block_len; n++) {
        const uintptr_t args[6] = {
            (uintptr_t)out, (uintptr_t)s->message, n, (uintptr_t)&s->key, 0, 0
        };
        const int changed = checked_call((void (*)(void))direct_mac(s->row->alg), args);
        if (changed)
            complain("%zu bytes: %d registers not kept", n, changed);
        whole(want, s, s->message, n);
        differs(out, want, s->row->out_len, "checked call", n, 0);
    }
}

/* check_keys tries keys of every length up to beyond a block, with their end at a guard page. */
static void check_keys(const struct subject *s)
{
    const size_t len = 100;
    uint8_t want[HR_DIGEST_MAX_OUT], got[HR_DIGEST_MAX_OUT];
    struct hr_hmac_key key;
    for (size_t n = 0; n <= MAX_KEY; n++) {
        memcpy(s->in.end - n, s->message, n);
        must(hr_hmac_key_init_kernel(&key, s->row->alg, s->index, s->in.end - n, n), "key");
        must(hr_hmac(got, s->message, len, &key), "hr_hmac");
        definition(want, s, s->message, n, s->message, len);
        differs(got, want, s->row->out_len, "key (length)", n, 0);
        hr_hmac_key_wipe(&key);
        if (!is_zero(&key, hr_hmac_key_size(s->row->alg)))
            complain("a wiped key is not zero");
    }
}

/* check_verify checks that every truncated MAC is accepted, and none with a changed bit. */
static void check_verify(const struct subject *s)
{
    const size_t len = 77, out_len = s->row->out_len;
    uint8_t mac[HR_DIGEST_MAX_OUT];
    whole(mac, s, s->message, len);
    for (size_t n = 1; n <= out_len; n++) {
        uint8_t *at = s->in.end - n;
        memcpy(at, mac, n);
        must(hr_hmac_verify(at, n, s->message, len, &s->key), "verify");
        for (size_t bit = 0; bit < 8 * n; bit++) {
            at[bit / 8] ^= (uint8_t)(1 << bit % 8);
            if (hr_hmac_verify(at, n, s->message, len, &s->key) != HR_EMAC)
                complain("bit %zu of %zu bytes may be wrong", bit, n);
            at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    if (hr_hmac_verify(mac, out_len + 1, s->message, len, &s->key) != HR_ELENGTH ||
        hr_hmac_verify(mac, 0, s->message, len, &s->key) != HR_ELENGTH)
        complain("a MAC of no possible length");
}

/* check_export checks that an exported state is the same from every kernel, and continues on any
 * kernel. */
static void check_export(const struct subject *s, size_t other)
{
    const size_t len = 2 * s->row->block_len + 40;
    uint8_t want[HR_DIGEST_MAX_OUT], got[HR_DIGEST_MAX_OUT], state[2][HR_HMAC_MAX_EXPORT];
    size_t state_len[2];
    struct hr_hmac_ctx ctx[2];
    struct hr_hmac_key others;
    const struct hr_hmac_key *key[2] = { &s->key, &others };
    must(hr_hmac_key_init_kernel(&others, s->row->alg, other, s->message, KEY_LEN), "key");
    whole(want, s, s->message, len);
    for (size_t split = 0; split <= len; split++) {
        for (size_t i = 0; i < 2; i++) {
            must(hr_hmac_init(&ctx[i], key[i]), "init");
            must(hr_hmac_update(&ctx[i], s->message, split), "update");
            must(hr_hmac_export(&ctx[i], state[i], sizeof state[i], &state_len[i]), "export");
        }
        if (state_len[0] != state_len[1] || memcmp(state[0], state[1], state_len[0]))
            complain("kernels %zu and %zu export different states at %zu", s->index, other, split);
        must(hr_hmac_import(&ctx[1], &others, state[0], state_len[0]), "import");
        for (size_t i = 0; i < 2; i++) {
            must(hr_hmac_update(&ctx[i], s->message + split, len - split), "update");
            must(hr_hmac_final(&ctx[i], got), "final");
            differs(got, want, s->row->out_len,
                    i ? "import (split, kernel)" : "export (split, kernel)", split, other);
        }
    }
}

static void check_dead_context(const struct subject *s)
{
    struct hr_hmac_ctx ctx;
    uint8_t out[HR_DIGEST_MAX_OUT];
    one_update(out, s, s->message, 100);
    must(hr_hmac_init(&ctx, &s->key), "init");
    must(hr_hmac_final(&ctx, out), "final");
    if (hr_hmac_final(&ctx, out) != HR_ESTATE || hr_hmac_update(&ctx, out, 1) != HR_ESTATE)
        complain("a context goes on after final");
}

static int direct(const void *subject, uint8_t *out, const uint8_t *in, size_t len)
{
    const struct subject *const s = subject;
    return direct_mac(s->row->alg)(out, in, len, &s->key);
}

static int generic(const void *subject, uint8_t *out, const uint8_t *in, size_t len)
{
    return hr_hmac(out, in, len, &((const struct subject *)subject)->key);
}

static const uint8_t *want(const void *subject, size_t len)
{
    static uint8_t out[HR_DIGEST_MAX_OUT];
    const struct subject *const s = subject;
    whole(out, s, s->message, len);
    return out;
}

int check_mac_kernel(const struct hr_algorithm *row, size_t index, const struct effort *effort)
{
    static uint8_t message[MAX];
    static struct guarded in, out;
    if (!in.start) {
        in = guarded_new(MAX);
        out = guarded_new(MAX);
        random_bytes(message, sizeof message);
    }
    struct subject s = { row, index,    last_kernel(row, HR_OP_MAC), effort, message, in,
                         out, { { 0 } } };
    const int before = complaints_so_far();
    must(hr_hmac_key_init_kernel(&s.key, row->alg, index, message, KEY_LEN), "key");
    check_lengths(&s);
    check_splits(&s);
    const struct calls calls = {
        &s, direct, generic, want, row->out_len, effort, message, in, out
    };
    check_alignments(&calls, 2 * row->block_len + 9);
    check_short(&calls, 0, effort->len_step);
    check_registers(&s);
    check_out_inside_in(&calls, 3 * row->block_len + 1);
    check_keys(&s);
    check_verify(&s);
    struct hr_kernel other;
    for (size_t i = 0; hr_kernel_at(&other, row->alg, HR_OP_MAC, i) == 0; i++)
        if (!cannot_run(other.needs))
            check_export(&s, i);
    check_dead_context(&s);
    return complaints_so_far() - before;
}
