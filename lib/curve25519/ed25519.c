/* SPDX-License-Identifier: Apache-2.0 */
/* Ed25519, Ed25519ctx and Ed25519ph, RFC 8032 sections 5.1 and 8, as a row of the class SIGN.
 *
 * A wrong signature beside the right one of the same message reveals the private key, because both
 * have the same nonce; whoever can disturb the computer once gets such a pair.  So no signature
 * leaves before all of it was computed a second time, where it can be in another way: S - k s must
 * be the nonce, with -s from a copy of its own, so that a key that has changed in memory is found.
 * Verification would miss a mistake in the nonce, and take twice as long. */
#include "ed25519.h"
#include "../pk/stack.h"
#include "../proven/bignum.h"
#include "ed25519_sign.h"
#include "lanes25519.h"
#include <headrace/algorithms.h>

static const struct ed25519_kernel
    kernels[] = { /* best first; portable C last */
                  KERNEL_PROVEN_X86("ifma", CPU(AVX512IFMA) | CPU(AVX512VL) | CPU(BMI2) | CPU(ADX),
                                    ed25519_base_ifma, hr_proven_edwards25519_scalarmuldouble,
                                    hr_proven_edwards25519_decode, hr_proven_bignum_mod_n25519,
                                    hr_proven_bignum_madd_n25519, ed25519_differs_ifma)
                      KERNEL_PROVEN_X86(
                          "adx", CPU(BMI2) | CPU(ADX), hr_proven_edwards25519_scalarmulbase,
                          hr_proven_edwards25519_scalarmuldouble, hr_proven_edwards25519_decode,
                          hr_proven_bignum_mod_n25519, hr_proven_bignum_madd_n25519)
                          KERNEL_PROVEN_X86("x86", 0, hr_proven_edwards25519_scalarmulbase_alt,
                                            hr_proven_edwards25519_scalarmuldouble_alt,
                                            hr_proven_edwards25519_decode_alt,
                                            hr_proven_bignum_mod_n25519_alt,
                                            hr_proven_bignum_madd_n25519_alt)
                              KERNEL_PROVEN_ARM64("arm64", 0, hr_proven_edwards25519_scalarmulbase,
                                                  hr_proven_edwards25519_scalarmuldouble,
                                                  hr_proven_edwards25519_decode,
                                                  hr_proven_bignum_mod_n25519,
                                                  hr_proven_bignum_madd_n25519)
                                  KERNEL_C(ed25519_base_c, ed25519_double_c_vartime,
                                           ed25519_decode_c, ed25519_reduce_c, ed25519_madd_c)
    };
static _Atomic(const struct ed25519_kernel *) chosen;
const struct ed25519_kernels ed25519_kernels = { kernels, COUNT(kernels), &chosen };

static DEFINE_CHOOSE(ed25519_choose, struct ed25519_kernel, struct ed25519_kernels)

    /* A message of up to so many bytes is hashed again for the check.  A longer one would take
     * longer than elsewhere, and is hashed as often as RFC 8032 says: the check then finds mistakes
     * of the multiplications and changes of the key, but not of the hashes. */
    enum {
        MAX_REHASHED = 1024
    };

static const uint64_t order[4] = { 0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0, UINT64_C(1) << 60 };

/* out = -in for words of a number below `modulus`; -0 is the modulus. */
static void negate(uint64_t out[4], const uint64_t modulus[4], const uint64_t in[4])
{
    uint64_t borrow = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned __int128 x = (unsigned __int128)modulus[i] - in[i] - borrow;
        out[i] = (uint64_t)x;
        borrow = (uint64_t)(x >> 64) & 1;
    }
}

/* ---- keys ---- */

static void negate_point(uint64_t out[8], const uint64_t point[8])
{
    static const uint64_t p[4] = { 0xffffffffffffffed, UINT64_MAX, UINT64_MAX, UINT64_MAX >> 1 };
    negate(out, p, point);
    memcpy(out + 4, point + 4, 32);
    if (!(point[0] | point[1] | point[2] | point[3]))
        memset(out, 0, 32);
}

static int init_private(void *key, const struct hr_algorithm *row, const uint8_t *bytes, size_t len)
{
    struct ed25519_key *k = key;
    const struct ed25519_kernel *kernel = ed25519_choose(&ed25519_kernels);
    uint8_t h[64];
    uint64_t a[4], point[8];
    if (len != row->key_len)
        return HR_EKEYLEN;
    memcpy(k->seed, bytes, 32);
    CT_SECRET(k->seed, 32);
    hr_sha512(h, k->seed, 32);
    h[0] &= 248;
    h[31] = (uint8_t)((h[31] & 127) | 64);
    load_words25519(a, h, 4);
    kernel->reduce(k->s, 4, a);
    negate(k->minus_s, order, k->s);
    memcpy(k->prefix, h + 32, 32);
    kernel->base(point, k->s);
    CT_PUBLIC(point, sizeof point);
    ed25519_encode(k->public, point);
    negate_point(k->minus_a, point);
    WIPE(&h);
    WIPE(&a);
    return 0;
}

