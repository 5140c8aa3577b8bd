/* SPDX-License-Identifier: Apache-2.0 */
/* peer_gcrypt.c - libgcrypt: kept handles; gcry_md_hash_buffer for digests. */
#include "peer.h"
#include <gcrypt.h>

struct st {
    size_t size, outn;
    int algo, enc, ctr, aead, ecb;
    gcry_cipher_hd_t c;
    gcry_mac_hd_t m;
    gcry_md_hd_t h;
    size_t ivn;
    uint8_t key[64], iv[16], *in, *out;
};
static void fini(void *v)
{
    struct st *s = v;
    if (s->c) gcry_cipher_close(s->c);
    if (s->m) gcry_mac_close(s->m);
    if (s->h) gcry_md_close(s->h);
    free(s->in);
    free(s->out);
    free(s);
}
static void r_c(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--) {
        if (s->ctr)
            gcry_cipher_setctr(s->c, s->iv, s->ivn);
        else if (!s->ecb)
            gcry_cipher_setiv(s->c, s->iv, s->ivn);
        if (s->enc)
            gcry_cipher_encrypt(s->c, s->out, s->size, s->in, s->size);
        else
            gcry_cipher_decrypt(s->c, s->out, s->size, s->in, s->size);
        if (s->aead)
            gcry_cipher_gettag(s->c, s->out + s->size, 16);
    }
}
static void r_d(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        gcry_md_hash_buffer(s->algo, s->out, s->in, s->size);
}
static void r_h(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--) {
        gcry_md_reset(s->h);
        gcry_md_write(s->h, s->in, s->size);
        memcpy(s->out, gcry_md_read(s->h, 0), s->outn);
    }
}
static void r_p(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--) {
        size_t l = 16;
        gcry_mac_setkey(s->m, s->key, 32);
        gcry_mac_write(s->m, s->in, s->size);
        gcry_mac_read(s->m, s->out, &l);
    }
}
static void r_pa(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--) {
        size_t l = 16;
        gcry_mac_setiv(s->m, s->iv, 16);
        gcry_mac_write(s->m, s->in, s->size);
        gcry_mac_read(s->m, s->out, &l);
        gcry_mac_reset(s->m);
    }
}
static int cell(peer *p, const peer_req *rq, peer_cell *o)
{
    const char *a = rq->alg;
    if (rq->lanes != 1)
        return PEER_NONE;
    struct st *s = calloc(1, sizeof *s);
    o->ctx = s;
    o->fini = fini;
    s->size = rq->size;
    s->in = peer_msg(rq->size);
    s->out = peer_alloc(rq->size + 128);
    peer_iv(s->iv, 16);
    peer_key(s->key, 64);
    s->enc = peer_is(rq->op, "enc");
    o->out = s->out;
#define A GCRY_CIPHER_AES128
#define B GCRY_CIPHER_AES256
    static const struct { const char *a; int alg, mode; size_t k, iv; } C[] = {
        { "AES-128-ECB", A, GCRY_CIPHER_MODE_ECB, 16, 0 }, { "AES-256-ECB", B, GCRY_CIPHER_MODE_ECB, 32, 0 },
        { "AES-128-CBC", A, GCRY_CIPHER_MODE_CBC, 16, 16 }, { "AES-256-CBC", B, GCRY_CIPHER_MODE_CBC, 32, 16 },
        { "AES-128-CTR", A, GCRY_CIPHER_MODE_CTR, 16, 16 }, { "AES-256-CTR", B, GCRY_CIPHER_MODE_CTR, 32, 16 },
        { "AES-128-CFB", A, GCRY_CIPHER_MODE_CFB, 16, 16 }, { "AES-256-CFB", B, GCRY_CIPHER_MODE_CFB, 32, 16 },
        { "AES-128-GCM", A, GCRY_CIPHER_MODE_GCM, 16, 12 }, { "AES-256-GCM", B, GCRY_CIPHER_MODE_GCM, 32, 12 },
        { "AES-128-XTS", A, GCRY_CIPHER_MODE_XTS, 32, 16 }, { "AES-256-XTS", B, GCRY_CIPHER_MODE_XTS, 64, 16 },
        { "DES-CBC", GCRY_CIPHER_DES, GCRY_CIPHER_MODE_CBC, 8, 8 },
        { "3DES-CBC", GCRY_CIPHER_3DES, GCRY_CIPHER_MODE_CBC, 24, 8 },
        { "3DES-CTR", GCRY_CIPHER_3DES, GCRY_CIPHER_MODE_CTR, 24, 8 },
        { "CAMELLIA-128-CBC", GCRY_CIPHER_CAMELLIA128, GCRY_CIPHER_MODE_CBC, 16, 16 },
        { "CAMELLIA-128-CTR", GCRY_CIPHER_CAMELLIA128, GCRY_CIPHER_MODE_CTR, 16, 16 },
        { "CHACHA20-POLY1305", GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_POLY1305, 32, 12 } };
    for (size_t i = 0; i < sizeof C / sizeof *C; i++) {
        if (!peer_is(a, C[i].a))
            continue;
        if (gcry_cipher_open(&s->c, C[i].alg, C[i].mode, 0) || gcry_cipher_setkey(s->c, s->key, C[i].k))
            goto none;
        s->ivn = C[i].iv;
        s->ctr = C[i].mode == GCRY_CIPHER_MODE_CTR;
        s->ecb = C[i].iv == 0;
        s->aead = C[i].mode == GCRY_CIPHER_MODE_GCM || C[i].mode == GCRY_CIPHER_MODE_POLY1305;
        o->run = r_c;
        if (s->aead && !s->enc) { /* a true message to decrypt */
            s->enc = 1;
            r_c(s, 1);
            s->enc = 0;
            memcpy(s->in, s->out, rq->size);
        }
        o->outlen = rq->size + (s->aead && s->enc ? 16 : 0);
        return PEER_OK;
    }
    static const struct { const char *a; int alg; size_t n; } D[] = {
        { "MD5", GCRY_MD_MD5, 16 }, { "SHA1", GCRY_MD_SHA1, 20 }, { "SHA224", GCRY_MD_SHA224, 28 },
        { "SHA256", GCRY_MD_SHA256, 32 }, { "SHA384", GCRY_MD_SHA384, 48 }, { "SHA512", GCRY_MD_SHA512, 64 },
        { "SHA512-256", GCRY_MD_SHA512_256, 32 }, { "CRC32", GCRY_MD_CRC32, 4 } };
    for (size_t i = 0; i < sizeof D / sizeof *D; i++)
        if (peer_is(a, D[i].a)) {
            s->algo = D[i].alg;
            o->run = r_d;
            o->outlen = peer_is(a, "CRC32") ? 0 : D[i].n;
            return PEER_OK;
        }
    if (peer_starts(a, "HMAC-")) {
        int alg = peer_is(a, "HMAC-MD5") ? GCRY_MD_MD5 : peer_is(a, "HMAC-SHA1") ? GCRY_MD_SHA1 : GCRY_MD_SHA256;
        if (gcry_md_open(&s->h, alg, GCRY_MD_FLAG_HMAC) || gcry_md_setkey(s->h, s->key, 32))
            goto none;
        o->outlen = s->outn = gcry_md_get_algo_dlen(alg);
        o->run = r_h;
        return PEER_OK;
    }
    if (peer_is(a, "POLY1305") || peer_is(a, "POLY1305-AES")) {
        int aes = peer_is(a, "POLY1305-AES");
        if (gcry_mac_open(&s->m, aes ? GCRY_MAC_POLY1305_AES : GCRY_MAC_POLY1305, 0, NULL))
            goto none;
        gcry_mac_setkey(s->m, s->key, 32);
        o->run = aes ? r_pa : r_p;
        o->outlen = aes ? 0 : 16; /* its key halves are in the other order than nettle's */
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
    gcry_check_version(NULL);
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    char *hw = gcry_get_config(0, "hwflist");
    snprintf(p->version, sizeof p->version, "libgcrypt %s %s", gcry_check_version(NULL), hw ? hw : "");
    p->modes = MODES;
    p->cell = cell;
    return 0;
}
