/* SPDX-License-Identifier: Apache-2.0 */
/* evp_huge [--all]: calls on 2^31 and 2^32 bytes and more, in EVP and in the library: one call
 * gives what calls on pieces give.  The memory is 64 megabytes that are mapped many times. */
#define _GNU_SOURCE
#include "evp.h"
#include <headrace/algorithms.h>
#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t chunk = 64 << 20, total = ((size_t)1 << 32) + 12345;
static const size_t piece = ((size_t)1 << 30) - 7;
enum { TAIL = 4096 };

static struct loaded both;
static unsigned char *in, *out;
static const unsigned char key[32] = "0123456789abcdef0123456789abcde", iv[16] = "fedcba987654321";

/* repeated returns more than `total` bytes, each chunk of which is the same memory. */
static unsigned char *repeated(void)
{
    const size_t size = (total / chunk + 2) * chunk;
    const int fd = memfd_create("huge", MFD_CLOEXEC);
    unsigned char *at =
        mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    MUST(fd >= 0 && !ftruncate(fd, (off_t)chunk) && at != MAP_FAILED);
    for (size_t i = 0; i < size; i += chunk)
        MUST(mmap(at + i, chunk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == at + i);
    close(fd);
    return at;
}

/* ---- digests ---- */

static void digest(const char *name, const char *from, int whole, unsigned char result[64])
{
    EVP_MD *md = EVP_MD_fetch(both.libctx, name, from);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    memset(result, 0, 64);
    MUST(md && ctx && EVP_DigestInit_ex2(ctx, md, NULL));
    if (whole == 2)
        MUST(EVP_Digest(in, total, result, NULL, md, NULL));
    for (size_t at = 0, n; whole < 2 && at < total; at += n) {
        n = whole ? total : total - at < piece ? total - at : piece;
        MUST(EVP_DigestUpdate(ctx, in + at, n));
    }
    MUST(whole == 2 || EVP_DigestFinal_ex(ctx, result, NULL));
    EVP_MD_CTX_free(ctx);
    EVP_MD_free(md);
}

static void test_digest(const char *name)
{
    unsigned char want[64], got[64];
    digest(name, THEIRS, 0, want);
    for (int whole = 0; whole < 3; whole++) {
        digest(name, OURS, whole, got);
        MUST(!memcmp(want, got, sizeof want));
    }
}

static void test_sha256(void)
{
    test_digest("SHA256");
}

static void test_sha512(void)
{
    test_digest("SHA512");
}

/* ---- ciphers, whose lengths are an int in EVP ---- */

/* encrypt encrypts `len` bytes in pieces of at most `most`, and returns the last bytes and the IV
 * that follows. */
static void encrypt(const char *name, const char *from, size_t len, size_t most,
                    unsigned char last[TAIL], unsigned char next[16])
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(both.libctx, name, from);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    size_t done = 0;
    MUST(cipher && ctx && EVP_CipherInit_ex2(ctx, cipher, key, iv, 1, NULL));
    MUST(EVP_CIPHER_CTX_set_padding(ctx, 0));
    for (size_t n; done < len; done += n) {
        int wrote = 0;
        n = len - done < most ? len - done : most;
        MUST(EVP_CipherUpdate(ctx, out + done, &wrote, in + done, (int)n) && (size_t)wrote == n);
    }
    memcpy(last, out + len - TAIL, TAIL);
    MUST(EVP_CIPHER_CTX_get_updated_iv(ctx, next, 16));
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
}

static void test_cipher(const char *name, size_t len)
{
    static unsigned char last[2][TAIL], next[2][16];
    encrypt(name, THEIRS, len, piece & ~(size_t)15, last[0], next[0]);
    encrypt(name, OURS, len, INT_MAX, last[1], next[1]);
    MUST(!memcmp(last[0], last[1], TAIL) && !memcmp(next[0], next[1], 16));
}

static void test_ctr(void)
{
    test_cipher("AES-128-CTR", INT_MAX);
}

static void test_cbc(void)
{
    test_cipher("AES-128-CBC", (size_t)INT_MAX & ~(size_t)15);
}

/* test_whole: EVP_Cipher takes an unsigned length and returns an int. */
static void test_whole(void)
{
    static unsigned char last[2][TAIL];
    static const char *const from[] = { THEIRS, OURS };
    const unsigned len = (unsigned)INT_MAX + 1000u;
    int said[2];
    for (int side = 0; side < 2; side++) {
        EVP_CIPHER *cipher = EVP_CIPHER_fetch(both.libctx, "AES-128-CTR", from[side]);
        EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
        MUST(cipher && ctx && EVP_CipherInit_ex2(ctx, cipher, key, iv, 1, NULL));
        said[side] = EVP_Cipher(ctx, out, in, len);
        memcpy(last[side], out + len - TAIL, TAIL);
        EVP_CIPHER_CTX_free(ctx);
        EVP_CIPHER_free(cipher);
    }
    MUST(said[0] == said[1] && !memcmp(last[0], last[1], TAIL));
}

