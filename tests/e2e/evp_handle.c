/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that the accelerator keeps, through EVP: random messages in random pieces give what the
 * default provider (ours, if OpenSSL lacks the cipher) gives under the same key in memory.
 * HEADRACE_ACCEL names the service; it gets keys as bytes and, if libcrypto has them, as
 * EVP_SKEY. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "evp.h"
#include <dlfcn.h>
#include <headrace/algorithms.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#define HANDLES "headrace.keys=accelerator"

enum { MAX_DATA = 40000, MAX_PAD = 16, MAX_KEY = 64, MAX_IV = 16, NUM_MESSAGES = 40 };
enum { MAX_F8 = 32768, WHOLE = 0 };

static struct loaded both;
static uint64_t state = 0x9e3779b97f4a7c15;
static unsigned num_tests;
static unsigned char data[MAX_DATA], key[MAX_KEY], iv[MAX_IV], aad[200];

static size_t below(size_t limit)
{
    return next_random(&state) % limit;
}

static void ok(const char *what, const char *name)
{
    printf("ok %u - %s, %s\n", ++num_tests, name, what);
}

/* ---- EVP_SKEY, from OpenSSL 3.5 on: found where it is ---- */

typedef struct skey SKEY;
static struct {
    SKEY *(*import)(OSSL_LIB_CTX *, const char *, const char *, int, const OSSL_PARAM *);
    SKEY *(*generate)(OSSL_LIB_CTX *, const char *, const char *, const OSSL_PARAM *);
    int (*get0_raw_key)(const SKEY *, const unsigned char **, size_t *);
    void (*free)(SKEY *);
    int (*cipher_init)(EVP_CIPHER_CTX *, const EVP_CIPHER *, SKEY *, const unsigned char *, size_t,
                       int, const OSSL_PARAM *);
    int (*mac_init)(EVP_MAC_CTX *, SKEY *, const OSSL_PARAM *);
} skey;

static void find(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &symbol, sizeof symbol);
}

static int find_skey(void)
{
    find(&skey.import, "EVP_SKEY_import");
    find(&skey.generate, "EVP_SKEY_generate");
    find(&skey.get0_raw_key, "EVP_SKEY_get0_raw_key");
    find(&skey.free, "EVP_SKEY_free");
    find(&skey.cipher_init, "EVP_CipherInit_SKEY");
    find(&skey.mac_init, "EVP_MAC_init_SKEY");
    return skey.import && skey.generate && skey.get0_raw_key && skey.free && skey.cipher_init &&
           skey.mac_init;
}

static SKEY *object(const struct hr_algorithm *row, size_t key_len)
{
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string("headrace-algorithm", (char *)row->name, 0),
        OSSL_PARAM_construct_octet_string("raw-bytes", key, key_len),
        OSSL_PARAM_construct_end(),
    };
    SKEY *k = skey.import(both.libctx, "HEADRACE", HANDLES, 0, params);
    const unsigned char *raw;
    size_t len;
    MUST(k && !skey.get0_raw_key(k, &raw, &len)); /* a key that is kept cannot be read */
    ERR_clear_error();
    return k;
}

/* ---- ciphers ---- */

struct how {
    const char *properties;
    int encrypt, pad, by_object, last_part;
    size_t len, aad_len, iv_len, tag_len, splits;
};

/* in_memory returns the properties of the provider to compare with: OpenSSL's if it has the cipher,
 * else ours. */
static const char *in_memory(const struct hr_algorithm *row)
{
    return row_is_theirs(&both, row) ? THEIRS : OURS;
}

static EVP_CIPHER_CTX *begin(const struct hr_algorithm *row, const struct how *h)
{
    char name[64];
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(both.libctx, row_name(row, name), h->properties);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    MUST(cipher && ctx && EVP_CipherInit_ex(ctx, cipher, NULL, NULL, NULL, h->encrypt));
    if (row->cls == HR_CLASS_AEAD)
        MUST(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)h->iv_len, NULL) > 0);
    if (row->mode == HR_MODE_CCM && h->encrypt)
        MUST(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)h->tag_len, NULL) > 0);
    if (h->by_object) {
        SKEY *k = object(row, row->key_len);
        MUST(skey.cipher_init(ctx, NULL, k, iv, h->iv_len, h->encrypt, NULL));
        skey.free(k);
    } else {
        MUST(EVP_CipherInit_ex(ctx, NULL, NULL, key, iv, -1));
    }
    if (row->cls == HR_CLASS_CIPHER)
        MUST(EVP_CIPHER_CTX_set_padding(ctx, h->pad));
    EVP_CIPHER_free(cipher);
    return ctx;
}

/* pieces gives a message in random pieces, or at once if splits is WHOLE; now and then a copy of
 * the context takes over. It returns the output's length, or -1 if the final call fails. */
