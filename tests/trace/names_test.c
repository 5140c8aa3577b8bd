/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions have the meanings that the tracer gives them, and others have none. */
#include "names/names.h"
#include "test.h"

static const struct {
    const char *name;
    enum family family;
    enum how how;
    const char *mode, *variant;
    enum level level;
    int arg, unit;
} names[] = {
    { "aesni_cbc_encrypt", FAMILY_AES, HOW_HARDWARE, "CBC", "AES-NI", LEVEL_MESSAGE, 2, 1 },
    { "aesni_ctr32_encrypt_blocks", FAMILY_AES, HOW_HARDWARE, "CTR", "AES-NI", LEVEL_MESSAGE, 2,
      16 },
    { "ring_core_0_17_8_aes_hw_ctr32_encrypt_blocks", FAMILY_AES, HOW_HARDWARE, "CTR", "AES-NI",
      LEVEL_MESSAGE, 2, 16 },
    { "aws_lc_0_25_0_aes_nohw_encrypt", FAMILY_AES, HOW_SOFTWARE, NULL, "bitsliced", LEVEL_BLOCK,
      -1, 0 },
    { "vpaes_cbc_encrypt", FAMILY_AES, HOW_SOFTWARE, "CBC", "vpaes, SSSE3", LEVEL_MESSAGE, 2, 1 },
    { "AES_cbc_encrypt", FAMILY_AES, HOW_SOFTWARE, "CBC", "T-tables", LEVEL_MESSAGE, 2, 1 },
    { "_gcry_aes_aesni_cbc_enc", FAMILY_AES, HOW_HARDWARE, "CBC", "AES-NI", LEVEL_MESSAGE, -1, 0 },
    { "_nettle_aes128_encrypt_aesni", FAMILY_AES, HOW_HARDWARE, NULL, "AES-NI", LEVEL_MESSAGE, -1,
      0 },
    { "crypto/internal/fips140/aes.encryptBlockAsm", FAMILY_AES, HOW_HARDWARE, NULL, "AES-NI",
      LEVEL_BLOCK, -1, 0 },
    { "crypto/internal/fips140/aes/gcm.gcmAesEnc", FAMILY_AES, HOW_HARDWARE, "GCM",
      "AES-NI, PCLMULQDQ", LEVEL_MESSAGE, -1, 0 },
    { "_ZN3aes2ni6aes12815encrypt_block8817h0123456789abcdefE", FAMILY_AES, HOW_HARDWARE, NULL,
      "AES-NI", LEVEL_BLOCK, -1, 0 },
    { "_ZN3aes4soft8fixslice14aes128_encrypt17h0123456789abcdefE", FAMILY_AES, HOW_SOFTWARE, NULL,
      "bitsliced", LEVEL_BLOCK, -1, 0 },
    { "com.sun.crypto.provider.AESCrypt.implEncryptBlock([BI[BI)V", FAMILY_AES, HOW_SOFTWARE, NULL,
      "T-tables", LEVEL_BLOCK, -1, 0 },
    { "sun.security.provider.SHA3.implCompress0([BI)V", FAMILY_SHA3, HOW_SOFTWARE, NULL, NULL,
      LEVEL_BLOCK, -1, 0 },
    { "sun.security.provider.SHA2.implCompress0([BI)V", FAMILY_SHA256, HOW_SOFTWARE, NULL, NULL,
      LEVEL_BLOCK, -1, 0 },
    { "sha256_block_data_order", FAMILY_SHA256, HOW_NONE, NULL, NULL, LEVEL_MESSAGE, 2, 64 },
    { "sha256_block_data_order_shaext", FAMILY_SHA256, HOW_HARDWARE, NULL, "SHA-NI", LEVEL_MESSAGE,
      2, 64 },
    { "ossl_md5_block_asm_data_order", FAMILY_MD5, HOW_SOFTWARE, NULL, NULL, LEVEL_MESSAGE, 2, 64 },
    { "sha512_transform_rorx", FAMILY_SHA512, HOW_SOFTWARE, NULL, "AVX2", LEVEL_MESSAGE, 2, 128 },
    { "ChaCha20_8x", FAMILY_CHACHA20, HOW_VECTOR, NULL, "AVX2", LEVEL_MESSAGE, 2, 1 },
    { "gcm_ghash_4bit", FAMILY_GHASH, HOW_SOFTWARE, "GCM", "tables", LEVEL_MESSAGE, 3, 1 },
    { "gcm_ghash_avx", FAMILY_GHASH, HOW_HARDWARE, "GCM", "PCLMULQDQ, AVX", LEVEL_MESSAGE, 3, 1 },
    { "crypto_aes_encrypt", FAMILY_AES, HOW_SOFTWARE, NULL, "T-tables", LEVEL_BLOCK, -1, 0 },
    { "sha256_ni_transform", FAMILY_SHA256, HOW_HARDWARE, NULL, "SHA-NI", LEVEL_MESSAGE, 2, 64 },
    { "gf128mul_4k_lle", FAMILY_GHASH, HOW_SOFTWARE, "GCM", "tables", LEVEL_BLOCK, -1, 0 },
    { "runtime.aeshashbody", FAMILY_AESHASH, HOW_HASHING, NULL, NULL, LEVEL_BLOCK, -1, 0 },
    { "lzma_crc64", FAMILY_CRC, HOW_CHECKSUM, NULL, NULL, LEVEL_MESSAGE, 1, 1 },
    { "ecp_nistz256_mul_mont", FAMILY_P256, HOW_ARITHMETIC, NULL, NULL, LEVEL_BLOCK, -1, 0 },
};

