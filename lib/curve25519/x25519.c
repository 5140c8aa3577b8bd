/* SPDX-License-Identifier: Apache-2.0 */
/* X25519, RFC 7748, as a row of the class AGREE. */
#include "x25519.h"
#include "../agree.h"

static const struct x25519_kernel kernels[] = { /* best first; portable C last */
    KERNEL_C(x25519_multiply_c, x25519_base_c)
};
static _Atomic(const struct x25519_kernel *) chosen;
const struct x25519_kernels x25519_kernels = { kernels, COUNT(kernels), &chosen };

static DEFINE_CHOOSE(x25519_choose, struct x25519_kernel, struct x25519_kernels)

    struct x25519_key {
    uint8_t scalar[32]; /* before clamping, as the key was given */
};

static int init(void *key, const struct hr_algorithm *row, const uint8_t *bytes)
{
    struct x25519_key *k = key;
    (void)row;
    memcpy(k->scalar, bytes, sizeof k->scalar);
    CT_SECRET(k->scalar, sizeof k->scalar);
    return 0;
}

static void private_bytes(uint8_t *out, const void *key)
{
    memcpy(out, ((const struct x25519_key *)key)->scalar, 32);
}

static int public_bytes(uint8_t *out, const void *key)
{
    x25519_choose(&x25519_kernels)->base(out, ((const struct x25519_key *)key)->scalar);
    CT_PUBLIC(out, 32);
    return 0;
}

/* RFC 7748 section 6.1: the result is zero if the point has a small order. */
static int agree(uint8_t *out, const uint8_t *peer, size_t peer_len, const void *key)
{
    uint8_t secret[32];
    if (peer_len != 32)
        return HR_EKEYLEN;
    x25519_choose(&x25519_kernels)
        ->multiply(secret, ((const struct x25519_key *)key)->scalar, peer);
    uint32_t any = 0;
    for (int i = 0; i < 32; i++)
        any |= secret[i];
    CT_PUBLIC(&any, sizeof any);
    if (any)
        memcpy(out, secret, sizeof secret);
    WIPE(&secret);
    return any ? 0 : HR_EKEY;
}

static int check(const struct hr_algorithm *row, const uint8_t *peer, size_t peer_len)
{
    static const struct x25519_key any = { { 1 } };
    uint8_t secret[32];
    (void)row;
    return agree(secret, peer, peer_len, &any);
}

static void forget(void)
{
    atomic_store(&chosen, NULL);
}

const struct agree_impl x25519_impl = {
    .key_size = sizeof(struct x25519_key),
    .init = init,
    .private_bytes = private_bytes,
    .public_bytes = public_bytes,
    .agree = agree,
    .check = check,
    .forget = forget,
};