static void seal(const char *from, size_t most, unsigned char tag[16])
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(both.libctx, "AES-256-GCM", from);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int n;
    MUST(cipher && ctx && EVP_CipherInit_ex2(ctx, cipher, key, iv, 1, NULL));
    for (size_t at = 0, len; at < total; at += len) {
        len = total - at < most ? total - at : most;
        MUST(EVP_CipherUpdate(ctx, NULL, &n, in + at, (int)len));
    }
    for (size_t at = 0, len; at < total; at += len) {
        len = total - at < most ? total - at : most;
        MUST(EVP_CipherUpdate(ctx, out + at, &n, in + at, (int)len));
    }
    MUST(EVP_CipherFinal_ex(ctx, tag, &n) &&
         EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag) > 0);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
}

static void test_gcm(void)
{
    unsigned char tag[2][16];
    seal(THEIRS, piece, tag[0]);
    seal(OURS, INT_MAX, tag[1]);
    MUST(!memcmp(tag[0], tag[1], 16));
}

/* ---- MACs ---- */

static void mac(const char *from, int whole, unsigned char tag[16])
{
    EVP_MAC *poly = EVP_MAC_fetch(both.libctx, "POLY1305", from);
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(poly);
    size_t len;
    MUST(poly && ctx && EVP_MAC_init(ctx, key, 32, NULL));
    for (size_t at = 0, n; at < total; at += n) {
        n = whole ? total : total - at < piece ? total - at : piece;
        MUST(EVP_MAC_update(ctx, in + at, n));
    }
    MUST(EVP_MAC_final(ctx, tag, &len, 16) && len == 16);
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(poly);
}

static void test_poly1305(void)
{
    unsigned char tag[2][16];
    mac(THEIRS, 0, tag[0]);
    mac(OURS, 1, tag[1]);
    MUST(!memcmp(tag[0], tag[1], 16));
}

/* ---- the library ---- */

static void test_library(void)
{
    struct hr_aead_key aead;
    unsigned char tag[3][16], small[32];
    MUST(!hr_aead_key_init(&aead, HR_AES_256_GCM, key, 32));
    MUST(!hr_aead_encrypt(out, tag[0], 16, in, total, in, total, &aead, iv, 12));
    seal(THEIRS, piece, tag[1]); /* its IV is the same 12 bytes */
    MUST(!memcmp(tag[0], tag[1], 16));

    struct hr_cipher_key cipher;
    static unsigned char last[2][TAIL];
    unsigned char next[16];
    const size_t len = total & ~(size_t)15;
    MUST(!hr_cipher_key_init(&cipher, HR_AES_128_CTR, key, 16));
    MUST(!hr_cipher_encrypt(out, in, len, &cipher, iv, 16));
    memcpy(last[0], out + len - TAIL, TAIL);
    encrypt("AES-128-CTR", THEIRS, len, piece & ~(size_t)15, last[1], next);
    MUST(!memcmp(last[0], last[1], TAIL));

    uint64_t lens = 0;
    MUST(!hr_digest(small, HR_CRC32C, in, total));
    unsigned char parts[32];
    struct hr_digest_ctx ctx;
    MUST(!hr_digest_init(&ctx, HR_CRC32C));
    for (size_t n; lens < total; lens += n) {
        n = total - lens < piece ? total - lens : piece;
        MUST(!hr_digest_update(&ctx, in + lens, n));
    }
    MUST(!hr_digest_final(&ctx, parts) && !memcmp(parts, small, 4));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
        int slow;
    } tests[] = {
        { "the library's calls", test_library, 1 },
        { "EVP_Cipher of 2^31 bytes", test_whole, 0 },
        { "CTR", test_ctr, 1 },
        { "GCM's AAD and text", test_gcm, 1 },
        { "Poly1305", test_poly1305, 1 },
        { "CBC", test_cbc, 1 },
        { "SHA-256", test_sha256, 1 },
        { "SHA-512", test_sha512, 1 },
    };
    const int all = argc > 1 && !strcmp(argv[1], "--all");
    const size_t num = sizeof tests / sizeof tests[0];
    uint64_t random = 0x9e3779b97f4a7c15u;
    if (argc > 1 && !all) { /* --quick: an emulated CPU, or a sanitizer */
        printf("1..0 # SKIP gigabytes take long here\n");
        return 0;
    }
    both = load_both();
    in = repeated();
    out = repeated();
    random_bytes(&random, in, chunk);
    for (size_t i = 0; i < num; i++) {
        const int run = all || !tests[i].slow;
        if (run)
            tests[i].run();
        printf("ok %zu - %s%s\n", i + 1, tests[i].name, run ? "" : " # SKIP without --all");
        fflush(stdout);
    }
    unload_both(&both);
    printf("1..%zu\n", num);
    return 0;
}
