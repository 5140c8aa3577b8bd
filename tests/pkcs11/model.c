/* SPDX-License-Identifier: Apache-2.0 */
/* Random messages through the PKCS#11 module against libcrypto: ciphers, authenticated encryption,
 * digests, MACs, wrapped and derived keys; whole, in pieces, in place, with questions for the
 * length and rooms that are too small in between.  Usage: model [--quick] MODULE */
#include "model.h"
#include <openssl/evp.h>

enum { MAX_TEXT = 700 };

CK_SESSION_HANDLE s;
#define NOTHING ((struct list){ 0 })

/* ---- one message through the module ---- */

typedef CK_RV text_call(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG, CK_BYTE *, CK_ULONG *);
typedef CK_RV end_call(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG *);

/* A direction: what begins is called before. */
struct direction {
    text_call *whole, *update;
    end_call *final;
};

/* step makes one call that gives out bytes, sometimes after a question for their number and with
 * too little room; the room ends at a guard page. */
static size_t step(text_call *call, end_call *end, CK_BYTE *in, CK_ULONG len, uint8_t *out)
{
    static struct guarded page;
    if (!page.start)
        page = guarded_new(4096);
    CK_ULONG most = 0, room;
    REQUIRE(call ? call(s, in, len, NULL, &most) : end(s, NULL, &most));
    if (most > 1000)
        return complain("%lu bytes of %lu", most, len), 0;
    if (most && random_below(4) == 0) {
        const CK_ULONG small = random_below((uint32_t)most);
        room = small;
        const CK_RV rv =
            call ? call(s, in, len, page.end - small, &room) : end(s, page.end - small, &room);
        if (rv == CKR_OK && room <= small) { /* the text without its padding had room */
            memcpy(out, page.end - small, room);
            return room;
        }
        if (rv != CKR_BUFFER_TOO_SMALL || room <= small)
            complain("too little room: %s", rv_name(rv));
    }
    room = most;
    const int in_place = call && most >= len && random_below(2);
    if (in_place)
        memcpy(page.end - most, in, len);
    CK_BYTE *from = in_place ? page.end - most : in;
    const CK_RV rv =
        call ? call(s, from, len, page.end - most, &room) : end(s, page.end - most, &room);
    if (rv != CKR_OK || room > most)
        return complain("%s, %lu of %lu bytes", rv_name(rv), room, most), 0;
    memcpy(out, page.end - most, room);
    return room;
}

/* run processes a message in a random way, after C_...Init. */
static size_t run(const struct direction *d, uint8_t *in, size_t len, uint8_t *out)
{
    size_t written = 0;
    if (!d->update || random_below(3) == 0)
        return step(d->whole, NULL, in, len, out);
    for (size_t at = 0, part; at < len; at += part) {
        part = random_below(5) ? 1 + random_below((uint32_t)(random_below(2) ? 20 : len)) : 0;
        part = part < len - at ? part : len - at;
        written += step(d->update, NULL, in + at, part, out + written);
    }
    return written + step(NULL, d->final, NULL, 0, out + written);
}

void compare(const char *what, const uint8_t *got, size_t got_len, const uint8_t *wanted,
             size_t len)
{
    if (got_len != len || memcmp(got, wanted, len))
        complain("%s: %zu bytes instead of %zu, or others", what, got_len, len);
}

/* ---- ciphers ---- */

