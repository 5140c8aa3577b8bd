/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel under a MAC with a nonce, against its definition: whole messages and streams; and of
 * Poly1305 the kernel's own calls on extreme values. */
#include "kernels.h"
#include "nmac.h"

enum { BLOCK = 16, OUT = HR_NMAC_MAX_OUT, MAX = 4096 + 256, EVERY = 1100, MAX_IV = 300 };

struct subject {
    const struct hr_algorithm *row;
    size_t index;
    const struct effort *effort;
    struct guarded in, out, keys, ivs;
    struct hr_nmac_key *key; /* ends at its guard page */
    uint8_t key_bytes[32], message[MAX], iv[MAX_IV];
    size_t iv_len;
};

static int is_poly1305(const struct subject *s)
{
    return s->row->alg == HR_POLY1305 || s->row->alg == HR_POLY1305_AES;
}

/* GMAC is GCM of AAD alone; Poly1305-AES adds what AES makes of the nonce. */
static void model(uint8_t out[OUT], const struct subject *s, const uint8_t *in, size_t len)
{
    uint8_t nonce[BLOCK];
    switch (s->row->alg) {
    case HR_POLY1305:
        model_poly1305(out, in, len, s->key_bytes, s->key_bytes + 16);
        return;
    case HR_POLY1305_AES:
        model_block(nonce, s->iv, hr_algorithm(HR_AES_128_ECB), HR_OP_ENCRYPT, s->key_bytes);
        model_poly1305(out, in, len, s->key_bytes + 16, nonce);
        return;
    case HR_KASUMI_F9:
        model_f9(out, in, len, s->key_bytes, s->iv);
        return;
    default:
        model_aead(
            NULL, out, s->row,
            &(struct model_message){ s->key_bytes, s->iv, in, NULL, s->iv_len, len, 0, OUT });
    }
}

static size_t mac_len; /* of the row that is tried */

static int direct(const struct subject *s, uint8_t *out, const uint8_t *in, size_t len)
{
    return direct_nmac(s->row->alg)(out, in, len, s->key, s->iv, s->iv_len);
}

static int generic(const struct subject *s, uint8_t *out, const uint8_t *in, size_t len)
{
    return hr_nmac(out, in, len, s->key, s->iv, s->iv_len);
}

static int one_update(const struct subject *s, uint8_t *out, const uint8_t *in, size_t len)
{
    struct hr_nmac_ctx *ctx = (void *)s->keys.start;
    int error = hr_nmac_init(ctx, s->key, s->iv, s->iv_len);
    if (!error)
        error = hr_nmac_update(ctx, in, len);
    if (!error)
        error = hr_nmac_final(ctx, out);
    if (!error && !is_zero(ctx, hr_nmac_size(s->row->alg)))
        complain("something is left in the context");
    return error;
}

static void check_length(const struct subject *s, size_t len)
{
    static int (*const calls[])(const struct subject *, uint8_t *, const uint8_t *,
                                size_t) = { direct, generic, one_update };
    uint8_t want[OUT], *const out = s->out.end - mac_len;
    model(want, s, s->message, len);
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        uint8_t *const in = (i + len) % 2 ? s->in.end - len : s->in.start;
        memcpy(in, s->message, len);
        memset(out, 0, mac_len);
        must(calls[i](s, out, in, len), "length");
        differs(out, want, mac_len, "length (and way)", len, i);
    }
}

static void check_lengths(const struct subject *s)
{
    for (size_t len = 0; len <= EVERY && len <= s->effort->max_len; len += s->effort->len_step)
        check_length(s, len);
    for (size_t len = 4000; len <= MAX - 64 && s->effort->len_step == 1; len++)
        check_length(s, len);
}

static void check_splits(const struct subject *s)
{
    for (size_t k = 0; k < s->effort->num_splits; k++) {
        const size_t len = random_below((uint32_t)s->effort->max_len);
        const uint32_t longest = 1 + random_below(k & 1 ? 40 : 900);
        uint8_t want[OUT], got[OUT];
        struct hr_nmac_ctx ctx;
        model(want, s, s->message, len);
        must(hr_nmac_init(&ctx, s->key, s->iv, s->iv_len), "init");
        for (size_t at = 0, n; at < len; at += n) {
            n = random_below(longest + 1);
            n = n < len - at ? n : len - at;
            memcpy(s->in.end - n, s->message + at, n);
            must(hr_nmac_update(&ctx, s->in.end - n, n), "update");
        }
        must(hr_nmac_final(&ctx, got), "final");
        differs(got, want, mac_len, "random split (round, length)", k, len);
    }
}