static int pieces(EVP_CIPHER_CTX **ctx, unsigned char *out, const unsigned char *in, size_t len,
                  uint64_t splits)
{
    int total = 0, n = 0;
    for (size_t done = 0, part; done < len; done += part) {
        part = next_random(&splits) % 3 ? 1 + next_random(&splits) % (len - done)
                                        : 1 + next_random(&splits) % 20;
        part = part < len - done && splits != WHOLE ? part : len - done;
        MUST(EVP_CipherUpdate(*ctx, out + total, &n, in + done, (int)part));
        total += n;
        if (next_random(&splits) % 4 == 0) {
            EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
            MUST(copy && EVP_CIPHER_CTX_copy(copy, *ctx));
            EVP_CIPHER_CTX_free(*ctx);
            *ctx = copy;
        }
    }
    if (!EVP_CipherFinal_ex(*ctx, out + total, &n))
        return -1;
    return total + n;
}

static int cipher(const struct hr_algorithm *row, struct how h, const char *properties,
                  unsigned char *out, const unsigned char *in)
{
    h.properties = properties;
    h.by_object &= !strcmp(properties, HANDLES);
    EVP_CIPHER_CTX *ctx = begin(row, &h);
    const int len = pieces(&ctx, out, in, h.len, h.splits);
    EVP_CIPHER_CTX_free(ctx);
    ERR_clear_error();
    return len;
}

static void check_cipher(const struct hr_algorithm *row, int by_object)
{
    static unsigned char theirs[MAX_DATA + MAX_PAD], ours[MAX_DATA + MAX_PAD];
    static unsigned char back[MAX_DATA + 2 * MAX_PAD];
    const char *plain = in_memory(row);
    for (int i = 0; i < NUM_MESSAGES; i++) {
        struct how h = { .encrypt = 1, .by_object = by_object, .pad = i & 1 };
        h.iv_len = row->iv_len;
        h.splits = next_random(&state);
        h.len = below(i % 10 ? 300 : MAX_DATA);
        if (row->mode == HR_MODE_F8) { /* f8 has no IV from which a second update could go on */
            h.splits = WHOLE;
            h.len %= MAX_F8 + 1;
        }
        if (!h.pad)
            h.len -= h.len % row->block_len;
        random_bytes(&state, data, h.len);
        random_bytes(&state, key, sizeof key);
        random_bytes(&state, iv, sizeof iv);
        const int len = cipher(row, h, plain, theirs, data);
        MUST(len >= 0 && cipher(row, h, HANDLES, ours, data) == len);
        MUST(!memcmp(ours, theirs, (size_t)len));
        h.encrypt = 0;
        h.len = (size_t)len;
        const int back_len = cipher(row, h, plain, back, theirs);
        MUST(cipher(row, h, HANDLES, back, theirs) == back_len);
        MUST(!memcmp(back, data, (size_t)back_len));
        if (h.pad && row->block_len > 1) { /* with the last byte changed, mostly the padding is
                                            * bad */
            theirs[len - 1] ^= (unsigned char)(1 + below(255));
            const int wrong = cipher(row, h, plain, back, theirs);
            MUST(cipher(row, h, HANDLES, back, theirs) == wrong);
        }
    }
    ok(by_object ? "EVP_SKEY" : "bytes", row->name);
}

/* ---- AEADs ---- */

static int seal(const struct hr_algorithm *row, const struct how *h, unsigned char *out,
                unsigned char *tag)
{
    EVP_CIPHER_CTX *ctx = begin(row, h);
    int n, last;
    if (row->mode == HR_MODE_CCM)
        MUST(EVP_CipherUpdate(ctx, NULL, &n, NULL, (int)h->len));
    if (h->aad_len)
        MUST(EVP_CipherUpdate(ctx, NULL, &n, aad, (int)h->aad_len));
    MUST(EVP_CipherUpdate(ctx, out, &n, data, (int)h->len) && n == (int)h->len);
    MUST(EVP_CipherFinal_ex(ctx, out + n, &last) && !last);
    MUST(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)h->tag_len, tag) > 0);
    EVP_CIPHER_CTX_free(ctx);
    return n;
}

/* open_sealed decrypts a message and returns 1 if its tag is right. GCM's tag may be set before the
 * text or after it. */
static int open_sealed(const struct hr_algorithm *row, const struct how *h, unsigned char *out,
                       const unsigned char *in, unsigned char *tag, int tag_first)
{
    EVP_CIPHER_CTX *ctx = begin(row, h);
    int n, last, good;
    if (tag_first)
        MUST(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)h->tag_len, tag) > 0);
    if (row->mode == HR_MODE_CCM)
        MUST(EVP_CipherUpdate(ctx, NULL, &n, NULL, (int)h->len));
    if (h->aad_len)
        MUST(EVP_CipherUpdate(ctx, NULL, &n, aad, (int)h->aad_len));
    good = EVP_CipherUpdate(ctx, out, &n, in, (int)h->len);
    if (good && !tag_first)
        MUST(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)h->tag_len, tag) > 0);
    if (row->mode != HR_MODE_CCM)
        good = good && EVP_CipherFinal_ex(ctx, out + n, &last);
    EVP_CIPHER_CTX_free(ctx);
    ERR_clear_error();
    return good;
}

