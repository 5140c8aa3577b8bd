/* SPDX-License-Identifier: Apache-2.0 */
/* peer_nettle.c - GNU Nettle, its C interface. */
#include "peer.h"
#include <nettle/aes.h>
#include <nettle/camellia.h>
#include <nettle/cbc.h>
#include <nettle/cfb.h>
#include <nettle/chacha-poly1305.h>
#include <nettle/ctr.h>
#include <nettle/des.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nettle/md5.h>
#include <nettle/poly1305.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>
#include <nettle/version.h>
#include <nettle/xts.h>

struct st {
    size_t size;
    union {
        struct aes128_ctx a;
        struct aes256_ctx b;
        struct des_ctx d;
        struct des3_ctx t;
        struct camellia128_ctx c;
        struct gcm_aes128_ctx g;
        struct gcm_aes256_ctx h;
        struct xts_aes128_key x;
        struct xts_aes256_key y;
        struct chacha_poly1305_ctx cp;
        struct poly1305_aes_ctx p;
        struct md5_ctx m5;
        struct sha1_ctx s1;
        struct sha256_ctx s2;
        struct sha512_ctx s5;
        struct hmac_md5_ctx h5;
        struct hmac_sha1_ctx h1;
        struct hmac_sha256_ctx h2;
    } k, kd;
    const void *ctx;
    nettle_cipher_func *f, *fe;
    size_t bs;
    uint8_t key[64], iv0[16], iv[16], *in, *out;
};
static void fini(void *v)
{
    struct st *s = v;
    free(s->in);
    free(s->out);
    free(s);
}
#define LOOP(name, body)                     \
    static void name(void *v, uint64_t n)    \
    {                                        \
        struct st *s = v;                    \
        while (n--) {                        \
            body;                            \
        }                                    \
    }
LOOP(r_ecb, s->f(s->ctx, s->size, s->out, s->in))
LOOP(r_cbce, memcpy(s->iv, s->iv0, 16); cbc_encrypt(s->ctx, s->f, s->bs, s->iv, s->size, s->out, s->in))
LOOP(r_cbc128e, memcpy(s->iv, s->iv0, 16); cbc_aes128_encrypt(&s->k.a, s->iv, s->size, s->out, s->in))
LOOP(r_cbc256e, memcpy(s->iv, s->iv0, 16); cbc_aes256_encrypt(&s->k.b, s->iv, s->size, s->out, s->in))
LOOP(r_cbcd, memcpy(s->iv, s->iv0, 16); cbc_decrypt(s->ctx, s->f, s->bs, s->iv, s->size, s->out, s->in))
LOOP(r_ctr, memcpy(s->iv, s->iv0, 16); ctr_crypt(s->ctx, s->f, s->bs, s->iv, s->size, s->out, s->in))
LOOP(r_cfbe, memcpy(s->iv, s->iv0, 16); cfb_encrypt(s->ctx, s->f, s->bs, s->iv, s->size, s->out, s->in))
LOOP(r_cfbd, memcpy(s->iv, s->iv0, 16); cfb_decrypt(s->ctx, s->f, s->bs, s->iv, s->size, s->out, s->in))
LOOP(r_g128e, gcm_aes128_set_iv(&s->k.g, 12, s->iv0); gcm_aes128_encrypt(&s->k.g, s->size, s->out, s->in);
     gcm_aes128_digest(&s->k.g, 16, s->out + s->size))
LOOP(r_g128d, gcm_aes128_set_iv(&s->k.g, 12, s->iv0); gcm_aes128_decrypt(&s->k.g, s->size, s->out, s->in);
     gcm_aes128_digest(&s->k.g, 16, s->out + s->size))
LOOP(r_g256e, gcm_aes256_set_iv(&s->k.h, 12, s->iv0); gcm_aes256_encrypt(&s->k.h, s->size, s->out, s->in);
     gcm_aes256_digest(&s->k.h, 16, s->out + s->size))
LOOP(r_g256d, gcm_aes256_set_iv(&s->k.h, 12, s->iv0); gcm_aes256_decrypt(&s->k.h, s->size, s->out, s->in);
     gcm_aes256_digest(&s->k.h, 16, s->out + s->size))