enum { WHOLE_ONLY = 1, BLOCKS = 2, PADS = 4, COUNTS = 8 };
static const struct cipher {
    CK_MECHANISM_TYPE type;
    CK_KEY_TYPE key_type;
    const char *names[3]; /* for each length of the key */
    CK_ULONG lens[3];
    unsigned iv_len, block, flags;
} ciphers[] = {
    { CKM_AES_ECB,
      CKK_AES,
      { "AES-128-ECB", "AES-192-ECB", "AES-256-ECB" },
      { 16, 24, 32 },
      0,
      16,
      BLOCKS },
    { CKM_AES_CBC,
      CKK_AES,
      { "AES-128-CBC", "AES-192-CBC", "AES-256-CBC" },
      { 16, 24, 32 },
      16,
      16,
      BLOCKS },
    { CKM_AES_CBC_PAD,
      CKK_AES,
      { "AES-128-CBC", "AES-192-CBC", "AES-256-CBC" },
      { 16, 24, 32 },
      16,
      16,
      PADS },
    { CKM_AES_CTR,
      CKK_AES,
      { "AES-128-CTR", "AES-192-CTR", "AES-256-CTR" },
      { 16, 24, 32 },
      16,
      1,
      COUNTS },
    { CKM_AES_CFB128,
      CKK_AES,
      { "AES-128-CFB", "AES-192-CFB", "AES-256-CFB" },
      { 16, 24, 32 },
      16,
      1,
      0 },
    { CKM_AES_XTS, CKK_AES_XTS, { "AES-128-XTS", "AES-256-XTS" }, { 32, 64 }, 16, 1, WHOLE_ONLY },
    { CKM_DES3_ECB, CKK_DES3, { "DES-EDE3-ECB" }, { 24 }, 0, 8, BLOCKS },
    { CKM_DES3_CBC, CKK_DES3, { "DES-EDE3-CBC" }, { 24 }, 8, 8, BLOCKS },
    { CKM_DES3_CBC_PAD, CKK_DES3, { "DES-EDE3-CBC" }, { 24 }, 8, 8, PADS },
    { CKM_CAMELLIA_ECB,
      CKK_CAMELLIA,
      { "CAMELLIA-128-ECB", "CAMELLIA-192-ECB", "CAMELLIA-256-ECB" },
      { 16, 24, 32 },
      0,
      16,
      BLOCKS },
    { CKM_CAMELLIA_CBC,
      CKK_CAMELLIA,
      { "CAMELLIA-128-CBC", "CAMELLIA-192-CBC", "CAMELLIA-256-CBC" },
      { 16, 24, 32 },
      16,
      16,
      BLOCKS },
    { CKM_CAMELLIA_CBC_PAD,
      CKK_CAMELLIA,
      { "CAMELLIA-128-CBC", "CAMELLIA-192-CBC", "CAMELLIA-256-CBC" },
      { 16, 24, 32 },
      16,
      16,
      PADS },
    { CKM_CAMELLIA_CTR,
      CKK_CAMELLIA,
      { "CAMELLIA-128-CTR", "CAMELLIA-192-CTR", "CAMELLIA-256-CTR" },
      { 16, 24, 32 },
      16,
      1,
      COUNTS },
};

size_t reference_cipher(const char *name, int pads, const uint8_t *key, const uint8_t *iv,
                        const uint8_t *in, size_t len, uint8_t *out)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, "provider=default");
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int first = 0, last = 0;
    if (!EVP_EncryptInit_ex2(ctx, cipher, key, iv, NULL) ||
        !EVP_CIPHER_CTX_set_padding(ctx, pads) ||
        !EVP_EncryptUpdate(ctx, out, &first, in, (int)len) ||
        !EVP_EncryptFinal_ex(ctx, out + first, &last))
        complain("%s: libcrypto", name);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    return (size_t)(first + last);
}

