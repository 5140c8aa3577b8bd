/* SPDX-License-Identifier: Apache-2.0 */
/* GNU Nettle, its C interface. */
#include "peer.h"
#include <nettle/cbc.h>
#include <nettle/cfb.h>
#include <nettle/chacha-poly1305.h>
#include <nettle/ctr.h>
#include <nettle/des.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nettle/md5.h>
#include <nettle/nettle-meta.h>
#include <nettle/poly1305.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>
#include <nettle/version.h>
#include <nettle/xts.h>

struct state {
    size_t size;
    union {
        struct aes128_ctx aes128;
        struct aes256_ctx aes256;
        struct des_ctx des;
        struct des3_ctx des3;
        struct camellia128_ctx camellia;
        struct gcm_aes128_ctx gcm_aes128;
        struct gcm_aes256_ctx gcm_aes256;
        struct xts_aes128_key xts_aes128;
        struct xts_aes256_key xts_aes256;
        struct chacha_poly1305_ctx chacha;
        struct poly1305_aes_ctx poly1305;
        struct md5_ctx md5;
        struct sha1_ctx sha1;
        struct sha256_ctx sha256;
        struct sha512_ctx sha512;
        struct hmac_md5_ctx hmac_md5;
        struct hmac_sha1_ctx hmac_sha1;
        struct hmac_sha256_ctx hmac_sha256;
    } k;
    nettle_cipher_func *block;
    size_t block_len;
    uint8_t key[64], iv[16], chain[16], *in, *out;
};

#define MESSAGE s->size, s->out, s->in

/* ---- modes over a block cipher ---- */

#define MODE(name, call)                         \
    PEER_LOOP(name, memcpy(s->chain, s->iv, 16); \
              call(&s->k, s->block, s->block_len, s->chain, MESSAGE))

PEER_LOOP(ecb, s->block(&s->k, MESSAGE))
MODE(cbc, cbc_encrypt)
MODE(cbc_back, cbc_decrypt)
MODE(ctr, ctr_crypt)
MODE(cfb, cfb_encrypt)
MODE(cfb_back, cfb_decrypt)
PEER_LOOP(cbc_aes128, memcpy(s->chain, s->iv, 16);
          cbc_aes128_encrypt(&s->k.aes128, s->chain, MESSAGE))
PEER_LOOP(cbc_aes256, memcpy(s->chain, s->iv, 16);
          cbc_aes256_encrypt(&s->k.aes256, s->chain, MESSAGE))

/* Nettle has no struct nettle_cipher for DES and triple DES. */
static void des_key(void *ctx, const uint8_t *key)
{
    des_set_key(ctx, key);
}

static void des3_key(void *ctx, const uint8_t *key)
{
    des3_set_key(ctx, key);
}

#define BLOCK(function) (nettle_cipher_func *)(function)

static const struct nettle_cipher des = {
    .block_size = 8,
    .set_encrypt_key = des_key,
    .set_decrypt_key = des_key,
    .encrypt = BLOCK(des_encrypt),
    .decrypt = BLOCK(des_decrypt),
};
static const struct nettle_cipher des3 = {
    .block_size = 8,
    .set_encrypt_key = des3_key,
    .set_decrypt_key = des3_key,
    .encrypt = BLOCK(des3_encrypt),
    .decrypt = BLOCK(des3_decrypt),
};

static const struct mode {
    const char *alg;
    const struct nettle_cipher *cipher;
    peer_run_fn *run, *back;
    int inverse; /* `back` decrypts blocks */
} modes[] = {
    { "AES-128-ECB", &nettle_aes128, ecb, ecb, 1 },
    { "AES-256-ECB", &nettle_aes256, ecb, ecb, 1 },
    { "AES-128-CBC", &nettle_aes128, cbc_aes128, cbc_back, 1 },
    { "AES-256-CBC", &nettle_aes256, cbc_aes256, cbc_back, 1 },
    { "AES-128-CTR", &nettle_aes128, ctr, ctr, 0 },
    { "AES-256-CTR", &nettle_aes256, ctr, ctr, 0 },
    { "AES-128-CFB", &nettle_aes128, cfb, cfb_back, 0 },
    { "AES-256-CFB", &nettle_aes256, cfb, cfb_back, 0 },
    { "DES-CBC", &des, cbc, cbc_back, 1 },
    { "3DES-CBC", &des3, cbc, cbc_back, 1 },
    { "3DES-CTR", &des3, ctr, ctr, 0 },
    { "CAMELLIA-128-CBC", &nettle_camellia128, cbc, cbc_back, 1 },
    { "CAMELLIA-128-CTR", &nettle_camellia128, ctr, ctr, 0 },
};