static int init_public(void *key, const struct hr_algorithm *row, const uint8_t *bytes, size_t len)
{
    struct ed25519_key *k = key;
    uint64_t point[8];
    if (len != row->public_len)
        return HR_EKEYLEN;
    memset(k, 0, sizeof *k);
    memcpy(k->public, bytes, 32);
    if (ed25519_choose(&ed25519_kernels)->decode(point, bytes))
        return HR_EKEY;
    negate_point(k->minus_a, point);
    return 0;
}

static int private_bytes(uint8_t *out, size_t *out_len, const void *key)
{
    return copy_out(out, out_len, ((const struct ed25519_key *)key)->seed, 32);
}

static int public_bytes(uint8_t *out, size_t *out_len, const void *key)
{
    return copy_out(out, out_len, ((const struct ed25519_key *)key)->public, 32);
}

/* ---- hashes ---- */

static void make_domain(struct ed25519_domain *out, const struct hr_sign_options *options)
{
    const int prehash = (options->flags & HR_SIGN_PREHASH) != 0;
    out->len = 0;
    if (!prehash && !options->context_len && !(options->flags & HR_SIGN_CONTEXT))
        return;
    memcpy(out->bytes, "SigEd25519 no Ed25519 collisions", 32);
    out->bytes[32] = (uint8_t)prehash;
    out->bytes[33] = (uint8_t)options->context_len;
    if (options->context_len)
        memcpy(out->bytes + 34, options->context, options->context_len);
    out->len = 34 + options->context_len;
}

/* out = SHA-512(domain || first || second || message) modulo L; `second` may be NULL. */
static int hash(uint64_t out[4], const struct ed25519_domain *domain, const uint8_t first[32],
                const uint8_t *second, const struct sign_input *message)
{
    struct hr_digest_ctx ctx;
    uint8_t digest[64];
    uint64_t words[8];
    int error = hr_digest_init(&ctx, HR_SHA512);
    if (!error)
        error = hr_digest_update(&ctx, domain->bytes, domain->len);
    if (!error)
        error = hr_digest_update(&ctx, first, 32);
    if (!error && second)
        error = hr_digest_update(&ctx, second, 32);
    if (!error)
        error = hr_digest_update(&ctx, message->in, message->len);
    if (!error)
        error = hr_digest_final(&ctx, digest);
    if (!error) {
        load_words25519(words, digest, 8);
        ed25519_choose(&ed25519_kernels)->reduce(out, 8, words);
    }
    WIPE(&ctx);
    WIPE(&digest);
    WIPE(&words);
    return error;
}

/* ---- signatures ---- */

static int check_input(const struct sign_input *message)
{
    const int prehash = (message->options->flags & HR_SIGN_PREHASH) != 0;
    return prehash && message->len != 64 ? HR_ELENGTH : 0;
}

/* Returns whether two secrets differ, without regard to where. */
static uint64_t differ(const uint64_t *a, const uint64_t *b, size_t n)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all |= a[i] ^ b[i];
    return all;
}

int ed25519_sign_start(struct ed25519_making *m, const struct sign_input *message,
                       const struct ed25519_key *key)
{
    const int error = check_input(message);
    if (error)
        return error;
    make_domain(&m->domain, message->options);
    return hash(m->r, &m->domain, key->prefix, NULL, message);
}

int ed25519_sign_middle(struct ed25519_making *m, const struct sign_input *message,
                        const struct ed25519_key *key)
{
    uint64_t s[4];
    ed25519_encode(m->sig, m->point);
    const int error = hash(m->k, &m->domain, m->sig, key->public, message);
    ed25519_choose(&ed25519_kernels)->madd(s, m->k, key->s, m->r);
    store_words25519(m->sig + 32, s);
    WIPE(&s);
    return error;
}

/* Returns 0 if a point is [r] B. */
static uint64_t base_differs(const uint64_t point[8], const uint64_t r[4])
{
    const struct ed25519_kernel *kernel = ed25519_choose(&ed25519_kernels);
    uint64_t again[8];
    if (kernel->differs)
        return kernel->differs(point, r);
    kernel->base(again, r);
    const uint64_t result = differ(again, point, 8);
    WIPE(&again);
    return result;
}