static void try_cipher(const struct cipher *c)
{
    const struct direction encrypt = { p11->C_Encrypt,
                                       c->flags & WHOLE_ONLY ? NULL : p11->C_EncryptUpdate,
                                       p11->C_EncryptFinal },
                           decrypt = { p11->C_Decrypt,
                                       c->flags & WHOLE_ONLY ? NULL : p11->C_DecryptUpdate,
                                       p11->C_DecryptFinal };
    uint8_t key[64], iv[16], in[MAX_TEXT], out[MAX_TEXT + 32], wanted[MAX_TEXT + 32];
    CK_AES_CTR_PARAMS counter = { .ulCounterBits = 128 };
    const unsigned pick = random_below(c->lens[2] ? 3 : c->lens[1] ? 2 : 1);
    size_t len = random_below(random_below(2) ? 70 : MAX_TEXT - 20);
    if (c->flags & BLOCKS)
        len = len / c->block * c->block;
    if (c->flags & WHOLE_ONLY)
        len += 16;
    random_bytes(key, sizeof key);
    random_bytes(iv, sizeof iv);
    random_bytes(in, len);
    memcpy(counter.cb, iv, sizeof counter.cb);
    CK_MECHANISM mechanism = { c->type, c->iv_len ? iv : NULL, c->iv_len };
    if (c->flags & COUNTS)
        mechanism = (CK_MECHANISM){ c->type, &counter, sizeof counter };
    const CK_OBJECT_HANDLE handle = key_of(s, c->key_type, key, c->lens[pick], NOTHING);
    const size_t wanted_len =
        reference_cipher(c->names[pick], !!(c->flags & PADS), key, iv, in, len, wanted);
    REQUIRE(p11->C_EncryptInit(s, &mechanism, handle));
    size_t got = run(&encrypt, in, len, out);
    compare(c->names[pick], out, got, wanted, wanted_len);
    REQUIRE(p11->C_DecryptInit(s, &mechanism, handle));
    got = run(&decrypt, wanted, wanted_len, out);
    compare("decrypted", out, got, in, len);
    (void)p11->C_SessionCancel(s, CKF_ENCRYPT | CKF_DECRYPT);
    destroy(s, handle);
}

/* ---- authenticated encryption ---- */

struct sealed {
    uint8_t key[32], iv[64], aad[100], in[MAX_TEXT], out[MAX_TEXT + 16];
    size_t iv_len, aad_len, len, tag_len;
};

/* reference_aead encrypts by libcrypto; the tag follows the text. */
static void reference_aead(const char *name, int is_ccm, struct sealed *m)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, "provider=default");
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int n, fine = EVP_EncryptInit_ex2(ctx, cipher, NULL, NULL, NULL) &&
                  EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)m->iv_len, NULL);
    if (is_ccm)
        fine &= EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)m->tag_len, NULL);
    fine &= EVP_EncryptInit_ex2(ctx, NULL, m->key, m->iv, NULL);
    if (is_ccm)
        fine &= EVP_EncryptUpdate(ctx, NULL, &n, NULL, (int)m->len);
    if (m->aad_len)
        fine &= EVP_EncryptUpdate(ctx, NULL, &n, m->aad, (int)m->aad_len);
    fine &= EVP_EncryptUpdate(ctx, m->out, &n, m->in, (int)m->len) &&
            EVP_EncryptFinal_ex(ctx, m->out + m->len, &n) &&
            EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)m->tag_len, m->out + m->len);
    if (!fine)
        complain("%s: libcrypto", name);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
}