static void check_aead(const struct hr_algorithm *row, int by_object)
{
    static unsigned char theirs[MAX_DATA], ours[MAX_DATA], back[MAX_DATA], tag[2][16];
    const char *plain = in_memory(row);
    for (int i = 0; i < NUM_MESSAGES; i++) {
        struct how h = { plain, 1, 0, 0, 0, below(i % 10 ? 300 : MAX_DATA), 0, 12, 16, 0 };
        h.aad_len = below(3) ? below(sizeof aad) : 0;
        h.tag_len = 4 + 2 * below(7);
        random_bytes(&state, data, h.len);
        random_bytes(&state, aad, h.aad_len);
        random_bytes(&state, key, sizeof key);
        random_bytes(&state, iv, sizeof iv);
        seal(row, &h, theirs, tag[0]);
        h.properties = HANDLES;
        h.by_object = by_object;
        seal(row, &h, ours, tag[1]);
        MUST(!memcmp(ours, theirs, h.len) && !memcmp(tag[0], tag[1], h.tag_len));
        h.encrypt = 0;
        const int first = row->mode == HR_MODE_CCM || i & 1;
        MUST(open_sealed(row, &h, back, ours, tag[0], first) && !memcmp(back, data, h.len));
        tag[0][below(h.tag_len)] ^= 1;
        MUST(!open_sealed(row, &h, back, ours, tag[0], first));
    }
    ok(by_object ? "EVP_SKEY" : "bytes", row->name);
}

/* check_replayed_tag checks that after a refused update, which a program may ignore, the tag of an
 * empty message is not accepted. */
static void check_replayed_tag(const struct hr_algorithm *row)
{
    unsigned char tag[16], text[32] = { 0 };
    struct how h = { HANDLES, 1, 0, 0, 0, 0, 20, 12, 16, 0 };
    int n, last;
    seal(row, &h, text, tag);
    h.encrypt = 0;
    EVP_CIPHER_CTX *ctx = begin(row, &h);
    MUST(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)h.tag_len, tag) > 0);
    MUST(EVP_CipherUpdate(ctx, NULL, &n, aad, (int)h.aad_len));
    MUST(!EVP_CipherUpdate(ctx, text, &n, data, sizeof text));
    MUST(!EVP_CipherFinal_ex(ctx, text, &last));
    EVP_CIPHER_CTX_free(ctx);
    ERR_clear_error();
    ok("the tag of an empty message", row->name);
}

/* ---- HMAC ---- */

static size_t hmac(const struct hr_algorithm *row, const char *properties, int by_object,
                   size_t key_len, size_t len, uint64_t splits, unsigned char *out)
{
    char digest[64];
    size_t out_len = 0;
    EVP_MAC *mac = EVP_MAC_fetch(both.libctx, "HMAC", properties);
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);
    row_name(hr_algorithm(row->digest), digest);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    MUST(mac && ctx);
    if (by_object) {
        SKEY *k = object(row, key_len);
        MUST(skey.mac_init(ctx, k, params));
        skey.free(k);
    } else {
        MUST(EVP_MAC_init(ctx, key, key_len, params));
    }
    for (size_t done = 0, part; done < len; done += part) {
        part = 1 + next_random(&splits) % (len - done);
        MUST(EVP_MAC_update(ctx, data + done, part));
    }
    MUST(EVP_MAC_CTX_get_mac_size(ctx) == row->out_len);
    MUST(EVP_MAC_final(ctx, out, &out_len, HR_DIGEST_MAX_OUT));
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(mac);
    return out_len;
}

static void check_hmac(const struct hr_algorithm *row, int by_object)
{
    unsigned char theirs[HR_DIGEST_MAX_OUT], ours[HR_DIGEST_MAX_OUT];
    for (int i = 0; i < NUM_MESSAGES; i++) {
        const size_t len = below(i % 10 ? 300 : MAX_DATA), key_len = 1 + below(MAX_KEY);
        const uint64_t splits = next_random(&state);
        random_bytes(&state, data, len);
        random_bytes(&state, key, sizeof key);
        const size_t mac_len = hmac(row, THEIRS, 0, key_len, len, splits, theirs);
        MUST(hmac(row, HANDLES, by_object, key_len, len, splits, ours) == mac_len);
        MUST(!memcmp(ours, theirs, mac_len));
    }
    ok(by_object ? "EVP_SKEY" : "bytes", row->name);
}