LOOP(r_x128e, xts_aes128_encrypt_message(&s->k.x, s->iv0, s->size, s->out, s->in))
LOOP(r_x128d, xts_aes128_decrypt_message(&s->kd.x, s->iv0, s->size, s->out, s->in))
LOOP(r_x256e, xts_aes256_encrypt_message(&s->k.y, s->iv0, s->size, s->out, s->in))
LOOP(r_x256d, xts_aes256_decrypt_message(&s->kd.y, s->iv0, s->size, s->out, s->in))
LOOP(r_cpe, chacha_poly1305_set_nonce(&s->k.cp, s->iv0); chacha_poly1305_encrypt(&s->k.cp, s->size, s->out, s->in);
     chacha_poly1305_digest(&s->k.cp, 16, s->out + s->size))
LOOP(r_cpd, chacha_poly1305_set_nonce(&s->k.cp, s->iv0); chacha_poly1305_decrypt(&s->k.cp, s->size, s->out, s->in);
     chacha_poly1305_digest(&s->k.cp, 16, s->out + s->size))
LOOP(r_p, poly1305_aes_set_nonce(&s->k.p, s->iv0); poly1305_aes_update(&s->k.p, s->size, s->in);
     poly1305_aes_digest(&s->k.p, 16, s->out))
LOOP(r_m5, md5_init(&s->k.m5); md5_update(&s->k.m5, s->size, s->in); md5_digest(&s->k.m5, 16, s->out))
LOOP(r_s1, sha1_init(&s->k.s1); sha1_update(&s->k.s1, s->size, s->in); sha1_digest(&s->k.s1, 20, s->out))
LOOP(r_s224, sha224_init(&s->k.s2); sha256_update(&s->k.s2, s->size, s->in); sha224_digest(&s->k.s2, 28, s->out))
LOOP(r_s2, sha256_init(&s->k.s2); sha256_update(&s->k.s2, s->size, s->in); sha256_digest(&s->k.s2, 32, s->out))
LOOP(r_s384, sha384_init(&s->k.s5); sha512_update(&s->k.s5, s->size, s->in); sha384_digest(&s->k.s5, 48, s->out))
LOOP(r_s5, sha512_init(&s->k.s5); sha512_update(&s->k.s5, s->size, s->in); sha512_digest(&s->k.s5, 64, s->out))
LOOP(r_s5256, sha512_256_init(&s->k.s5); sha512_update(&s->k.s5, s->size, s->in);
     sha512_256_digest(&s->k.s5, 32, s->out))
LOOP(r_h5, hmac_md5_update(&s->k.h5, s->size, s->in); hmac_md5_digest(&s->k.h5, 16, s->out))
LOOP(r_h1, hmac_sha1_update(&s->k.h1, s->size, s->in); hmac_sha1_digest(&s->k.h1, 20, s->out))
LOOP(r_h2, hmac_sha256_update(&s->k.h2, s->size, s->in); hmac_sha256_digest(&s->k.h2, 32, s->out))