static void try_messages(CK_MECHANISM_TYPE type, const struct sealed *m, CK_OBJECT_HANDLE key)
{
    uint8_t tag[16], out[MAX_TEXT], iv[64];
    memcpy(iv, m->iv, sizeof iv);
    CK_GCM_MESSAGE_PARAMS gcm = { iv, m->iv_len, 0, CKG_NO_GENERATE, tag, m->tag_len * 8 };
    CK_CCM_MESSAGE_PARAMS ccm = { m->len, iv, m->iv_len, 0, CKG_NO_GENERATE, tag, m->tag_len };
    void *p = type == CKM_AES_GCM ? (void *)&gcm : &ccm;
    const CK_ULONG p_len = type == CKM_AES_GCM ? sizeof gcm : sizeof ccm;
    CK_MECHANISM mechanism = { type, NULL, 0 };
    CK_BYTE *aad = (CK_BYTE *)(uintptr_t)m->aad, *in = (CK_BYTE *)(uintptr_t)m->in,
            *sealed = (CK_BYTE *)(uintptr_t)m->out;
    REQUIRE(p11->C_MessageEncryptInit(s, &mechanism, key));
    CK_ULONG got = sizeof out, second;
    REQUIRE(p11->C_EncryptMessage(s, p, p_len, aad, m->aad_len, in, m->len, out, &got));
    compare("message", out, got, m->out, m->len);
    compare("its tag", tag, m->tag_len, m->out + m->len, m->tag_len);
    const size_t cut = random_below((uint32_t)m->len + 1);
    REQUIRE(p11->C_EncryptMessageBegin(s, p, p_len, aad, m->aad_len));
    got = sizeof out;
    REQUIRE(p11->C_EncryptMessageNext(s, p, p_len, in, cut, out, &got, 0));
    second = sizeof out - got;
    REQUIRE(p11->C_EncryptMessageNext(s, p, p_len, in + cut, m->len - cut, out + got, &second,
                                      CKF_END_OF_MESSAGE));
    compare("message in pieces", out, got + second, m->out, m->len);
    compare("its tag", tag, m->tag_len, m->out + m->len, m->tag_len);
    REQUIRE(p11->C_MessageEncryptFinal(s));
    REQUIRE(p11->C_MessageDecryptInit(s, &mechanism, key));
    got = sizeof out;
    REQUIRE(p11->C_DecryptMessage(s, p, p_len, aad, m->aad_len, sealed, m->len, out, &got));
    compare("decrypted message", out, got, m->in, m->len);
    tag[0] ^= 1;
    got = sizeof out;
    EXPECT(CKR_AEAD_DECRYPT_FAILED,
           p11->C_DecryptMessage(s, p, p_len, aad, m->aad_len, sealed, m->len, out, &got));
    if (type == CKM_AES_CCM) {
        ccm.ulDataLen++;
        EXPECT(CKR_ENCRYPTED_DATA_LEN_RANGE,
               p11->C_DecryptMessage(s, p, p_len, aad, m->aad_len, sealed, m->len, out, &got));
    }
    REQUIRE(p11->C_MessageDecryptFinal(s));
}

/* The length in CCM's parameter is that of the text. */
static void try_another_length(CK_CCM_PARAMS ccm, const struct sealed *m, CK_OBJECT_HANDLE key)
{
    CK_MECHANISM mechanism = { CKM_AES_CCM, &ccm, sizeof ccm };
    uint8_t out[MAX_TEXT + 32], tag[16], iv[64];
    CK_CCM_MESSAGE_PARAMS message = {
        m->len + 1, iv, m->iv_len, 0, CKG_NO_GENERATE, tag, m->tag_len
    };
    CK_BYTE *in = (CK_BYTE *)(uintptr_t)m->in;
    CK_ULONG got = sizeof out;
    memcpy(iv, m->iv, sizeof iv);
    ccm.ulDataLen++;
    REQUIRE(p11->C_EncryptInit(s, &mechanism, key));
    EXPECT(CKR_DATA_LEN_RANGE, p11->C_Encrypt(s, in, m->len, out, &got));
    mechanism = (CK_MECHANISM){ CKM_AES_CCM, NULL, 0 };
    REQUIRE(p11->C_MessageEncryptInit(s, &mechanism, key));
    EXPECT(CKR_DATA_LEN_RANGE,
           p11->C_EncryptMessage(s, &message, sizeof message, NULL, 0, in, m->len, out, &got));
    REQUIRE(p11->C_MessageEncryptFinal(s));
}