static void check_alignments(const struct subject *s)
{
    const size_t len = 9 * BLOCK + 5;
    uint8_t want[OUT];
    model(want, s, s->message, len);
    for (size_t in = 0; in < s->effort->num_alignments; in++)
        for (size_t out = 0; out < s->effort->num_alignments; out++) {
            memcpy(s->in.start + in, s->message, len);
            must(direct(s, s->out.start + out, s->in.start + in, len), "direct");
            differs(s->out.start + out, want, mac_len, "alignment (in, out)", in, out);
        }
}

static void check_short(const struct subject *s)
{
    uint8_t want[OUT], *const out = s->out.end - mac_len;
    for (size_t len = 0; len <= MAX_SHORT; len += s->effort->len_step) {
        model(want, s, s->message, len);
        for (size_t at = 0; at < NUM_SHORT_ALIGNMENTS; at += s->effort->short_step) {
            memcpy(s->in.end - len - at, s->message, len);
            must(direct(s, out - at, s->in.end - len - at, len), "direct");
            differs(out - at, want, mac_len, "short (length, before the page)", len, at);
        }
    }
}

/* `out` may lie anywhere inside `in`. */
static void check_out_inside_in(const struct subject *s)
{
    const size_t len = 5 * BLOCK + 1;
    uint8_t want[OUT];
    model(want, s, s->message, len);
    for (size_t at = 0; at + mac_len <= len; at++) {
        memcpy(s->in.start, s->message, len);
        must((at & 1 ? direct : generic)(s, s->in.start + at, s->in.start, len), "out in in");
        differs(s->in.start + at, want, mac_len, "out inside in", at, 0);
    }
}

static void check_nonces(struct subject *s)
{
    const int gmac = !is_poly1305(s) && s->row->alg != HR_KASUMI_F9;
    uint8_t want[OUT], got[OUT] = { 0 };
    for (size_t n = 0; n <= (gmac ? MAX_IV : 33); n++) {
        const int allowed = gmac ? n > 0 : n == s->row->iv_len;
        uint8_t *const iv = s->ivs.end - n;
        memcpy(iv, s->iv, n);
        const int error = direct_nmac(s->row->alg)(got, s->message, 100, s->key, iv, n);
        if (error != (allowed ? 0 : HR_EIVLEN) ||
            hr_nmac(got, s->message, 100, s->key, iv, n) != error)
            complain("a nonce of %zu bytes: error %d", n, error);
        if (error)
            continue;
        s->iv_len = n;
        model(want, s, s->message, 100);
        differs(got, want, mac_len, "nonce (length)", n, 0);
    }
    s->iv_len = s->row->iv_len;
}

