/* SPDX-License-Identifier: Apache-2.0 */
/* Finds DES keys that are weaker than their length suggests (SP 800-67 section 3.3.2).  Weak and
 * semi-weak keys have halves that a rotation does not change, or changes only back and forth, and
 * so only one or two different round keys: such halves are all zeros, all ones, and the two
 * alternating ones. */
#include "des.h"

enum { ONES = 0x0fffffff, ALTERNATE = 0x05555555 };

/* Returns all ones if a rotation does not change the half. */
static uint32_t constant(uint32_t half)
{
    return ct_is_zero(half) | ct_eq(half, ONES);
}

static uint32_t alternates(uint32_t half)
{
    return ct_eq(half, ALTERNATE) | ct_eq(half, ONES ^ ALTERNATE);
}

static uint32_t weakness(struct des_halves k)
{
    const uint32_t weak = constant(k.c) & constant(k.d);
    const uint32_t either = (constant(k.c) | alternates(k.c)) & (constant(k.d) | alternates(k.d));
    return (weak & HR_DES_WEAK) | (either & ~weak & HR_DES_SEMI_WEAK);
}

static uint32_t same(struct des_halves a, struct des_halves b)
{
    return ct_eq(a.c, b.c) & ct_eq(a.d, b.d);
}

int hr_des_key_weakness(const uint8_t *key, size_t key_len)
{
    if (!key)
        return HR_EINVAL;
    if (key_len != 8 && key_len != 16 && key_len != 24)
        return HR_EKEYLEN;
    struct des_halves k[3];
    const size_t num = key_len / 8;
    uint32_t found = 0;
    for (size_t i = 0; i < num; i++) {
        k[i] = des_permuted_choice(key + 8 * i);
        found |= weakness(k[i]);
    }
    if (num > 1)
        found |= same(k[0], k[1]) & HR_DES_ONE_KEY;
    if (num > 2) {
        found |= same(k[1], k[2]) & HR_DES_ONE_KEY;
        found |= same(k[0], k[2]) & HR_DES_TWO_KEYS;
    }
    CT_PUBLIC(&found, sizeof found); /* the answer is public */
    WIPE(&k);
    return (int)found;
}
