/* SPDX-License-Identifier: Apache-2.0 */
/* libgcrypt: handles are kept; digests by gcry_md_hash_buffer. */
#include "peer.h"
#include <gcrypt.h>

struct state {
    size_t size, out_len, iv_len;
    int digest;
    gcry_error_t (*set_iv)(gcry_cipher_hd_t, const void *, size_t);
    gcry_error_t (*crypt)(gcry_cipher_hd_t, void *, size_t, const void *, size_t);
    gcry_cipher_hd_t cipher;
    gcry_mac_hd_t mac;
    gcry_md_hd_t hmac;
    uint8_t key[64], iv[16], *in, *out;
};

/* ---- ciphers ---- */

static void run_cipher(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--) {
        if (s->set_iv)
            s->set_iv(s->cipher, s->iv, s->iv_len);
        s->crypt(s->cipher, s->out, s->size, s->in, s->size);
    }
}

static void run_aead(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--) {
        gcry_cipher_setiv(s->cipher, s->iv, s->iv_len);
        s->crypt(s->cipher, s->out, s->size, s->in, s->size);
        gcry_cipher_gettag(s->cipher, s->out + s->size, 16);
    }
}

/* clang-format off */
static const struct cipher {
    const char *alg;
    int algo, mode;
    size_t key_len, iv_len;
} ciphers[] = {
    { "AES-128-ECB", GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_ECB, 16, 0 },
    { "AES-256-ECB", GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_ECB, 32, 0 },
    { "AES-128-CBC", GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_CBC, 16, 16 },
    { "AES-256-CBC", GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_CBC, 32, 16 },
    { "AES-128-CTR", GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_CTR, 16, 16 },
    { "AES-256-CTR", GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_CTR, 32, 16 },
    { "AES-128-CFB", GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_CFB, 16, 16 },
    { "AES-256-CFB", GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_CFB, 32, 16 },
    { "AES-128-GCM", GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_GCM, 16, 12 },
    { "AES-256-GCM", GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_GCM, 32, 12 },
    { "AES-128-XTS", GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_XTS, 32, 16 },
    { "AES-256-XTS", GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_XTS, 64, 16 },
    { "DES-CBC", GCRY_CIPHER_DES, GCRY_CIPHER_MODE_CBC, 8, 8 },
    { "3DES-CBC", GCRY_CIPHER_3DES, GCRY_CIPHER_MODE_CBC, 24, 8 },
    { "3DES-CTR", GCRY_CIPHER_3DES, GCRY_CIPHER_MODE_CTR, 24, 8 },
    { "CAMELLIA-128-CBC", GCRY_CIPHER_CAMELLIA128, GCRY_CIPHER_MODE_CBC, 16, 16 },
    { "CAMELLIA-128-CTR", GCRY_CIPHER_CAMELLIA128, GCRY_CIPHER_MODE_CTR, 16, 16 },
    { "CHACHA20-POLY1305", GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_POLY1305, 32, 12 },
};
/* clang-format on */

static void aead_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    const int seal = peer_is(rq->op, "enc");
    out->run = run_aead;
    out->outlen = s->size + (seal ? 16 : 0);
    if (seal)
        return;
    s->crypt = gcry_cipher_encrypt;
    run_aead(s, 1);
    memcpy(s->in, s->out, s->size);
    s->crypt = gcry_cipher_decrypt;
}

static void cipher_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    const struct cipher *const c = PEER_ROW(ciphers, rq->alg);
    if (!c || gcry_cipher_open(&s->cipher, c->algo, c->mode, 0) ||
        gcry_cipher_setkey(s->cipher, s->key, c->key_len))
        return;
    s->iv_len = c->iv_len;
    s->crypt = peer_is(rq->op, "enc") ? gcry_cipher_encrypt : gcry_cipher_decrypt;
    if (c->mode == GCRY_CIPHER_MODE_GCM || c->mode == GCRY_CIPHER_MODE_POLY1305) {
        aead_cell(s, rq, out);
        return;
    }
    if (c->iv_len)
        s->set_iv = c->mode == GCRY_CIPHER_MODE_CTR ? gcry_cipher_setctr : gcry_cipher_setiv;
    out->run = run_cipher;
    out->outlen = s->size;
}