static void mode_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    const struct mode *const m = PEER_ROW(modes, rq->alg);
    if (!m)
        return;
    const int back = peer_is(rq->op, "dec"), inverse = back && m->inverse;
    s->block = inverse ? m->cipher->decrypt : m->cipher->encrypt;
    s->block_len = m->cipher->block_size;
    (inverse ? m->cipher->set_decrypt_key : m->cipher->set_encrypt_key)(&s->k, s->key);
    out->run = back ? m->back : m->run;
    out->outlen = s->size;
}

/* ---- XTS and AEADs, whose keys are set for encryption and for decryption ---- */

#define XTS(cipher)                                                                     \
    PEER_LOOP(cipher##_encrypt, cipher##_encrypt_message(&s->k.cipher, s->iv, MESSAGE)) \
    PEER_LOOP(cipher##_decrypt, cipher##_decrypt_message(&s->k.cipher, s->iv, MESSAGE))
XTS(xts_aes128)
XTS(xts_aes256)

#define GCM(cipher)                                                    \
    PEER_LOOP(cipher##_seal, cipher##_set_iv(&s->k.cipher, 12, s->iv); \
              cipher##_encrypt(&s->k.cipher, MESSAGE);                 \
              cipher##_digest(&s->k.cipher, 16, s->out + s->size))     \
    PEER_LOOP(cipher##_open, cipher##_set_iv(&s->k.cipher, 12, s->iv); \
              cipher##_decrypt(&s->k.cipher, MESSAGE);                 \
              cipher##_digest(&s->k.cipher, 16, s->out + s->size))
GCM(gcm_aes128)
GCM(gcm_aes256)
PEER_LOOP(chacha_seal, chacha_poly1305_set_nonce(&s->k.chacha, s->iv);
          chacha_poly1305_encrypt(&s->k.chacha, MESSAGE);
          chacha_poly1305_digest(&s->k.chacha, 16, s->out + s->size))
PEER_LOOP(chacha_open, chacha_poly1305_set_nonce(&s->k.chacha, s->iv);
          chacha_poly1305_decrypt(&s->k.chacha, MESSAGE);
          chacha_poly1305_digest(&s->k.chacha, 16, s->out + s->size))

#define KEY(function) (nettle_set_key_func *)(function)

static const struct whole {
    const char *alg;
    nettle_set_key_func *set_key, *set_inverse;
    peer_run_fn *run, *back;
    size_t tag_len;
} wholes[] = {
    { "AES-128-XTS", KEY(xts_aes128_set_encrypt_key), KEY(xts_aes128_set_decrypt_key),
      xts_aes128_encrypt, xts_aes128_decrypt, 0 },
    { "AES-256-XTS", KEY(xts_aes256_set_encrypt_key), KEY(xts_aes256_set_decrypt_key),
      xts_aes256_encrypt, xts_aes256_decrypt, 0 },
    { "AES-128-GCM", KEY(gcm_aes128_set_key), KEY(gcm_aes128_set_key), gcm_aes128_seal,
      gcm_aes128_open, 16 },
    { "AES-256-GCM", KEY(gcm_aes256_set_key), KEY(gcm_aes256_set_key), gcm_aes256_seal,
      gcm_aes256_open, 16 },
    { "CHACHA20-POLY1305", KEY(chacha_poly1305_set_key), KEY(chacha_poly1305_set_key), chacha_seal,
      chacha_open, 16 },
};

static void whole_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    const struct whole *const w = PEER_ROW(wholes, rq->alg);
    if (!w)
        return;
    const int back = peer_is(rq->op, "dec");
    (back ? w->set_inverse : w->set_key)(&s->k, s->key);
    if (back && w->tag_len) { /* a message to open */
        w->run(s, 1);
        memcpy(s->in, s->out, s->size);
    }
    out->run = back ? w->back : w->run;
    out->outlen = s->size + (back ? 0 : w->tag_len);
}

/* ---- digests and MACs ---- */

#define HASH(name, of, length)                                                    \
    PEER_LOOP(name, name##_init(&s->k.of); of##_update(&s->k.of, s->size, s->in); \
              name##_digest(&s->k.of, length, s->out))
HASH(md5, md5, 16)
HASH(sha1, sha1, 20)
HASH(sha224, sha256, 28)
HASH(sha256, sha256, 32)
HASH(sha384, sha512, 48)
HASH(sha512, sha512, 64)
HASH(sha512_256, sha512, 32)

#define MAC(name, length)                                      \
    PEER_LOOP(name, name##_update(&s->k.name, s->size, s->in); \
              name##_digest(&s->k.name, length, s->out))       \
    static void name##_key(struct state *s)                    \
    {                                                          \
        name##_set_key(&s->k.name, 32, s->key);                \
    }
MAC(hmac_md5, 16)
MAC(hmac_sha1, 20)
MAC(hmac_sha256, 32)

PEER_LOOP(poly1305, poly1305_aes_set_nonce(&s->k.poly1305, s->iv);
          poly1305_aes_update(&s->k.poly1305, s->size, s->in);
          poly1305_aes_digest(&s->k.poly1305, 16, s->out))
static void poly1305_key(struct state *s)
{
    poly1305_aes_set_key(&s->k.poly1305, s->key);
}

static const struct hash {
    const char *alg;
    void (*set_key)(struct state *s);
    peer_run_fn *run;
    size_t out_len;
} hashes[] = {
    { "MD5", NULL, md5, 16 },
    { "SHA1", NULL, sha1, 20 },
    { "SHA224", NULL, sha224, 28 },
    { "SHA256", NULL, sha256, 32 },
    { "SHA384", NULL, sha384, 48 },
    { "SHA512", NULL, sha512, 64 },
    { "SHA512-256", NULL, sha512_256, 32 },
    { "HMAC-MD5", hmac_md5_key, hmac_md5, 16 },
    { "HMAC-SHA1", hmac_sha1_key, hmac_sha1, 20 },
    { "HMAC-SHA256", hmac_sha256_key, hmac_sha256, 32 },
    { "POLY1305-AES", poly1305_key, poly1305, 16 },
};

static void hash_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    const struct hash *const h = PEER_ROW(hashes, rq->alg);
    if (!h)
        return;
    if (h->set_key)
        h->set_key(s);
    out->run = h->run;
    out->outlen = h->out_len;
}

/* ---- cells ---- */

static void fini(void *ctx)
{
    struct state *s = ctx;
    free(s->in);
    free(s->out);
    free(s);
}

static int cell(peer *p, const peer_req *rq, peer_cell *out)
{
    if (rq->lanes != 1)
        return PEER_NONE;
    struct state *s = peer_alloc(sizeof *s);
    s->size = rq->size;
    s->in = peer_msg(rq->size);
    s->out = peer_alloc(rq->size + 128);
    peer_iv(s->iv, 16);
    peer_key(s->key, 64);
    *out = (peer_cell){ NULL, fini, s, s->out, 0 };
    mode_cell(s, rq, out);
    whole_cell(s, rq, out);
    hash_cell(s, rq, out);
    if (out->run)
        return PEER_OK;
    fini(s);
    return PEER_NONE;
}

int peer_open(int abi, const char *arg, peer *p)
{
    static const char *const peer_modes[] = { "direct", NULL };
    if (abi != PEER_ABI)
        return 1;
    snprintf(p->version, sizeof p->version, "nettle %d.%d", nettle_version_major(),
             nettle_version_minor());
    p->modes = peer_modes;
    p->cell = cell;
    return 0;
}
