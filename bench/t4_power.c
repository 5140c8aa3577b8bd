/* SPDX-License-Identifier: Apache-2.0 */
/* t4_power headrace|LIBCRYPTO LIMBS BITS TIMES: x^e modulo an odd number of LIMBS limbs, e of BITS
 * bits, TIMES times, by Headrace or by this OpenSSL's BN_mod_exp_mont_consttime, and nothing else
 * that grows with TIMES, for bench/t4_instructions.py. */
#include "bignum/mont_power.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static uint64_t m[MOST], x[MOST], e[MOST], r2[MOST];

static void any(uint64_t *z, size_t num, size_t bits)
{
    uint64_t word = 88172645463325252U;
    for (size_t i = 0; i < num; i++) {
        word ^= word << 13, word ^= word >> 7, word ^= word << 17; /* Marsaglia's xorshift */
        z[i] = word;
    }
    if (bits % 64)
        z[bits / 64] &= (UINT64_C(1) << bits % 64) - 1;
    z[(bits - 1) / 64] |= UINT64_C(1) << (bits - 1) % 64;
    z[0] |= 1;
}

static void by_headrace(size_t num, size_t bits, int times)
{
    struct modulus modulus;
    mont_init(&modulus, m, num, r2);
    for (; times > 0; times--)
        mont_power_bits(x, x, e, bits, &modulus);
}

static void *number(void *crypto, const uint64_t *z, size_t num)
{
    void *(*const from)(const uint8_t *, int, void *) =
        (void *(*)(const uint8_t *, int, void *))dlsym(crypto, "BN_bin2bn");
    uint8_t bytes[8 * MOST];
    bn_to_bytes(bytes, 8 * num, z);
    return from(bytes, (int)(8 * num), NULL);
}

static int by_openssl(const char *path, size_t num, size_t bits, int times)
{
    void *const crypto = dlopen(path, RTLD_NOW);
    if (!crypto)
        return 2;
    void *(*const new_ctx)(void) = (void *(*)(void))dlsym(crypto, "BN_CTX_new");
    void *(*const new_mont)(void) = (void *(*)(void))dlsym(crypto, "BN_MONT_CTX_new");
    int (*const set)(void *, const void *, void *) =
        (int (*)(void *, const void *, void *))dlsym(crypto, "BN_MONT_CTX_set");
    void (*const flag)(void *, int) = (void (*)(void *, int))dlsym(crypto, "BN_set_flags");
    int (*const power)(void *, const void *, const void *, const void *, void *, void *) =
        (int (*)(void *, const void *, const void *, const void *, void *, void *))dlsym(
            crypto, "BN_mod_exp_mont_consttime");
    void *const ctx = new_ctx(), *const mont = new_mont();
    void *const m_bn = number(crypto, m, num), *const x_bn = number(crypto, x, num);
    void *const e_bn = number(crypto, e, (bits + 63) / 64);
    flag(e_bn, 4); /* BN_FLG_CONSTTIME */
    int ok = set(mont, m_bn, ctx);
    for (; times > 0; times--)
        ok &= power(x_bn, x_bn, e_bn, m_bn, ctx, mont);
    return !ok;
}

int main(int argc, char **argv)
{
    const size_t num = argc == 5 ? (size_t)atoi(argv[2]) : 0;
    const size_t bits = num ? (size_t)atoi(argv[3]) : 0;
    if (!num || num > MOST || !bits || bits > 64 * MOST) {
        fprintf(stderr, "usage: t4_power headrace|LIBCRYPTO LIMBS BITS TIMES\n");
        return 2;
    }
    any(m, num, 64 * num);
    any(x, num, 64 * num - 1);
    any(e, (bits + 63) / 64, bits);
    if (strcmp(argv[1], "headrace") != 0)
        return by_openssl(argv[1], num, bits, atoi(argv[4]));
    by_headrace(num, bits, atoi(argv[4]));
    return 0;
}