/* ---- digests and MACs ---- */

PEER_LOOP(run_digest, gcry_md_hash_buffer(s->digest, s->out, s->in, s->size))

static void run_hmac(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--) {
        gcry_md_reset(s->hmac);
        gcry_md_write(s->hmac, s->in, s->size);
        memcpy(s->out, gcry_md_read(s->hmac, 0), s->out_len);
    }
}

static void run_poly1305(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--) {
        size_t len = 16;
        gcry_mac_setkey(s->mac, s->key, 32);
        gcry_mac_write(s->mac, s->in, s->size);
        gcry_mac_read(s->mac, s->out, &len);
    }
}

static void run_poly1305_aes(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--) {
        size_t len = 16;
        gcry_mac_setiv(s->mac, s->iv, 16);
        gcry_mac_write(s->mac, s->in, s->size);
        gcry_mac_read(s->mac, s->out, &len);
        gcry_mac_reset(s->mac);
    }
}

static void digest_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    static const struct {
        const char *alg;
        int algo;
        size_t out_len;
    } digests[] = {
        { "MD5", GCRY_MD_MD5, 16 },       { "SHA1", GCRY_MD_SHA1, 20 },
        { "SHA224", GCRY_MD_SHA224, 28 }, { "SHA256", GCRY_MD_SHA256, 32 },
        { "SHA384", GCRY_MD_SHA384, 48 }, { "SHA512", GCRY_MD_SHA512, 64 },
        { "CRC32", GCRY_MD_CRC32, 0 },    { "SHA512-256", GCRY_MD_SHA512_256, 32 },
    };
    const __typeof__(&digests[0]) d = PEER_ROW(digests, rq->alg);
    if (!d)
        return;
    s->digest = d->algo;
    out->run = run_digest;
    out->outlen = d->out_len;
}

static void hmac_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    static const struct {
        const char *alg;
        int algo;
    } hmacs[] = {
        { "HMAC-MD5", GCRY_MD_MD5 },
        { "HMAC-SHA1", GCRY_MD_SHA1 },
        { "HMAC-SHA256", GCRY_MD_SHA256 },
    };
    const __typeof__(&hmacs[0]) h = PEER_ROW(hmacs, rq->alg);
    if (!h || gcry_md_open(&s->hmac, h->algo, GCRY_MD_FLAG_HMAC) ||
        gcry_md_setkey(s->hmac, s->key, 32))
        return;
    s->out_len = gcry_md_get_algo_dlen(h->algo);
    out->run = run_hmac;
    out->outlen = s->out_len;
}

static void poly1305_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    static const struct {
        const char *alg;
        int algo;
        peer_run_fn *run;
    } macs[] = {
        { "POLY1305", GCRY_MAC_POLY1305, run_poly1305 },
        { "POLY1305-AES", GCRY_MAC_POLY1305_AES, run_poly1305_aes },
    };
    const __typeof__(&macs[0]) m = PEER_ROW(macs, rq->alg);
    if (!m || gcry_mac_open(&s->mac, m->algo, 0, NULL) || gcry_mac_setkey(s->mac, s->key, 32))
        return;
    out->run = m->run;
    out->outlen = 16;
}

/* ---- cells ---- */

static void fini(void *ctx)
{
    struct state *s = ctx;
    gcry_cipher_close(s->cipher);
    gcry_mac_close(s->mac);
    gcry_md_close(s->hmac);
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
    cipher_cell(s, rq, out);
    digest_cell(s, rq, out);
    hmac_cell(s, rq, out);
    poly1305_cell(s, rq, out);
    if (out->run)
        return PEER_OK;
    fini(s);
    return PEER_NONE;
}

int peer_open(int abi, const char *arg, peer *p)
{
    static const char *const modes[] = { "direct", NULL };
    if (abi != PEER_ABI)
        return 1;
    gcry_check_version(NULL);
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    char *const hardware = gcry_get_config(0, "hwflist");
    snprintf(p->version, sizeof p->version, "libgcrypt %s %s", gcry_check_version(NULL),
             hardware ? hardware : "");
    gcry_free(hardware);
    p->modes = modes;
    p->cell = cell;
    return 0;
}
