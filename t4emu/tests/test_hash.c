/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of whole messages, which are padded here: RFC 1321 appendix A.5, FIPS 180-4's examples. */
#include "../../lib/bytes.h"
#include "run.h"
#include <string.h>

struct hash {
    const char *name;
    enum t4_op op;
    unsigned words, word_len, block_len;
    uint64_t initial[8];
};

static const struct hash md5 = {
    "MD5", T4_MD5, 4, 4, 64, { 0x01234567, 0x89abcdef, 0xfedcba98, 0x76543210 }
};
static const struct hash sha1 = {
    "SHA-1", T4_SHA1, 5, 4, 64, { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 }
};
static const struct hash sha256 = { "SHA-256",
                                    T4_SHA256,
                                    8,
                                    4,
                                    64,
                                    { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                      0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
static const struct hash sha512 = { "SHA-512",
                                    T4_SHA512,
                                    8,
                                    8,
                                    128,
                                    { 0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                      0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                      0x1f83d9abfb41bd6b, 0x5be0cd19137e2179 } };

/* Appends 0x80, zeros and the length in bits. Returns the number of blocks. */
static size_t pad(uint8_t *message, size_t len, const struct hash *hash)
{
    const size_t length_len = hash->block_len / 8;
    const size_t num_blocks = (len + 1 + length_len + hash->block_len - 1) / hash->block_len;
    uint8_t *end = message + num_blocks * hash->block_len;
    memset(message + len, 0, (size_t)(end - message) - len);
    message[len] = 0x80;
    if (hash->op == T4_MD5)
        store_le64(end - 8, 8 * len);
    else
        store_be64(end - 8, 8 * len);
    return num_blocks;
}

/* The state registers as bytes in memory order. */
static void get_state(uint8_t out[64], const struct hash *hash)
{
    for (unsigned i = 0; i < hash->words; i++) {
        if (hash->word_len == 8)
            store_be64(out + 8 * i, t4.d[i]);
        else
            store_be32(out + 4 * i, t4_get_s(&t4, i));
    }
}

static void set_state(const struct hash *hash)
{
    for (unsigned i = 0; i < hash->words; i++) {
        if (hash->word_len == 8)
            t4.d[i] = hash->initial[i];
        else
            t4_set_s(&t4, i, (uint32_t)hash->initial[i]);
    }
}

/* Processes one block; no register but the state may change. */
static void do_block(const struct hash *hash, const uint8_t *block)
{
    for (unsigned i = 0; i < hash->block_len / 8; i++)
        t4.d[hash->block_len / 16 + i] = load_be64(block + 8 * i);
    struct t4_machine before = t4;
    run(hash->op, 0, 0, 0, 0);
    for (unsigned i = 0; i < hash->words; i++) {
        if (hash->word_len == 8)
            before.d[i] = t4.d[i];
        else
            t4_set_s(&before, i, t4_get_s(&t4, i));
    }
    if (memcmp(before.d, t4.d, sizeof before.d) != 0)
        wrong("%s: a register that is not the state's", hash->name);
}

static void check_message(const struct hash *hash, const char *text, const char *digest_hex)
{
    uint8_t message[512], digest[64];
    const size_t len = strlen(text);
    reset();
    memcpy(message, text, len);
    set_state(hash);
    const size_t num_blocks = pad(message, len, hash);
    for (size_t i = 0; i < num_blocks; i++)
        do_block(hash, message + i * hash->block_len);
    get_state(digest, hash);
    expect_bytes(digest, digest_hex, hash->name);
}

static void check_md5(void)
{
    check_message(&md5, "", "d41d8cd98f00b204e9800998ecf8427e");
    check_message(&md5, "abc", "900150983cd24fb0d6963f7d28e17f72");
    check_message(&md5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0");
    check_message(&md5,
                  "1234567890123456789012345678901234567890123456789012345678901234567890123456789"
                  "0",
                  "57edf4a22be3c955ac49da2e2107b67a");
}

static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

static void check_sha1(void)
{
    check_message(&sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    check_message(&sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d");
    check_message(&sha1, two_blocks, "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

static void check_sha256(void)
{
    check_message(&sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_message(&sha256, "abc",
                  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_message(&sha256, two_blocks,
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void check_sha512(void)
{
    check_message(&sha512, "abc",
                  "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                  "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
    check_message(&sha512,
                  "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopq"
                  "klmnopqrlmnopqrsmnopqrstnopqrstu",
                  "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                  "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909");
}

const struct check hash_checks[] = {
    { "MD5: one block and two, RFC 1321", check_md5 },
    { "SHA-1: one block and two, FIPS 180-4", check_sha1 },
    { "SHA-256: one block and two, FIPS 180-4", check_sha256 },
    { "SHA-512: one block and two, FIPS 180-4", check_sha512 },
    { 0 },
};