static int same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static void test_names(void)
{
    struct name_info i;
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        const int found = name_lookup(&i, names[n].name);
        tap(found && i.family == names[n].family && i.how == names[n].how &&
                same_text(i.mode, names[n].mode) && same_text(i.variant, names[n].variant) &&
                i.level == names[n].level && i.bytes_arg == names[n].arg &&
                i.bytes_unit == names[n].unit,
            "%s", names[n].name);
    }
}

static void test_silent(void)
{
    static const char *const silent[] = {
        "",
        "a",
        "main",
        "planes_encrypt",
        "phrases_",
        "xaesni_cbc_encrypt",
        "AES_encrypt_message_of_mine",
        "crc",
        "hashes_2",
        "std::collections::hash::map::HashMap",
    };
    struct name_info i;
    for (size_t n = 0; n < COUNT_OF(silent); n++)
        if (name_lookup(&i, silent[n]))
            complain("%s", silent[n]);
    tap(!complaints_so_far(), "names that tell nothing");
}

/* test_long looks up a name of 64 KiB of which every part nearly fits a known name. */
static void test_long(void)
{
    enum { LEN = 1 << 16 };
    char *name = malloc(LEN + 2);
    struct name_info i;
    for (size_t n = 0; n < LEN; n++)
        name[n] = "xaes_ossl_aes_gcm_"[n % 18];
    name[LEN] = '\0';
    tap(!name_lookup(&i, name) && !name_waste(name), "a name of 64 KiB that nearly fits");
    memcpy(name + LEN - 8, "_vpaes_x", 8);
    tap(name_lookup(&i, name) && i.family == FAMILY_AES, "a name of 64 KiB that fits");
    name[LEN] = 'x';
    name[LEN + 1] = '\0';
    tap(!name_lookup(&i, name), "a longer one is not looked at");
    free(name);
}

static void test_waste(void)
{
    tap(name_waste("AES_cbc_encrypt") && name_waste("EVP_MD_fetch") && name_waste("SHA256"),
        "waste: deprecated calls, fetches, one-shots");
    tap(!name_waste("EVP_EncryptUpdate") && !name_waste("SHA256_Update") &&
            !name_waste("aesni_cbc_encrypt"),
        "no waste");
}

int main(void)
{
    test_names();
    test_silent();
    test_long();
    test_waste();
    return tap_done();
}