/* ---- a long-term key of the service, by its name ---- */

/* check_named encrypts with the service's key of this name for AES-256-CBC; `bytes` is the same
 * key. */
static void check_named(const char *name, const char *bytes)
{
    unsigned char theirs[48], ours[48], text[32] = "a key that has a name";
    int n, last;
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(both.libctx, "AES-256-CBC", HANDLES);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string("headrace-key", (char *)name, 0),
        OSSL_PARAM_construct_end(),
    };
    MUST(cipher && ctx && EVP_EncryptInit_ex2(ctx, cipher, NULL, iv, params));
    MUST(EVP_EncryptUpdate(ctx, ours, &n, text, sizeof text));
    MUST(EVP_EncryptFinal_ex(ctx, ours + n, &last) && n + last == sizeof ours);
    const struct how h = { THEIRS, 1, 1, 0, 0, sizeof text, 0, 16, 0, 1 };
    memcpy(key, bytes, 32);
    MUST(cipher && (int)sizeof ours == (int)(sizeof theirs));
    EVP_CIPHER_CTX *plain = begin(hr_algorithm(HR_AES_256_CBC), &h);
    MUST(pieces(&plain, theirs, text, sizeof text, 1) == sizeof ours);
    MUST(!memcmp(ours, theirs, sizeof ours));
    EVP_CIPHER_CTX_free(plain);
    params[0] = OSSL_PARAM_construct_utf8_string("headrace-key", "nobody", 0);
    MUST(!EVP_EncryptInit_ex2(ctx, cipher, NULL, iv, params));
    ERR_clear_error();
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    ok("by name", "a long-term key");
}

static void check_generated(void)
{
    const struct hr_algorithm *row = hr_algorithm(HR_AES_256_GCM);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string("headrace-algorithm", (char *)row->name, 0),
        OSSL_PARAM_construct_end(),
    };
    SKEY *k = skey.generate(both.libctx, "HEADRACE", HANDLES, params);
    const unsigned char *raw;
    size_t len;
    MUST(k && !skey.get0_raw_key(k, &raw, &len));
    skey.free(k);
    ERR_clear_error();
    ok("EVP_SKEY_generate", row->name);
}

/* check_unseen checks that a program without the property for handles is never given these
 * implementations. */
static void check_unseen(void)
{
    EVP_MAC *mac = EVP_MAC_fetch(both.libctx, "HMAC", "?provider=headrace");
    MUST(mac && !strcmp(OSSL_PROVIDER_get0_name(EVP_MAC_get0_provider(mac)), "default"));
    EVP_MAC_free(mac);
    MUST(!EVP_MAC_fetch(both.libctx, "HMAC", OURS));
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(both.libctx, "AES-128-GCM", OURS);
    MUST(cipher && !strstr(EVP_CIPHER_get0_description(cipher), "accelerator"));
    EVP_CIPHER_free(cipher);
    ERR_clear_error();
    ok("unseen", "without their property");
}

/* check_refused checks that no key can be used, and that OpenSSL's error has `text` as its data. */
static void check_refused(const char *text)
{
    const char *said = "";
    int flags = 0;
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(both.libctx, "AES-128-CTR", HANDLES);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    MUST(cipher && ctx && !EVP_EncryptInit_ex(ctx, cipher, NULL, key, iv));
    MUST(ERR_peek_error_data(&said, &flags) && flags & ERR_TXT_STRING && strstr(said, text));
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    ERR_clear_error();
    ok(text, "the client's library");
}

/* evp_handle [TEXT]: with a text, only checks that every use of a key fails with this text. */
int main(int argc, char **argv)
{
    const struct hr_algorithm *row;
    const char *name = getenv("HEADRACE_TEST_KEY_NAME"), *bytes = getenv("HEADRACE_TEST_KEY");
    both = load_both();
    if (argc > 1) {
        check_refused(argv[1]);
        unload_both(&both);
        return 0;
    }
    const int objects = find_skey();
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        for (int by_object = 0; by_object <= objects; by_object++) {
            if (row->cls == HR_CLASS_CIPHER)
                check_cipher(row, by_object);
            if (row->cls == HR_CLASS_AEAD)
                check_aead(row, by_object);
            if (row->cls == HR_CLASS_AEAD && !by_object)
                check_replayed_tag(row);
            if (row->cls == HR_CLASS_MAC)
                check_hmac(row, by_object);
        }
    if (objects)
        check_generated();
    else
        printf("ok %u - EVP_SKEY # SKIP libcrypto has none\n", ++num_tests);
    check_unseen();
    if (name && bytes)
        check_named(name, bytes);
    unload_both(&both);
    printf("1..%u\n", num_tests);
    return 0;
}