static uint64_t bytes_differ(const uint8_t a[32], const uint8_t b[32])
{
    uint64_t x[4], y[4];
    load_words25519(x, a, 4);
    load_words25519(y, b, 4);
    return differ(x, y, 4);
}

int ed25519_sign_check(struct ed25519_making *m, const struct sign_input *message,
                       const struct ed25519_key *key)
{
    uint64_t s[4];
    uint8_t bytes[32];
    int error = 0;
    if (message->len <= MAX_REHASHED) {
        error = hash(m->r, &m->domain, key->prefix, NULL, message);
        if (!error)
            error = hash(m->k, &m->domain, m->sig, key->public, message);
    }
    load_words25519(s, m->sig + 32, 4);
    ed25519_choose(&ed25519_kernels)->madd(m->again, m->k, key->minus_s, s);
    ed25519_encode(bytes, m->point);
    m->wrong = differ(m->again, m->r, 4) | bytes_differ(bytes, m->sig);
    ed25519_encode(bytes, key->minus_a);
    bytes[31] ^= 128; /* x of a private key's point is not zero */
    m->wrong |= bytes_differ(bytes, key->public);
    WIPE(&s);
    return error;
}

int ed25519_sign_end(uint8_t out[64], struct ed25519_making *m)
{
    CT_PUBLIC(&m->wrong, sizeof m->wrong);
    if (m->wrong)
        return HR_EFAULT;
    CT_PUBLIC(m->sig, sizeof m->sig);
    memcpy(out, m->sig, sizeof m->sig);
    return 0;
}

static __attribute__((noinline)) int make_signature(uint8_t *out, const struct sign_input *message,
                                                    const struct ed25519_key *key)
{
    struct ed25519_making m;
    int error = ed25519_sign_start(&m, message, key);
    if (!error) {
        ed25519_choose(&ed25519_kernels)->base(m.point, m.r);
        error = ed25519_sign_middle(&m, message, key);
    }
    if (!error)
        error = ed25519_sign_check(&m, message, key);
    if (!error) {
        m.wrong |= base_differs(m.point, m.again);
        error = ed25519_sign_end(out, &m);
    }
    WIPE(&m);
    return error;
}

int ed25519_sign(uint8_t *out, const struct sign_input *message, const void *private)
{
    const int error = make_signature(out, message, private);
    pk_wipe_stack();
    return error;
}

/* Returns whether S is below L, without which a signature could be changed into another. */
static int is_reduced(const uint64_t s[4])
{
    for (int i = 3; i >= 0; i--)
        if (s[i] != order[i])
            return s[i] < order[i];
    return 0;
}

int ed25519_verify_start(uint64_t k[4], uint64_t s[4], const uint8_t *sig,
                         const struct sign_input *message, const struct ed25519_key *key)
{
    struct ed25519_domain domain;
    int error = check_input(message);
    load_words25519(s, sig + 32, 4);
    if (error || !is_reduced(s))
        return error ? error : HR_EMAC;
    make_domain(&domain, message->options);
    error = hash(k, &domain, sig, key->public, message);
    CT_PUBLIC(k, 32);
    return error;
}

/* [S] B = R + [k] A without a cofactor, by comparing the bytes of R, which RFC 8032 section 5.1.7
 * allows and OpenSSL does. */
int ed25519_verify(const uint8_t *sig, const struct sign_input *message, const void *public)
{
    const struct ed25519_key *key = public;
    uint64_t s[4], k[4], point[8];
    uint8_t bytes[32];
    const int error = ed25519_verify_start(k, s, sig, message, key);
    if (error)
        return error;
    ed25519_choose(&ed25519_kernels)->twice(point, k, key->minus_a, s);
    ed25519_encode(bytes, point);
    return memcmp(bytes, sig, sizeof bytes) ? HR_EMAC : 0;
}

static void forget(void)
{
    atomic_store(&chosen, NULL);
}

static const struct hr_kernel *kernel(size_t i)
{
    return i < COUNT(kernels) ? &kernels[i].info : NULL;
}

const struct sign_impl ed25519_impl = {
    .key_size = sizeof(struct ed25519_key),
    .flags = HR_SIGN_DETERMINISTIC | HR_SIGN_PREHASH | HR_SIGN_CONTEXT,
    .takes = SIGN_TAKES_CONTEXT,
    .init_private = init_private,
    .init_public = init_public,
    .private_bytes = private_bytes,
    .public_bytes = public_bytes,
    .sign = ed25519_sign,
    .verify = ed25519_verify,
    .kernel = kernel,
    .forget = forget,
    .lanes = &ed25519_lanes,
};
