/* SPDX-License-Identifier: Apache-2.0 */
/* X25519, RFC 7748, as a row of the class AGREE. */
#include "x25519.h"
#include "../pk/agree.h"
#include "../proven/bignum.h"
#include "lanes25519.h"
#include "words25519.h"

static const struct x25519_kernel
    kernels[] = { /* best first; portable C last */
                  KERNEL_PROVEN_X86("ifma", CPU(AVX512IFMA) | CPU(AVX512VL) | CPU(BMI2) | CPU(ADX),
                                    hr_proven_curve25519_x25519, ed25519_x25519_ifma)
                      KERNEL_PROVEN_X86("adx", CPU(BMI2) | CPU(ADX), hr_proven_curve25519_x25519,
                                        hr_proven_curve25519_x25519base)
                          KERNEL_PROVEN_X86("x86", 0, hr_proven_curve25519_x25519_alt,
                                            hr_proven_curve25519_x25519base_alt)
                              KERNEL_PROVEN_ARM64("arm64", 0, hr_proven_curve25519_x25519,
                                                  hr_proven_curve25519_x25519base)
                                  KERNEL_C(x25519_multiply_c, x25519_base_c)
    };
static _Atomic(const struct x25519_kernel *) chosen;
const struct x25519_kernels x25519_kernels = { kernels, COUNT(kernels), &chosen };

static DEFINE_CHOOSE(x25519_choose, struct x25519_kernel, struct x25519_kernels)

    struct x25519_key {
    uint64_t scalar[4]; /* before clamping, as the key was given */
};

static int init(void *key, const struct hr_algorithm *row, const uint8_t *bytes)
{
    struct x25519_key *k = key;
    (void)row;
    load_words25519(k->scalar, bytes, 4);
    CT_SECRET(k->scalar, sizeof k->scalar);
    return 0;
}

static void private_bytes(uint8_t *out, const void *key)
{
    store_words25519(out, ((const struct x25519_key *)key)->scalar);
}

static int public_bytes(uint8_t *out, const void *key)
{
    uint64_t u[4];
    x25519_choose(&x25519_kernels)->base(u, ((const struct x25519_key *)key)->scalar);
    CT_PUBLIC(u, sizeof u);
    store_words25519(out, u);
    return 0;
}

void x25519_clamped(uint64_t out[4], const void *key)
{
    memcpy(out, ((const struct x25519_key *)key)->scalar, 32);
    out[0] &= ~UINT64_C(7);
    out[3] = (out[3] & (UINT64_MAX >> 1)) | UINT64_C(1) << 62;
}

/* RFC 7748 section 6.1: the result is zero if the point has a small order. */
int x25519_agree(uint8_t *out, const uint8_t *peer, size_t peer_len, const void *key)
{
    uint64_t point[4], secret[4];
    if (peer_len != 32)
        return HR_EKEYLEN;
    load_words25519(point, peer, 4);
    x25519_choose(&x25519_kernels)
        ->multiply(secret, ((const struct x25519_key *)key)->scalar, point);
    uint64_t any = secret[0] | secret[1] | secret[2] | secret[3];
    CT_PUBLIC(&any, sizeof any);
    if (any)
        store_words25519(out, secret);
    WIPE(&secret);
    return any ? 0 : HR_EKEY;
}

static int check(const struct hr_algorithm *row, const uint8_t *peer, size_t peer_len)
{
    static const struct x25519_key any = { { 1 } };
    uint8_t secret[32];
    (void)row;
    return x25519_agree(secret, peer, peer_len, &any);
}

static void forget(void)
{
    atomic_store(&chosen, NULL);
}

static const struct hr_kernel *kernel(size_t i)
{
    return i < COUNT(kernels) ? &kernels[i].info : NULL;
}

const struct agree_impl x25519_impl = {
    .key_size = sizeof(struct x25519_key),
    .init = init,
    .private_bytes = private_bytes,
    .public_bytes = public_bytes,
    .agree = x25519_agree,
    .check = check,
    .kernel = kernel,
    .forget = forget,
    .lanes = &x25519_lanes,
};
