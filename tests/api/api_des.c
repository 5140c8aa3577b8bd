/* SPDX-License-Identifier: Apache-2.0 */
/* DES keys that the library reports as weak: those of SP 800-67 section 3.3.2. Each must really
 * have the property that makes it weak. */
#include "api.h"

static const uint64_t weak[] = { 0x0101010101010101, 0xfefefefefefefefe, 0xe0e0e0e0f1f1f1f1,
                                 0x1f1f1f1f0e0e0e0e };
static const uint64_t semi_weak[][2] = {
    { 0x01fe01fe01fe01fe, 0xfe01fe01fe01fe01 }, { 0x1fe01fe00ef10ef1, 0xe01fe01ff10ef10e },
    { 0x01e001e001f101f1, 0xe001e001f101f101 }, { 0x1ffe1ffe0efe0efe, 0xfe1ffe1ffe0efe0e },
    { 0x011f011f010e010e, 0x1f011f010e010e01 }, { 0xe0fee0fef1fef1fe, 0xfee0fee0fef1fef1 },
};

static void put(uint8_t out[8], uint64_t key)
{
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(key >> (56 - 8 * i));
}

/* check_pair checks that encryption under b undoes encryption under a, and what the library says of
 * both keys, whatever their parity. */
static void check_pair(uint64_t a, uint64_t b, int want)
{
    const hr_alg alg = hr_algorithm_by_name("des_ecb")->alg;
    struct hr_cipher_key key;
    uint8_t bytes[8], text[8] = "weakness", out[8];
    const uint64_t both[] = { a, b };
    memcpy(out, text, 8);
    for (size_t i = 0; i < 2; i++) {
        put(bytes, both[i]);
        wants(hr_des_key_weakness(bytes, 8), want, "a weak key");
        wants(hr_cipher_key_init(&key, alg, bytes, 8), 0, "a weak key's schedule");
        wants(hr_cipher_encrypt(out, out, 8, &key, NULL, 0), 0, "encrypt");
        put(bytes, both[i] ^ 0x0101000100010100);
        wants(hr_des_key_weakness(bytes, 8), want, "a weak key of other parity");
        put(bytes, both[i] ^ 0x0000001000000000);
        wants(hr_des_key_weakness(bytes, 8), 0, "a bit away from a weak key");
    }
    if (memcmp(out, text, 8))
        complain("%016llx and %016llx do not undo each other", (unsigned long long)a,
                 (unsigned long long)b);
}

static void check_three(const uint8_t *const parts[3], int two, int three)
{
    uint8_t key[24];
    for (size_t i = 0; i < 3; i++)
        memcpy(key + 8 * i, parts[i], 8);
    wants(hr_des_key_weakness(key, 16), two, "two parts");
    wants(hr_des_key_weakness(key, 24), three, "three parts");
}

void check_des_keys(void)
{
    uint8_t a[8], b[8], c[8], same[8], bad[8];
    for (size_t i = 0; i < COUNT_OF(weak); i++)
        check_pair(weak[i], weak[i], HR_DES_WEAK);
    for (size_t i = 0; i < COUNT_OF(semi_weak); i++)
        check_pair(semi_weak[i][0], semi_weak[i][1], HR_DES_SEMI_WEAK);
    random_bytes(a, sizeof a);
    random_bytes(b, sizeof b);
    random_bytes(c, sizeof c);
    memcpy(same, a, sizeof same);
    same[5] ^= 1;
    put(bad, semi_weak[3][0]);
    check_three((const uint8_t *[]){ a, b, c }, 0, 0);
    check_three((const uint8_t *[]){ a, b, same }, 0, HR_DES_TWO_KEYS);
    check_three((const uint8_t *[]){ a, same, b }, HR_DES_ONE_KEY, HR_DES_ONE_KEY);
    check_three((const uint8_t *[]){ b, a, same }, 0, HR_DES_ONE_KEY);
    check_three((const uint8_t *[]){ a, b, bad }, 0, HR_DES_SEMI_WEAK);
    check_three((const uint8_t *[]){ bad, a, bad }, HR_DES_SEMI_WEAK,
                HR_DES_SEMI_WEAK | HR_DES_TWO_KEYS);
    for (size_t len = 0; len < 32; len++)
        if (len != 8 && len != 16 && len != 24)
            wants(hr_des_key_weakness(a, len), HR_EKEYLEN, "key length");
    wants(hr_des_key_weakness(NULL, 8), HR_EINVAL, "no key");
    tap(!complaints_so_far(), "weak keys of DES are told from others");
}
