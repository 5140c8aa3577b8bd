/* SPDX-License-Identifier: Apache-2.0 */
/* peer_sodium.c - libsodium. */
#include "peer.h"
#include <sodium.h>

struct st {
    size_t size;
    uint8_t key[64], iv[16], *in, *out;
    crypto_auth_hmacsha256_state h0, h;
    crypto_aead_aes256gcm_state g;
    uint8_t sk[32], pk[32];
};
static void fini(void *v)
{
    struct st *s = v;
    free(s->in);
    free(s->out);
    free(s);
}
#define LOOP(name, body)                  \
    static void name(void *v, uint64_t n) \
    {                                     \
        struct st *s = v;                 \
        unsigned long long l;             \
        (void)l;                          \
        while (n--) {                     \
            body;                         \
        }                                 \
    }
LOOP(r_cpe, crypto_aead_chacha20poly1305_ietf_encrypt(s->out, &l, s->in, s->size, NULL, 0, NULL, s->iv, s->key))
LOOP(r_cpd, if (crypto_aead_chacha20poly1305_ietf_decrypt(s->out, &l, NULL, s->in, s->size + 16, NULL, 0, s->iv, s->key))
     abort())
LOOP(r_ge, crypto_aead_aes256gcm_encrypt_afternm(s->out, &l, s->in, s->size, NULL, 0, NULL, s->iv, &s->g))
LOOP(r_gd, if (crypto_aead_aes256gcm_decrypt_afternm(s->out, &l, NULL, s->in, s->size + 16, NULL, 0, s->iv, &s->g)) abort())
LOOP(r_p, crypto_onetimeauth(s->out, s->in, s->size, s->key))
LOOP(r_s2, crypto_hash_sha256(s->out, s->in, s->size))
LOOP(r_s5, crypto_hash_sha512(s->out, s->in, s->size))
LOOP(r_h, s->h = s->h0; crypto_auth_hmacsha256_update(&s->h, s->in, s->size); crypto_auth_hmacsha256_final(&s->h, s->out))
LOOP(r_x, if (crypto_scalarmult(s->out, s->sk, s->pk)) abort())

static int cell(peer *p, const peer_req *rq, peer_cell *o)
{
    const char *a = rq->alg;
    if (rq->lanes != 1)
        return PEER_NONE;
    struct st *s = peer_alloc(sizeof *s);
    o->ctx = s;
    o->fini = fini;
    s->size = rq->size;
    s->in = peer_alloc(rq->size + 64);
    peer_fill(s->in, rq->size, 3);
    s->out = peer_alloc(rq->size + 128);
    peer_iv(s->iv, 16);
    peer_key(s->key, 64);
    int enc = peer_is(rq->op, "enc");
    o->out = s->out;
    if (peer_is(a, "CHACHA20-POLY1305") || (peer_is(a, "AES-256-GCM") && crypto_aead_aes256gcm_is_available())) {
        int g = a[0] == 'A';
        if (g)
            crypto_aead_aes256gcm_beforenm(&s->g, s->key);
        o->run = g ? r_ge : r_cpe;
        o->outlen = rq->size + (enc ? 16 : 0);
        if (!enc) {
            o->run(s, 1);
            memcpy(s->in, s->out, rq->size + 16);
            o->run = g ? r_gd : r_cpd;
        }
    } else if (peer_is(a, "POLY1305"))
        o->run = r_p, o->outlen = 16;
    else if (peer_is(a, "SHA256"))
        o->run = r_s2, o->outlen = 32;
    else if (peer_is(a, "SHA512"))
        o->run = r_s5, o->outlen = 64;
    else if (peer_is(a, "HMAC-SHA256")) {
        crypto_auth_hmacsha256_init(&s->h0, s->key, 32);
        o->run = r_h, o->outlen = 32;
    } else if (peer_is(a, "X25519")) {
        size_t n, m;
        uint8_t *x = peer_file(rq->keydir, "x25519.der", &n), *y = peer_file(rq->keydir, "x25519b.der", &m);
        if (!x || !y || n < 48 || m < 48)
            goto none;
        memcpy(s->sk, x + 16, 32);
        crypto_scalarmult_base(s->pk, y + 16);
        free(x);
        free(y);
        o->run = r_x, o->outlen = 32;
    } else
        goto none;
    return PEER_OK;
none:
    fini(s);
    return PEER_NONE;
}
static const char *const MODES[] = { "direct", NULL };
int peer_open(int abi, const char *arg, peer *p)
{
    if (abi != PEER_ABI || sodium_init() < 0)
        return 1;
    snprintf(p->version, sizeof p->version, "libsodium %s", sodium_version_string());
    p->modes = MODES;
    p->cell = cell;
    return 0;
}
