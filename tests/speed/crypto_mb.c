/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for crypto_mb, which tests have not: its X25519 is right, and each of its Ed25519
 * signatures lacks a bit in the last lane. */
#include <headrace/algorithms.h>
#include <headrace/headrace.h>
#include <string.h>

enum { LANES = 8 };

#pragma GCC visibility push(default)

const int *mbx_getversion(void);
int mbx_is_crypto_mb_applicable(uint64_t features);
uint32_t mbx_x25519_mb8(uint8_t *const secret[LANES], const uint8_t *const key[LANES],
                        const uint8_t *const public[LANES]);
uint32_t mbx_ed25519_sign_mb8(uint8_t *const r[LANES], uint8_t *const s[LANES],
                              const uint8_t *const message[LANES], const uint32_t len[LANES],
                              const uint8_t *const key[LANES], const uint8_t *const public[LANES]);

#pragma GCC visibility pop

const int *mbx_getversion(void)
{
    static const int version[] = { 1, 22, 333 };
    return version;
}

int mbx_is_crypto_mb_applicable(uint64_t features)
{
    return features == 0;
}

uint32_t mbx_x25519_mb8(uint8_t *const secret[LANES], const uint8_t *const key[LANES],
                        const uint8_t *const public[LANES])
{
    uint32_t status = 0;
    for (size_t i = 0; i < LANES; i++) {
        struct hr_agree_key k;
        size_t len = 32;
        if (hr_agree_key_init(&k, HR_X25519, key[i], 32) ||
            hr_agree(secret[i], &len, public[i], 32, &k))
            status |= 1U << 4 * i;
    }
    return status;
}

uint32_t mbx_ed25519_sign_mb8(uint8_t *const r[LANES], uint8_t *const s[LANES],
                              const uint8_t *const message[LANES], const uint32_t len[LANES],
                              const uint8_t *const key[LANES], const uint8_t *const public[LANES])
{
    uint32_t status = 0;
    for (size_t i = 0; i < LANES; i++) {
        static struct hr_sign_key k;
        uint8_t sig[64];
        size_t sig_len = sizeof sig;
        (void)public;
        if (hr_sign_key_init(&k, HR_ED25519, key[i], 32) ||
            hr_sign(sig, &sig_len, message[i], len[i], &k, NULL))
            status |= 1U << 4 * i;
        memcpy(r[i], sig, 32);
        memcpy(s[i], sig + 32, 32);
    }
    s[LANES - 1][0] ^= 1;
    return status;
}