static void try_aead(CK_MECHANISM_TYPE type)
{
    static const char *const names[2][3] = { { "AES-128-GCM", "AES-192-GCM", "AES-256-GCM" },
                                             { "AES-128-CCM", "AES-192-CCM", "AES-256-CCM" } };
    const struct direction encrypt = { p11->C_Encrypt, p11->C_EncryptUpdate, p11->C_EncryptFinal },
                           decrypt = { p11->C_Decrypt, p11->C_DecryptUpdate, p11->C_DecryptFinal };
    const int is_ccm = type == CKM_AES_CCM;
    const unsigned pick = random_below(3);
    struct sealed m;
    uint8_t out[MAX_TEXT + 32];
    random_bytes(&m, sizeof m);
    m.iv_len = is_ccm ? 7 + random_below(7) : random_below(2) ? 12 : 1 + random_below(16);
    m.aad_len = random_below(sizeof m.aad);
    m.len = random_below(MAX_TEXT - 20);
    m.tag_len = is_ccm ? 4 + 2 * random_below(7) : 4 + random_below(13);
    reference_aead(names[is_ccm][pick], is_ccm, &m);
    CK_GCM_PARAMS gcm = { m.iv, m.iv_len, m.iv_len * 8, m.aad, m.aad_len, m.tag_len * 8 };
    CK_CCM_PARAMS ccm = { m.len, m.iv, m.iv_len, m.aad, m.aad_len, m.tag_len };
    CK_MECHANISM mechanism = { type, is_ccm ? (void *)&ccm : &gcm,
                               is_ccm ? sizeof ccm : sizeof gcm };
    const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, m.key, 16 + 8 * pick, NOTHING);
    REQUIRE(p11->C_EncryptInit(s, &mechanism, key));
    size_t got = run(&encrypt, m.in, m.len, out);
    compare(names[is_ccm][pick], out, got, m.out, m.len + m.tag_len);
    REQUIRE(p11->C_DecryptInit(s, &mechanism, key));
    got = run(&decrypt, m.out, m.len + m.tag_len, out);
    compare("decrypted", out, got, m.in, m.len);
    (void)p11->C_SessionCancel(s, CKF_ENCRYPT | CKF_DECRYPT);
    try_messages(type, &m, key);
    if (is_ccm)
        try_another_length(ccm, &m, key);
    destroy(s, key);
}

/* ---- digests and MACs ---- */

static const struct hash {
    CK_MECHANISM_TYPE digest, hmac, general;
    const char *name;
} hashes[] = {
    { CKM_MD5, CKM_MD5_HMAC, CKM_MD5_HMAC_GENERAL, "MD5" },
    { CKM_SHA_1, CKM_SHA_1_HMAC, CKM_SHA_1_HMAC_GENERAL, "SHA1" },
    { CKM_SHA224, CKM_SHA224_HMAC, CKM_SHA224_HMAC_GENERAL, "SHA224" },
    { CKM_SHA256, CKM_SHA256_HMAC, CKM_SHA256_HMAC_GENERAL, "SHA256" },
    { CKM_SHA384, CKM_SHA384_HMAC, CKM_SHA384_HMAC_GENERAL, "SHA384" },
    { CKM_SHA512, CKM_SHA512_HMAC, CKM_SHA512_HMAC_GENERAL, "SHA512" },
    { CKM_SHA512_224, CKM_SHA512_224_HMAC, CKM_SHA512_224_HMAC_GENERAL, "SHA512-224" },
    { CKM_SHA512_256, CKM_SHA512_256_HMAC, CKM_SHA512_256_HMAC_GENERAL, "SHA512-256" },
    { CKM_SHA3_224, 0, 0, "SHA3-224" },
    { CKM_SHA3_256, 0, 0, "SHA3-256" },
    { CKM_SHA3_384, 0, 0, "SHA3-384" },
    { CKM_SHA3_512, 0, 0, "SHA3-512" },
};

/* absorb gives a message to C_DigestUpdate or C_SignUpdate in pieces, and then asks for the end. */
static size_t absorb(CK_RV (*update)(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG), text_call *whole,
                     end_call *end, uint8_t *in, size_t len, uint8_t *out)
{
    CK_ULONG got = 64;
    if (random_below(3) == 0) {
        REQUIRE(whole(s, in, len, out, &got));
        return got;
    }
    for (size_t at = 0, part; at < len; at += part) {
        part = random_below(5) ? 1 + random_below((uint32_t)len) : 0;
        part = part < len - at ? part : len - at;
        REQUIRE(update(s, in + at, part));
    }
    return step(NULL, end, NULL, 0, out);
}

static void try_digest(const struct hash *h)
{
    uint8_t in[MAX_TEXT], out[64], wanted[64];
    size_t wanted_len;
    const size_t len = random_below(sizeof in);
    random_bytes(in, len);
    CK_MECHANISM mechanism = { h->digest, NULL, 0 };
    REQUIRE(p11->C_DigestInit(s, &mechanism));
    const size_t got = absorb(p11->C_DigestUpdate, p11->C_Digest, p11->C_DigestFinal, in, len, out);
    if (!EVP_Q_digest(NULL, h->name, "provider=default", in, len, wanted, &wanted_len))
        complain("%s: libcrypto", h->name);
    compare(h->name, out, got, wanted, wanted_len);
}

