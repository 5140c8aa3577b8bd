/* SPDX-License-Identifier: Apache-2.0 */
/* peer_isalc.c - isa-l_crypto: multi-buffer hashes, single-buffer AES. */
#include "peer.h"
#include <isa-l_crypto/aes_cbc.h>
#include <isa-l_crypto/aes_gcm.h>
#include <isa-l_crypto/aes_keyexp.h>
#include <isa-l_crypto/aes_xts.h>
#include <isa-l_crypto/md5_mb.h>
#include <isa-l_crypto/sha1_mb.h>
#include <isa-l_crypto/sha256_mb.h>
#include <isa-l_crypto/sha512_mb.h>

#define ML 64
struct st {
    union {
        ISAL_MD5_HASH_CTX_MGR md5;
        ISAL_SHA1_HASH_CTX_MGR sha1;
        ISAL_SHA256_HASH_CTX_MGR sha256;
        ISAL_SHA512_HASH_CTX_MGR sha512;
    } m __attribute__((aligned(64)));
    union {
        ISAL_MD5_HASH_CTX md5;
        ISAL_SHA1_HASH_CTX sha1;
        ISAL_SHA256_HASH_CTX sha256;
        ISAL_SHA512_HASH_CTX sha512;
    } c[ML] __attribute__((aligned(64)));
    unsigned lanes;
    size_t size;
    uint8_t *in[ML], *out;
    uint8_t ek[256] __attribute__((aligned(64))), dk[256] __attribute__((aligned(64)));
    uint8_t e2[256] __attribute__((aligned(64))), d2[256] __attribute__((aligned(64)));
    uint8_t key[64] __attribute__((aligned(64))), iv[16] __attribute__((aligned(64))), dig[64], tag[16];
    struct isal_gcm_key_data gk __attribute__((aligned(64)));
    struct isal_gcm_context_data gc;
    int k256, dec;
};
static void fini(void *v)
{
    struct st *s = v;
    for (unsigned i = 0; i < s->lanes; i++)
        free(s->in[i]);
    free(s->out);
    free(s);
}
static uint32_t bs32(uint32_t x) { return __builtin_bswap32(x); }
static uint64_t bs64(uint64_t x) { return __builtin_bswap64(x); }
#define MB(u, U)                                                                              \
    static void r_##u(void *v, uint64_t n)                                                    \
    {                                                                                         \
        struct st *s = v;                                                                     \
        ISAL_##U##_HASH_CTX *d;                                                               \
        while (n--) {                                                                         \
            for (unsigned i = 0; i < s->lanes; i++)                                           \
                isal_##u##_ctx_mgr_submit(&s->m.u, &s->c[i].u, &d, s->in[i], (uint32_t)s->size, ISAL_HASH_ENTIRE); \
            do                                                                                \
                isal_##u##_ctx_mgr_flush(&s->m.u, &d);                                        \
            while (d);                                                                        \
        }                                                                                     \
    }