/* Every truncation is accepted, and none with any bit changed. */
static void check_verify(const struct subject *s)
{
    const size_t len = 77;
    uint8_t mac[OUT + 1];
    model(mac, s, s->message, len);
    for (size_t n = 1; n <= mac_len; n++) {
        uint8_t *const at = s->in.end - n;
        memcpy(at, mac, n);
        must(hr_nmac_verify(at, n, s->message, len, s->key, s->iv, s->iv_len), "verify");
        for (size_t bit = 0; bit < 8 * n; bit++) {
            at[bit / 8] ^= (uint8_t)(1 << bit % 8);
            if (hr_nmac_verify(at, n, s->message, len, s->key, s->iv, s->iv_len) != HR_EMAC)
                complain("bit %zu of %zu bytes may be wrong", bit, n);
            at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    if (hr_nmac_verify(mac, mac_len + 1, s->message, len, s->key, s->iv, s->iv_len) != HR_ETAGLEN ||
        hr_nmac_verify(mac, 0, s->message, len, s->key, s->iv, s->iv_len) != HR_ETAGLEN)
        complain("a MAC of no possible length");
}

static void check_registers(const struct subject *s)
{
    uint8_t want[OUT], *const out = s->out.end - mac_len;
    for (size_t n = 0; n <= 600; n++) {
        const uintptr_t args[6] = { (uintptr_t)out,    (uintptr_t)s->message, n,
                                    (uintptr_t)s->key, (uintptr_t)s->iv,      s->iv_len };
        const int changed = checked_call((void (*)(void))direct_nmac(s->row->alg), args);
        if (changed)
            complain("%zu bytes: %d registers not kept", n, changed);
        model(want, s, s->message, n);
        differs(out, want, mac_len, "checked call", n, 0);
    }
}

/* A copy of a context goes on alone, also under a copy of its key. */
static void check_copy(const struct subject *s)
{
    const size_t len = 5 * BLOCK + 3;
    struct hr_nmac_key copied;
    struct hr_nmac_ctx ctx, copy;
    uint8_t want[OUT], got[OUT];
    memcpy(&copied, s->key, hr_nmac_key_size(s->row->alg));
    model(want, s, s->message, len);
    for (size_t split = 0; split <= len; split++) {
        must(hr_nmac_init(&ctx, s->key, s->iv, s->iv_len), "init");
        must(hr_nmac_update(&ctx, s->message, split), "update");
        memcpy(&copy, &ctx, hr_nmac_size(s->row->alg));
        must(hr_nmac_set_key(&copy, &copied), "set_key");
        for (int i = 0; i < 2; i++) {
            must(hr_nmac_update(i ? &ctx : &copy, s->message + split, len - split), "update");
            must(hr_nmac_final(i ? &ctx : &copy, got), "final");
            differs(got, want, mac_len, i ? "context (split)" : "copied context (split)", split, 0);
        }
        if (hr_nmac_final(&ctx, got) != HR_ESTATE || hr_nmac_update(&ctx, got, 1) != HR_ESTATE)
            complain("a context goes on after final");
    }
}

/* ---- Poly1305 at the edges of its field ---- */

/* h mod p, however the kernel left it. */
static void canonical(uint64_t h[3])
{
    static const uint8_t r[16];
    model_poly1305_blocks(h, NULL, 0, r);
}

static void check_blocks(const struct poly1305_kernel *kernel, const struct poly1305_key *key,
                         const uint8_t r[16], const uint64_t first[3], const uint8_t *in, size_t n,
                         const char *what)
{
    uint64_t want[3], got[3];
    memcpy(want, first, sizeof want);
    memcpy(got, first, sizeof got);
    model_poly1305_blocks(want, in, n * BLOCK, r);
    const uintptr_t args[6] = { (uintptr_t)got, (uintptr_t)in, n, (uintptr_t)key };
    const int changed = checked_call((void (*)(void))kernel->blocks, args);
    if (changed)
        complain("%zu blocks: %d registers not kept", n, changed);
    if (got[2] >> 3)
        complain("%s, %zu blocks: h is no number of 131 bits", what, n);
    canonical(got);
    if (memcmp(got, want, sizeof want))
        complain("%s, %zu blocks: wrong h", what, n);
}

/* The largest r and the smallest; messages and values that are all ones, p and its neighbours. */
static void check_extremes(const struct subject *s)
{
    static const uint8_t messages[] = { 0xff, 0x00, 0xfb, 0xfa, 0xfc, 0x80 };
    static const uint64_t values[][3] = {
        { 0, 0, 0 },
        { UINT64_MAX, UINT64_MAX, 7 },
        { UINT64_MAX, UINT64_MAX, 3 },
        { UINT64_MAX - 4, UINT64_MAX, 3 }, /* p */
        { UINT64_MAX - 5, UINT64_MAX, 3 },
        { UINT64_MAX - 9, UINT64_MAX, 7 }, /* 2 p */
        { 0, 0, 4 },
    };
    static const uint8_t rs[] = { 0xff, 0x00, 0x04 };
    const struct poly1305_kernel *const kernel = &poly1305_row(s->row->alg)->kernels[s->index];
    struct poly1305_key *const key = (void *)s->in.start;
    for (size_t k = 0; k < COUNT_OF(rs); k++) {
        uint8_t r[16];
        memset(r, rs[k], sizeof r);
        poly1305_setup(key, r, kernel);
        poly1305_make_powers(key);
        for (size_t m = 0; m < COUNT_OF(messages); m++)
            for (size_t n = 0; n <= 40; n += s->effort->short_step) {
                uint8_t *const in = s->out.end - n * BLOCK;
                memset(in, messages[m], n * BLOCK);
                if (messages[m] > 0xf0 && n) /* 2^128 - 1, - 4, - 5, - 6: the last */
                    memset(in + 1, 0xff, n * BLOCK - 1);
                for (size_t v = 0; v < COUNT_OF(values); v++)
                    check_blocks(kernel, key, r, values[v], in, n, "extreme values");
            }
    }
    for (size_t round = 0; round < s->effort->num_splits; round++) {
        const size_t n = random_below(MAX / BLOCK);
        uint8_t *const in = s->out.end - n * BLOCK;
        uint64_t h[3];
        uint8_t r[16];
        random_bytes(r, sizeof r);
        random_bytes(h, sizeof h);
        h[2] &= 7;
        memcpy(in, s->message, n * BLOCK);
        poly1305_setup(key, r, kernel);
        poly1305_make_powers(key);
        check_blocks(kernel, key, r, h, in, n, "random values");
    }
}

/* Sums that pass p or 2^128 in the last addition. */
static void check_last_addition(const struct subject *s)
{
    uint8_t bytes[32] = { 0 }, want[OUT], got[OUT], in[2 * BLOCK];
    struct hr_nmac_key key;
    for (unsigned r = 0; r < 6; r++)
        for (unsigned last = 0xf8; last <= 0xff; last++)
            for (size_t len = 0; len <= sizeof in; len++) {
                bytes[0] = (uint8_t)r;
                memset(bytes + 16, r & 1 ? 0xff : (int)last, 16);
                memset(in, 0xff, sizeof in);
                in[0] = (uint8_t)last;
                must(nmac_key_on_its_cpu(&key, HR_POLY1305, s->index, bytes, 32), "key");
                must(hr_poly1305(got, in, len, &key, NULL, 0), "poly1305");
                model_poly1305(want, in, len, bytes, bytes + 16);
                differs(got, want, mac_len, "last addition (length, byte)", len, last);
            }
}

/* ---- all of it ---- */

static void prepare(struct subject *s)
{
    static struct guarded in, out, keys, ivs;
    if (!in.start) {
        in = guarded_new(MAX);
        out = guarded_new(MAX);
        keys = guarded_new(sizeof *s->key + sizeof(struct hr_nmac_ctx));
        ivs = guarded_new(MAX_IV);
    }
    s->in = in, s->out = out, s->keys = keys, s->ivs = ivs;
    s->key = (void *)(keys.end - ((hr_nmac_key_size(s->row->alg) + 63) & ~(size_t)63));
    s->iv_len = s->row->iv_len;
    random_bytes(s->key_bytes, sizeof s->key_bytes);
    random_bytes(s->message, MAX);
    random_bytes(s->iv, MAX_IV);
    must(nmac_key_on_its_cpu(s->key, s->row->alg, s->index, s->key_bytes, s->row->key_len),
         "key_init_kernel");
}

int check_nmac_kernel(const struct hr_algorithm *row, size_t index, const struct effort *effort)
{
    static struct subject s;
    s = (struct subject){ .row = row, .index = index, .effort = effort };
    const int before = complaints_so_far();
    mac_len = row->out_len;
    prepare(&s);
    struct hr_nmac_key made;
    memcpy(&made, s.key, hr_nmac_key_size(row->alg));
    check_lengths(&s);
    check_splits(&s);
    check_alignments(&s);
    check_short(&s);
    check_out_inside_in(&s);
    check_nonces(&s);
    check_verify(&s);
    check_registers(&s);
    check_copy(&s);
    if (is_poly1305(&s))
        check_extremes(&s);
    if (row->alg == HR_POLY1305)
        check_last_addition(&s);
    if (memcmp(&made, s.key, hr_nmac_key_size(row->alg)))
        complain("the key has changed in use");
    hr_nmac_key_wipe(s.key);
    if (!is_zero(s.key, hr_nmac_key_size(row->alg)))
        complain("a wiped key is not zero");
    return complaints_so_far() - before;
}