static int cell(peer *p, const peer_req *rq, peer_cell *o)
{
    const char *a = rq->alg, *mo = peer_mode_of(a);
    if (rq->lanes != 1)
        return PEER_NONE;
    struct st *s = peer_alloc(sizeof *s);
    o->ctx = s;
    o->fini = fini;
    s->size = rq->size;
    s->in = peer_msg(rq->size);
    s->out = peer_alloc(rq->size + 128);
    peer_iv(s->iv0, 16);
    peer_key(s->key, 64);
    s->ctx = &s->k;
    o->out = s->out;
    o->outlen = rq->size;
    int enc = peer_is(rq->op, "enc"), k256 = peer_starts(a, "AES-256");
    int fwd = enc || peer_is(mo, "CTR") || peer_is(mo, "CFB");
    if (peer_starts(a, "AES-")) {
        s->bs = 16;
        if (peer_is(mo, "GCM")) {
            if (k256)
                gcm_aes256_set_key(&s->k.h, s->key);
            else
                gcm_aes128_set_key(&s->k.g, s->key);
            o->run = k256 ? (enc ? r_g256e : r_g256d) : (enc ? r_g128e : r_g128d);
            if (!enc) {
                (k256 ? r_g256e : r_g128e)(s, 1);
                memcpy(s->in, s->out, rq->size);
            }
            o->outlen += enc ? 16 : 0;
            return PEER_OK;
        }
        if (peer_is(mo, "XTS")) {
            if (k256) {
                xts_aes256_set_encrypt_key(&s->k.y, s->key);
                xts_aes256_set_decrypt_key(&s->kd.y, s->key);
            } else {
                xts_aes128_set_encrypt_key(&s->k.x, s->key);
                xts_aes128_set_decrypt_key(&s->kd.x, s->key);
            }
            o->run = k256 ? (enc ? r_x256e : r_x256d) : (enc ? r_x128e : r_x128d);
            return PEER_OK;
        }
        if (k256) {
            if (fwd)
                aes256_set_encrypt_key(&s->k.b, s->key);
            else
                aes256_set_decrypt_key(&s->k.b, s->key);
            s->f = fwd ? (nettle_cipher_func *)aes256_encrypt : (nettle_cipher_func *)aes256_decrypt;
        } else {
            if (fwd)
                aes128_set_encrypt_key(&s->k.a, s->key);
            else
                aes128_set_decrypt_key(&s->k.a, s->key);
            s->f = fwd ? (nettle_cipher_func *)aes128_encrypt : (nettle_cipher_func *)aes128_decrypt;
        }
        o->run = peer_is(mo, "ECB") ? r_ecb : peer_is(mo, "CBC") ? (enc ? (k256 ? r_cbc256e : r_cbc128e) : r_cbcd)
                 : peer_is(mo, "CTR") ? r_ctr : peer_is(mo, "CFB") ? (enc ? r_cfbe : r_cfbd) : NULL;
        if (o->run)
            return PEER_OK;
        goto none;
    }
    if (peer_is(a, "DES-CBC") || peer_starts(a, "3DES-")) {
        s->bs = 8;
        int t = a[0] == '3';
        if (t)
            des3_set_key(&s->k.t, s->key);
        else
            des_set_key(&s->k.d, s->key);
        s->f = t ? (nettle_cipher_func *)(fwd ? des3_encrypt : des3_decrypt)
                 : (nettle_cipher_func *)(fwd ? (void *)des_encrypt : (void *)des_decrypt);
        o->run = peer_is(mo, "CTR") ? r_ctr : enc ? r_cbce : r_cbcd;
        return PEER_OK;
    }
    if (peer_starts(a, "CAMELLIA")) {
        s->bs = 16;
        if (fwd)
            camellia128_set_encrypt_key(&s->k.c, s->key);
        else
            camellia128_set_decrypt_key(&s->k.c, s->key);
        s->f = (nettle_cipher_func *)camellia128_crypt;
        o->run = peer_is(mo, "CTR") ? r_ctr : enc ? r_cbce : r_cbcd;
        return PEER_OK;
    }
    if (peer_is(a, "CHACHA20-POLY1305")) {
        chacha_poly1305_set_key(&s->k.cp, s->key);
        o->run = enc ? r_cpe : r_cpd;
        if (!enc) {
            r_cpe(s, 1);
            memcpy(s->in, s->out, rq->size);
        }
        o->outlen += enc ? 16 : 0;
        return PEER_OK;
    }
    if (peer_is(a, "POLY1305-AES")) {
        poly1305_aes_set_key(&s->k.p, s->key);
        o->run = r_p;
        o->outlen = 16;
        return PEER_OK;
    }
    if (peer_starts(a, "HMAC-")) {
        hmac_md5_set_key(&s->k.h5, 32, s->key);
        o->run = r_h5;
        o->outlen = 16;
        if (peer_is(a, "HMAC-SHA1")) {
            hmac_sha1_set_key(&s->k.h1, 32, s->key);
            o->run = r_h1;
            o->outlen = 20;
        } else if (peer_is(a, "HMAC-SHA256")) {
            hmac_sha256_set_key(&s->k.h2, 32, s->key);
            o->run = r_h2;
            o->outlen = 32;
        }
        return PEER_OK;
    }
    static const struct { const char *a; void (*r)(void *, uint64_t); size_t n; } D[] = {
        { "MD5", r_m5, 16 }, { "SHA1", r_s1, 20 }, { "SHA224", r_s224, 28 }, { "SHA256", r_s2, 32 },
        { "SHA384", r_s384, 48 }, { "SHA512", r_s5, 64 }, { "SHA512-256", r_s5256, 32 } };
    for (size_t i = 0; i < sizeof D / sizeof *D; i++)
        if (peer_is(a, D[i].a)) {
            o->run = D[i].r;
            o->outlen = D[i].n;
            return PEER_OK;
        }
none:
    fini(s);
    return PEER_NONE;
}
static const char *const MODES[] = { "direct", NULL };
int peer_open(int abi, const char *arg, peer *p)
{
    if (abi != PEER_ABI)
        return 1;
    snprintf(p->version, sizeof p->version, "nettle %d.%d", nettle_version_major(), nettle_version_minor());
    p->modes = MODES;
    p->cell = cell;
    return 0;
}