MB(md5, MD5)
MB(sha1, SHA1)
MB(sha256, SHA256)
MB(sha512, SHA512)
static void r_cbc(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        if (s->k256)
            s->dec ? isal_aes_cbc_dec_256(s->in[0], s->iv, s->dk, s->out, s->size)
                   : isal_aes_cbc_enc_256(s->in[0], s->iv, s->ek, s->out, s->size);
        else
            s->dec ? isal_aes_cbc_dec_128(s->in[0], s->iv, s->dk, s->out, s->size)
                   : isal_aes_cbc_enc_128(s->in[0], s->iv, s->ek, s->out, s->size);
}
static void r_xts(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        if (s->k256)
            s->dec ? isal_aes_xts_dec_256_expanded_key(s->e2, s->dk, s->iv, s->size, s->in[0], s->out)
                   : isal_aes_xts_enc_256_expanded_key(s->e2, s->ek, s->iv, s->size, s->in[0], s->out);
        else
            s->dec ? isal_aes_xts_dec_128_expanded_key(s->e2, s->dk, s->iv, s->size, s->in[0], s->out)
                   : isal_aes_xts_enc_128_expanded_key(s->e2, s->ek, s->iv, s->size, s->in[0], s->out);
}
static void r_gcm(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        if (s->k256)
            s->dec ? isal_aes_gcm_dec_256(&s->gk, &s->gc, s->out, s->in[0], s->size, s->iv, s->key, 0, s->tag, 16)
                   : isal_aes_gcm_enc_256(&s->gk, &s->gc, s->out, s->in[0], s->size, s->iv, s->key, 0, s->tag, 16);
        else
            s->dec ? isal_aes_gcm_dec_128(&s->gk, &s->gc, s->out, s->in[0], s->size, s->iv, s->key, 0, s->tag, 16)
                   : isal_aes_gcm_enc_128(&s->gk, &s->gc, s->out, s->in[0], s->size, s->iv, s->key, 0, s->tag, 16);
}
static int cell(peer *p, const peer_req *rq, peer_cell *o)
{
    const char *a = rq->alg, *mo = peer_mode_of(a);
    if (rq->lanes > ML)
        return PEER_NONE;
    struct st *s = peer_alloc(sizeof *s);
    s->lanes = rq->lanes;
    s->size = rq->size;
    for (unsigned i = 0; i < s->lanes; i++)
        s->in[i] = peer_msg(rq->size);
    s->out = peer_alloc(rq->size + 64);
    peer_iv(s->iv, 16);
    o->ctx = s;
    o->fini = fini;
    s->dec = peer_is(rq->op, "dec");
    s->k256 = peer_starts(a, "AES-256");
    size_t kb = s->k256 ? 32 : 16;
    int hash = peer_is(rq->op, "hash");
    if (hash) {
        if (peer_is(a, "MD5")) {
            isal_md5_ctx_mgr_init(&s->m.md5);
            for (unsigned i = 0; i < s->lanes; i++)
                isal_hash_ctx_init(&s->c[i].md5);
            o->run = r_md5;
            o->outlen = 16;
            r_md5(s, 1);
            o->out = (uint8_t *)s->c[0].md5.job.result_digest;
        } else if (peer_is(a, "SHA1")) {
            isal_sha1_ctx_mgr_init(&s->m.sha1);
            for (unsigned i = 0; i < s->lanes; i++)
                isal_hash_ctx_init(&s->c[i].sha1);
            o->run = r_sha1;
            r_sha1(s, 1);
            for (int i = 0; i < 5; i++)
                ((uint32_t *)s->dig)[i] = bs32(s->c[0].sha1.job.result_digest[i]);
            o->outlen = 20;
            o->out = s->dig;
        } else if (peer_is(a, "SHA256")) {
            isal_sha256_ctx_mgr_init(&s->m.sha256);
            for (unsigned i = 0; i < s->lanes; i++)
                isal_hash_ctx_init(&s->c[i].sha256);
            o->run = r_sha256;
            r_sha256(s, 1);
            for (int i = 0; i < 8; i++)
                ((uint32_t *)s->dig)[i] = bs32(s->c[0].sha256.job.result_digest[i]);
            o->outlen = 32;
            o->out = s->dig;
        } else if (peer_is(a, "SHA512")) {
            isal_sha512_ctx_mgr_init(&s->m.sha512);
            for (unsigned i = 0; i < s->lanes; i++)
                isal_hash_ctx_init(&s->c[i].sha512);
            o->run = r_sha512;
            r_sha512(s, 1);
            for (int i = 0; i < 8; i++)
                ((uint64_t *)s->dig)[i] = bs64(s->c[0].sha512.job.result_digest[i]);
            o->outlen = 64;
            o->out = s->dig;
        } else
            goto none;
        return PEER_OK;
    }
    if (!peer_starts(a, "AES-") || s->lanes != 1)
        goto none;
    peer_key(s->key, 64);
    if (kb == 32)
        isal_aes_keyexp_256(s->key, s->ek, s->dk), isal_aes_keyexp_256(s->key + 32, s->e2, s->d2);
    else
        isal_aes_keyexp_128(s->key, s->ek, s->dk), isal_aes_keyexp_128(s->key + 16, s->e2, s->d2);
    o->out = s->out;
    o->outlen = rq->size;
    if (peer_is(mo, "CBC"))
        o->run = r_cbc;
    else if (peer_is(mo, "XTS"))
        o->run = r_xts;
    else if (peer_is(mo, "GCM")) {
        if (kb == 32)
            isal_aes_gcm_pre_256(s->key, &s->gk);
        else
            isal_aes_gcm_pre_128(s->key, &s->gk);
        o->run = r_gcm;
        if (s->dec) { /* a true message to decrypt */
            s->dec = 0;
            r_gcm(s, 1);
            s->dec = 1;
            memcpy(s->in[0], s->out, rq->size);
        }
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
    if (abi != PEER_ABI)
        return 1;
    snprintf(p->version, sizeof p->version, "isa-l_crypto (2.26 tree)");
    p->modes = MODES;
    p->cell = cell;
    return 0;
}
