/* SPDX-License-Identifier: Apache-2.0 */
/* Compares one kernel of a MAC with a nonce with its definition: whole messages and streams; and
 * for Poly1305 the kernel's own calls on extreme values. */
#include "kernels_calls.h"
#include "nmac.h"
#include <fenv.h>
#include <headrace/algorithms.h>

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

/* model computes the row's MAC by its definition. GMAC is GCM with AAD only; Poly1305-AES adds the
 * nonce encrypted with AES. */
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

static size_t mac_len; /* of the row under test */

static int direct(const void *subject, uint8_t *out, const uint8_t *in, size_t len)
{
    const struct subject *const s = subject;
    return direct_nmac(s->row->alg)(out, in, len, s->key, s->iv, s->iv_len);
}

static int generic(const void *subject, uint8_t *out, const uint8_t *in, size_t len)
{
    const struct subject *const s = subject;
    return hr_nmac(out, in, len, s->key, s->iv, s->iv_len);
}

static int one_update(const void *subject, uint8_t *out, const uint8_t *in, size_t len)
{
    const struct subject *const s = subject;
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
    static call_fn *const calls[] = { direct, generic, one_update };
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

/* check_verify checks that every truncated MAC is accepted, and none with a changed bit. */
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

/* check_copy checks that a copy of a context continues independently, also with a copy of its
 * key. */
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

/* canonical replaces h, which a kernel may leave unreduced, by h mod p. */
static void canonical(uint64_t h[3])
{
    static const uint8_t r[16];
    model_poly1305_blocks(h, NULL, 0, r);
}

/* check_hash calls a kernel's function, whose last argument is a key or its r. */
static void check_hash(void (*fn)(void), const void *key, const uint8_t r[16],
                       const uint64_t first[3], const uint8_t *in, size_t n, const char *what)
{
    uint64_t want[3], got[3];
    memcpy(want, first, sizeof want);
    memcpy(got, first, sizeof got);
    model_poly1305_blocks(want, in, n * BLOCK, r);
    const uintptr_t args[6] = { (uintptr_t)got, (uintptr_t)in, n, (uintptr_t)key };
    const int changed = checked_call(fn, args);
    if (changed)
        complain("%zu blocks: %d registers not kept", n, changed);
    if (got[2] >> 3)
        complain("%s, %zu blocks: h is no number of 131 bits", what, n);
    canonical(got);
    if (memcmp(got, want, sizeof want))
        complain("%s, %zu blocks: wrong h", what, n);
}

static void check_blocks(const struct poly1305_kernel *kernel, const struct poly1305_key *key,
                         const uint8_t r[16], const uint64_t first[3], const uint8_t *in, size_t n,
                         const char *what)
{
    check_hash((void (*)(void))kernel->blocks, key, r, first, in, n, what);
    if (kernel->once && n >= POLY1305_LEAST_ONCE)
        check_hash((void (*)(void))kernel->once, key->r, r, first, in, n, what);
}

/* near_limits are blocks that, with 2^128 added, lie near multiples of 2^130 - 5 or at the limits
 * of the kernels' limbs. */
static const uint8_t near_limits[][BLOCK] = {
    { 0 },
    { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff },
    { 0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff },
    { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff },
    { 1 },
    { 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
    { 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0 },
};

/* some_r makes an r of 1, 2, 4 or 8, with which blocks add up, of all ones, of zero, or a random
 * one. */
static void some_r(uint8_t r[BLOCK])
{
    const uint32_t kind = random_below(6);
    random_bytes(r, BLOCK);
    if (kind < 3)
        memset(r, kind == 1 ? 0xff : 0, BLOCK);
    if (kind == 0)
        r[0] = (uint8_t)(1 << random_below(4));
}

/* check_extremes tries the largest and the smallest r, with messages and values that are all ones
 * or near p. */
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
                if (messages[m] > 0xf0 && n) /* all ones but the first byte */
                    memset(in + 1, 0xff, n * BLOCK - 1);
                for (size_t v = 0; v < COUNT_OF(values); v++)
                    check_blocks(kernel, key, r, values[v], in, n, "extreme values");
            }
    }
    for (size_t round = 0; round < 4 * s->effort->num_splits; round++) {
        const size_t n = random_below(MAX / BLOCK);
        uint8_t *const in = s->out.end - n * BLOCK;
        uint64_t h[3];
        uint8_t r[16];
        some_r(r);
        random_bytes(h, sizeof h);
        h[2] &= 7;
        memcpy(in, s->message, n * BLOCK);
        for (size_t at = 0; round % 2 && at < n * BLOCK; at += BLOCK)
            memcpy(in + at, near_limits[random_below(COUNT_OF(near_limits))], BLOCK);
        poly1305_setup(key, r, kernel);
        poly1305_make_powers(key);
        check_blocks(kernel, key, r, h, in, n, "random values");
    }
}

/* check_last_addition tries sums that pass p or 2^128 in the last addition. */
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

/* ---- rounding modes ---- */

/* key_and_macs sets up the key and computes a MAC in each way, in a rounding mode.  It returns
 * whether the mode is still set and no floating-point exception was left. */
static int key_and_macs(struct subject *s, int mode, uint8_t got[3][OUT], size_t len)
{
    static call_fn *const calls[] = { direct, generic, one_update };
    fesetround(mode);
    feclearexcept(FE_ALL_EXCEPT);
    must(nmac_key_on_its_cpu(s->key, s->row->alg, s->index, s->key_bytes, s->row->key_len),
         "key_init_kernel");
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        must(calls[i](s, got[i], s->message, len), "rounding");
    const int kept = fegetround() == mode && !fetestexcept(FE_ALL_EXCEPT);
    fesetround(FE_TONEAREST);
    return kept;
}

/* check_rounding checks that MACs are right in every rounding mode of the program. */
static void check_rounding(struct subject *s)
{
    static const int modes[] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };
    uint8_t want[OUT], got[3][OUT] = { 0 };
    for (size_t round = 0; round < 40; round++)
        for (size_t m = 0; m < COUNT_OF(modes); m++) {
            const size_t len = random_below(512);
            random_bytes(s->key_bytes, s->row->key_len);
            model(want, s, s->message, len);
            if (!key_and_macs(s, modes[m], got, len))
                complain("rounding mode %zu: mode or exceptions have changed", m);
            for (size_t i = 0; i < COUNT_OF(got); i++)
                differs(got[i], want, mac_len, "rounding (mode, way)", m, i);
        }
}

/* ---- all checks ---- */

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

static const uint8_t *want(const void *subject, size_t len)
{
    static uint8_t out[OUT];
    const struct subject *const s = subject;
    model(out, s, s->message, len);
    return out;
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
    const struct calls calls = { &s,     direct,    generic, want, row->out_len,
                                 effort, s.message, s.in,    s.out };
    check_alignments(&calls, 9 * BLOCK + 5);
    check_short(&calls, 0, effort->len_step);
    check_out_inside_in(&calls, 5 * BLOCK + 1);
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
    check_rounding(&s);
    hr_nmac_key_wipe(s.key);
    if (!is_zero(s.key, hr_nmac_key_size(row->alg)))
        complain("a wiped key is not zero");
    return complaints_so_far() - before;
}
