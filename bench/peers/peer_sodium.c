/* SPDX-License-Identifier: Apache-2.0 */
/* libsodium. */
#include "peer.h"
#include <sodium.h>

struct state {
    size_t size;
    uint8_t key[64], iv[16], *in, *out;
    crypto_auth_hmacsha256_state keyed, hmac;
    crypto_aead_aes256gcm_state gcm;
    uint8_t secret[32], public[32];
};

PEER_LOOP(chacha_seal, crypto_aead_chacha20poly1305_ietf_encrypt(s->out, NULL, s->in, s->size, NULL,
                                                                 0, NULL, s->iv, s->key))
PEER_LOOP(chacha_open,
          if (crypto_aead_chacha20poly1305_ietf_decrypt(s->out, NULL, NULL, s->in, s->size + 16,
                                                        NULL, 0, s->iv, s->key)) abort())
PEER_LOOP(gcm_seal, crypto_aead_aes256gcm_encrypt_afternm(s->out, NULL, s->in, s->size, NULL, 0,
                                                          NULL, s->iv, &s->gcm))
PEER_LOOP(gcm_open,
          if (crypto_aead_aes256gcm_decrypt_afternm(s->out, NULL, NULL, s->in, s->size + 16, NULL,
                                                    0, s->iv, &s->gcm)) abort())
PEER_LOOP(poly1305, crypto_onetimeauth(s->out, s->in, s->size, s->key))
PEER_LOOP(sha256, crypto_hash_sha256(s->out, s->in, s->size))
PEER_LOOP(sha512, crypto_hash_sha512(s->out, s->in, s->size))
PEER_LOOP(hmac, s->hmac = s->keyed; crypto_auth_hmacsha256_update(&s->hmac, s->in, s->size);
          crypto_auth_hmacsha256_final(&s->hmac, s->out))
PEER_LOOP(x25519, if (crypto_scalarmult(s->out, s->secret, s->public)) abort())

/* ---- keys: each function returns 0 if the key cannot be set ---- */

static int gcm_key(struct state *s, const peer_req *rq)
{
    return crypto_aead_aes256gcm_is_available() && !crypto_aead_aes256gcm_beforenm(&s->gcm, s->key);
}

static int hmac_key(struct state *s, const peer_req *rq)
{
    return !crypto_auth_hmacsha256_init(&s->keyed, s->key, 32);
}

/* read_x25519 reads a key: the last 32 of the 48 bytes of its PKCS#8 file. */
static int read_x25519(uint8_t secret[32], const char *dir, const char *name)
{
    size_t len = 0;
    uint8_t *const file = peer_file(dir, name, &len);
    if (len >= 48)
        memcpy(secret, file + 16, 32);
    free(file);
    return len >= 48;
}

static int x25519_keys(struct state *s, const peer_req *rq)
{
    uint8_t other[32];
    return read_x25519(s->secret, rq->keydir, "x25519.der") &&
           read_x25519(other, rq->keydir, "x25519b.der") &&
           !crypto_scalarmult_base(s->public, other);
}

/* ---- cells ---- */

static const struct row {
    const char *alg;
    int (*set_key)(struct state *s, const peer_req *rq);
    peer_run_fn *run, *open; /* open: an AEAD's */
    size_t out_len;          /* of an AEAD: without the message */
} rows[] = {
    { "CHACHA20-POLY1305", NULL, chacha_seal, chacha_open, 16 },
    { "AES-256-GCM", gcm_key, gcm_seal, gcm_open, 16 },
    { "POLY1305", NULL, poly1305, NULL, 16 },
    { "SHA256", NULL, sha256, NULL, 32 },
    { "SHA512", NULL, sha512, NULL, 64 },
    { "HMAC-SHA256", hmac_key, hmac, NULL, 32 },
    { "X25519", x25519_keys, x25519, NULL, 32 },
};

static void fini(void *ctx)
{
    struct state *s = ctx;
    free(s->in);
    free(s->out);
    free(s);
}

static int cell(peer *p, const peer_req *rq, peer_cell *out)
{
    const struct row *const row = PEER_ROW(rows, rq->alg);
    if (!row || rq->lanes != 1)
        return PEER_NONE;
    struct state *s = peer_alloc(sizeof *s);
    s->size = rq->size;
    s->in = peer_msg(rq->size);
    s->out = peer_alloc(rq->size + 128);
    peer_iv(s->iv, 16);
    peer_key(s->key, 64);
    if (row->set_key && !row->set_key(s, rq)) {
        fini(s);
        return PEER_NONE;
    }
    *out = (peer_cell){ row->run, fini, s, s->out, row->out_len + (row->open ? rq->size : 0) };
    if (row->open && peer_is(rq->op, "dec")) {
        row->run(s, 1);
        memcpy(s->in, s->out, rq->size + 16);
        out->run = row->open;
        out->outlen = rq->size;
    }
    return PEER_OK;
}

int peer_open(int abi, const char *arg, peer *p)
{
    static const char *const modes[] = { "direct", NULL };
    if (abi != PEER_ABI || sodium_init() < 0)
        return 1;
    snprintf(p->version, sizeof p->version, "libsodium %s", sodium_version_string());
    p->modes = modes;
    p->cell = cell;
    return 0;
}