/* try_mac tries a MAC, whole or cut short. */
static void try_mac(CK_MECHANISM_TYPE type, CK_MECHANISM_TYPE general, CK_KEY_TYPE key_type,
                    const char *mac, const char *part, size_t key_len)
{
    uint8_t key[200], in[MAX_TEXT], out[64], wanted[64];
    size_t wanted_len = 0;
    const size_t len = random_below(sizeof in);
    random_bytes(key, sizeof key);
    random_bytes(in, len);
    if (!EVP_Q_mac(NULL, mac, "provider=default", part, NULL, key, key_len, in, len, wanted,
                   sizeof wanted, &wanted_len))
        complain("%s: libcrypto", part);
    CK_MECHANISM mechanism = { type, NULL, 0 };
    CK_ULONG cut = 1 + random_below((uint32_t)wanted_len);
    if (random_below(2))
        mechanism = (CK_MECHANISM){ general, &cut, sizeof cut };
    else
        cut = wanted_len;
    const CK_OBJECT_HANDLE handle = key_of(s, key_type, key, key_len, BOOLS(CKA_SIGN, CKA_VERIFY));
    REQUIRE(p11->C_SignInit(s, &mechanism, handle));
    const size_t got = absorb(p11->C_SignUpdate, p11->C_Sign, p11->C_SignFinal, in, len, out);
    compare(part, out, got, wanted, cut);
    REQUIRE(p11->C_VerifyInit(s, &mechanism, handle));
    EXPECT(CKR_OK, p11->C_Verify(s, in, len, wanted, cut));
    wanted[random_below((uint32_t)cut)] ^= 1;
    REQUIRE(p11->C_VerifyInit(s, &mechanism, handle));
    EXPECT(CKR_SIGNATURE_INVALID, p11->C_Verify(s, in, len, wanted, cut));
    destroy(s, handle);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 2 && !strcmp(argv[1], "--quick") ? 20 : 1500;
    module_begin(argc > 1 ? argv[argc - 1] : "");
    s = session_open();
    for (size_t i = 0; i < COUNT_OF(ciphers); i++) {
        for (int k = 0; k < rounds && !complaints_suffice(); k++)
            try_cipher(&ciphers[i]);
        tap(1, "mechanism 0x%lx as %s", ciphers[i].type, ciphers[i].names[0]);
    }
    for (int k = 0; k < 2 * rounds && !complaints_suffice(); k++)
        try_aead(k % 2 ? CKM_AES_CCM : CKM_AES_GCM);
    tap(1, "AES-GCM and AES-CCM, also by messages");
    for (size_t i = 0; i < COUNT_OF(hashes); i++) {
        for (int k = 0; k < rounds && !complaints_suffice(); k++)
            try_digest(&hashes[i]);
        for (int k = 0; hashes[i].hmac && k < rounds && !complaints_suffice(); k++)
            try_mac(hashes[i].hmac, hashes[i].general, CKK_GENERIC_SECRET, "HMAC", hashes[i].name,
                    1 + random_below(200));
        for (int k = 0; hashes[i].hmac && k < rounds / 4 && !complaints_suffice(); k++)
            try_hkdf(hashes[i].name, hashes[i].digest);
        tap(1, "%s, with its HMAC and HKDF", hashes[i].name);
    }
    for (int k = 0; k < rounds && !complaints_suffice(); k++) {
        try_mac(CKM_AES_CMAC, CKM_AES_CMAC_GENERAL, CKK_AES, "CMAC", "AES-192-CBC", 24);
        try_mac(CKM_DES3_CMAC, CKM_DES3_CMAC_GENERAL, CKK_DES3, "CMAC", "DES-EDE3-CBC", 24);
    }
    tap(1, "CMAC");
    for (int k = 0; k < rounds && !complaints_suffice(); k++) {
        try_wrap();
        try_pbkdf2();
    }
    tap(1, "wrapped keys, and PBKDF2");
    session_close(s);
    module_end();
    return tap_done();
}
