/* SPDX-License-Identifier: Apache-2.0 */
/* peer_ipsecmb.c - intel-ipsec-mb.
 * modes: direct  the single-buffer or N-buffer call, where there is one
 *        burst   typed cipher/hash burst of `lanes` jobs (no argument checks)
 *        job     submit `lanes` jobs one by one (no checks), then flush
 */
#include "peer.h"
#define LINUX 1 /* the header aligns its structures only then */
#include <intel-ipsec-mb.h>

#define ML 64
struct st {
    IMB_MGR *m;
    IMB_JOB jobs[ML], proto[ML];
    unsigned lanes;
    size_t size;
    int ciph, what, k256;
    uint8_t *in[ML], *out[ML], *tag[ML], *iv[ML];
    uint8_t key[64] __attribute__((aligned(64)));
    uint8_t ek[16 * 16] __attribute__((aligned(64))), dk[16 * 16] __attribute__((aligned(64)));
    uint64_t ds[3][16];
    const void *dsp[3];
    struct gcm_key_data gk;
    struct gcm_context_data gc;
    struct chacha20_poly1305_context_data cc;
    uint8_t ip[128] __attribute__((aligned(64))), op[128] __attribute__((aligned(64)));
    kasumi_key_sched_t ks;
    snow3g_key_schedule_t sn;
    const void *keyp[ML];
    uint32_t len[ML];
    uint64_t kiv[ML];
    uint32_t crc;
    hash_fn_t hf;
    crc32_fn_t cf;
    int enc;
};
static void fini(void *v)
{
    struct st *s = v;
    for (unsigned i = 0; i < s->lanes; i++) {
        free(s->in[i]);
        free(s->out[i]);
        free(s->tag[i]);
        free(s->iv[i]);
    }
    free(s);
}
static void r_job(void *v, uint64_t n)
{
    struct st *s = v;
    IMB_MGR *m = s->m;
    while (n--) {
        unsigned done = 0;
        for (unsigned i = 0; i < s->lanes; i++) {
            IMB_JOB *j = IMB_GET_NEXT_JOB(m);
            const IMB_JOB *q = &s->proto[i];
            /* only what a caller must fill in */
            j->enc_keys = q->enc_keys;
            j->dec_keys = q->dec_keys;
            j->key_len_in_bytes = q->key_len_in_bytes;
            j->src = q->src;
            j->dst = q->dst;
            j->cipher_start_src_offset_in_bytes = 0;
            j->msg_len_to_cipher_in_bytes = q->msg_len_to_cipher_in_bytes;
            j->hash_start_src_offset_in_bytes = 0;
            j->msg_len_to_hash_in_bytes = q->msg_len_to_hash_in_bytes;
            j->iv = q->iv;
            j->iv_len_in_bytes = q->iv_len_in_bytes;
            j->auth_tag_output = q->auth_tag_output;
            j->auth_tag_output_len_in_bytes = q->auth_tag_output_len_in_bytes;
            j->u = q->u;
            j->cipher_mode = q->cipher_mode;
            j->cipher_direction = q->cipher_direction;
            j->hash_alg = q->hash_alg;
            j->chain_order = q->chain_order;
            if (IMB_SUBMIT_JOB_NOCHECK(m))
                done++;
        }
        while (done < s->lanes && IMB_FLUSH_JOB(m))
            done++;
    }
}
static void r_cburst(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        IMB_SUBMIT_CIPHER_BURST_NOCHECK(s->m, s->jobs, s->lanes, s->jobs[0].cipher_mode, s->jobs[0].cipher_direction,
                                        s->jobs[0].key_len_in_bytes);
}
static void r_hburst(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        IMB_SUBMIT_HASH_BURST_NOCHECK(s->m, s->jobs, s->lanes, s->jobs[0].hash_alg);
}
static void r_gcm(void *v, uint64_t n)
{
    struct st *s = v;
    IMB_MGR *m = s->m;
    while (n--) {
        if (s->k256) {
            if (s->enc)
                IMB_AES256_GCM_ENC(m, &s->gk, &s->gc, s->out[0], s->in[0], s->size, s->iv[0], NULL, 0, s->tag[0], 16);
            else
                IMB_AES256_GCM_DEC(m, &s->gk, &s->gc, s->out[0], s->in[0], s->size, s->iv[0], NULL, 0, s->tag[0], 16);
        } else {
            if (s->enc)
                IMB_AES128_GCM_ENC(m, &s->gk, &s->gc, s->out[0], s->in[0], s->size, s->iv[0], NULL, 0, s->tag[0], 16);
            else
                IMB_AES128_GCM_DEC(m, &s->gk, &s->gc, s->out[0], s->in[0], s->size, s->iv[0], NULL, 0, s->tag[0], 16);
        }
    }
}
static void r_cp(void *v, uint64_t n)
{
    struct st *s = v;
    IMB_MGR *m = s->m;
    while (n--) {
        IMB_CHACHA20_POLY1305_INIT(m, s->key, &s->cc, s->iv[0], NULL, 0);
        if (s->enc)
            IMB_CHACHA20_POLY1305_ENC_UPDATE(m, s->key, &s->cc, s->out[0], s->in[0], s->size);
        else
            IMB_CHACHA20_POLY1305_DEC_UPDATE(m, s->key, &s->cc, s->out[0], s->in[0], s->size);
        IMB_CHACHA20_POLY1305_ENC_FINALIZE(m, &s->cc, s->tag[0], 16);
    }
}
static void r_hash(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        s->hf(s->in[0], s->size, s->tag[0]);
}
static void r_crc(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        s->crc = s->cf(s->in[0], s->size);
}
static void r_kf8(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        IMB_KASUMI_F8_1_BUFFER(s->m, &s->ks, s->kiv[0], s->in[0], s->out[0], (uint32_t)s->size);
}
static void r_kf8n(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        IMB_KASUMI_F8_N_BUFFER(s->m, &s->ks, s->kiv, (const void *const *)s->in, (void **)s->out, s->len, s->lanes);
}
static void r_kf9(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        IMB_KASUMI_F9_1_BUFFER(s->m, &s->ks, s->in[0], (uint32_t)s->size, s->tag[0]);
}
static void r_sf8(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        IMB_SNOW3G_F8_1_BUFFER(s->m, &s->sn, s->iv[0], s->in[0], s->out[0], (uint32_t)s->size);
}
static void r_sf8n(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        IMB_SNOW3G_F8_N_BUFFER(s->m, &s->sn, (const void *const *)s->iv, (const void *const *)s->in, (void **)s->out,
                               s->len, s->lanes);
}
static void r_sf9(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        IMB_SNOW3G_F9_1_BUFFER(s->m, &s->sn, s->iv[0], s->in[0], s->size * 8, s->tag[0]);
}
static void r_zea(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        IMB_ZUC_EEA3_1_BUFFER(s->m, s->key, s->iv[0], s->in[0], s->out[0], (uint32_t)s->size);
}
static void r_zean(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        IMB_ZUC_EEA3_N_BUFFER(s->m, s->keyp, (const void *const *)s->iv, (const void *const *)s->in, (void **)s->out,
                              s->len, s->lanes);
}
static void r_zia(void *v, uint64_t n)
{
    struct st *s = v;
    while (n--)
        IMB_ZUC_EIA3_1_BUFFER(s->m, s->key, s->iv[0], s->in[0], (uint32_t)s->size * 8, (uint32_t *)s->tag[0]);
}
static void r_zian(void *v, uint64_t n)
{
    struct st *s = v;
    uint32_t bits[ML];
    for (unsigned i = 0; i < s->lanes; i++)
        bits[i] = (uint32_t)s->size * 8;
    while (n--)
        IMB_ZUC_EIA3_N_BUFFER(s->m, s->keyp, (const void *const *)s->iv, (const void *const *)s->in, bits,
                              (uint32_t **)s->tag, s->lanes);
}

static int cell(peer *p, const peer_req *rq, peer_cell *o)
{
    const char *a = rq->alg, *mo = peer_mode_of(a);
    int direct = peer_is(rq->mode, "direct"), burst = peer_is(rq->mode, "burst");
    unsigned L = rq->lanes;
    if (L > ML)
        return PEER_NONE;
    struct st *s = aligned_alloc(64, (sizeof *s + 63) & ~(size_t)63);
    memset(s, 0, sizeof *s);
    IMB_MGR *m = s->m = p->priv;
    s->lanes = L;
    s->size = rq->size;
    for (unsigned i = 0; i < L; i++) {
        s->in[i] = peer_msg(rq->size);
        s->out[i] = peer_alloc(rq->size + 64);
        s->tag[i] = peer_alloc(64);
        s->iv[i] = peer_alloc(64);
        peer_iv(s->iv[i], 32);
        s->keyp[i] = s->key;
        s->len[i] = (uint32_t)rq->size;
        memcpy(&s->kiv[i], s->iv[i], 8);
    }
    peer_key(s->key, 32);
    o->ctx = s;
    o->fini = fini;
    s->enc = !peer_is(rq->op, "dec");
    IMB_JOB q;
    memset(&q, 0, sizeof q);
    q.cipher_mode = IMB_CIPHER_NULL;
    q.hash_alg = IMB_AUTH_NULL;
    q.cipher_direction = s->enc ? IMB_DIR_ENCRYPT : IMB_DIR_DECRYPT;
    q.chain_order = s->enc ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
    size_t taglen = 0;
    if (peer_starts(a, "AES-")) {
        s->k256 = peer_starts(a, "AES-256");
        q.key_len_in_bytes = s->k256 ? 32 : 16;
        q.enc_keys = s->ek;
        q.dec_keys = s->dk;
        q.iv_len_in_bytes = 16;
        if (s->k256)
            IMB_AES_KEYEXP_256(m, s->key, s->ek, s->dk);
        else
            IMB_AES_KEYEXP_128(m, s->key, s->ek, s->dk);
        if (peer_is(mo, "CBC")) q.cipher_mode = IMB_CIPHER_CBC;
        else if (peer_is(mo, "CTR")) q.cipher_mode = IMB_CIPHER_CNTR;
        else if (peer_is(mo, "ECB")) q.cipher_mode = IMB_CIPHER_ECB, q.iv_len_in_bytes = 0;
        else if (peer_is(mo, "CFB")) {
            q.cipher_mode = IMB_CIPHER_CFB;
            q.dec_keys = s->ek;
        } else if (peer_is(mo, "GCM")) {
            if (s->k256) IMB_AES256_GCM_PRE(m, s->key, &s->gk);
            else IMB_AES128_GCM_PRE(m, s->key, &s->gk);
            q.cipher_mode = IMB_CIPHER_GCM;
            q.hash_alg = IMB_AUTH_AES_GMAC;
            q.enc_keys = q.dec_keys = &s->gk;
            q.iv_len_in_bytes = 12;
            taglen = 16;
        } else
            goto none;
        if (taglen && !s->enc) { /* a true message to decrypt */
            s->enc = 1;
            r_gcm(s, 1);
            s->enc = 0;
            for (unsigned i = 0; i < L; i++)
                memcpy(s->in[i], s->out[0], rq->size);
        }
        if (direct) {
            if (!taglen || L != 1)
                goto none;
            o->run = r_gcm;
            o->out = s->out[0];
            o->outlen = rq->size;
            return PEER_OK;
        }
        if (burst && taglen)
            goto none;
    } else if (peer_is(a, "DES-CBC") || peer_is(a, "3DES-CBC")) {
        for (int i = 0; i < 3; i++) {
            IMB_DES_KEYSCHED(m, s->ds[i], s->key + 8 * i);
            s->dsp[i] = s->ds[i];
        }
        int t = a[0] == '3';
        q.cipher_mode = t ? IMB_CIPHER_DES3 : IMB_CIPHER_DES;
        q.key_len_in_bytes = t ? 24 : 8;
        q.enc_keys = q.dec_keys = t ? (void *)s->dsp : (void *)s->ds[0];
        q.iv_len_in_bytes = 8;
        if (direct || burst)
            goto none;
    } else if (peer_is(a, "CHACHA20-POLY1305")) {
        q.cipher_mode = IMB_CIPHER_CHACHA20_POLY1305;
        q.hash_alg = IMB_AUTH_CHACHA20_POLY1305;
        q.enc_keys = q.dec_keys = s->key;
        q.key_len_in_bytes = 32;
        q.iv_len_in_bytes = 12;
        taglen = 16;
        if (burst || (direct && L != 1))
            goto none;
        if (!s->enc) {
            s->enc = 1;
            r_cp(s, 1);
            s->enc = 0;
            for (unsigned i = 0; i < L; i++)
                memcpy(s->in[i], s->out[0], rq->size);
        }
        if (direct) {
            o->run = r_cp;
            o->out = s->out[0];
            o->outlen = rq->size;
            return PEER_OK;
        }
    } else if (peer_is(a, "POLY1305")) {
        q.hash_alg = IMB_AUTH_POLY1305;
        q.u.POLY1305._key = s->key;
        taglen = 16;
        if (direct || burst)
            goto none;
    } else if (peer_is(rq->op, "hash")) {
        static const struct { const char *a; IMB_HASH_ALG h; size_t n; } H[] = {
            { "SHA1", IMB_AUTH_SHA_1, 20 }, { "SHA224", IMB_AUTH_SHA_224, 28 }, { "SHA256", IMB_AUTH_SHA_256, 32 },
            { "SHA384", IMB_AUTH_SHA_384, 48 }, { "SHA512", IMB_AUTH_SHA_512, 64 } };
        size_t i;
        for (i = 0; i < 5 && !peer_is(a, H[i].a); i++)
            ;
        if (i == 5)
            goto none;
        q.hash_alg = H[i].h;
        taglen = H[i].n;
        if (direct) {
            if (L != 1)
                goto none;
            hash_fn_t f[] = { m->sha1, m->sha224, m->sha256, m->sha384, m->sha512 };
            s->hf = f[i];
            o->run = r_hash;
            o->out = s->tag[0];
            o->outlen = taglen;
            return PEER_OK;
        }
    } else if (peer_starts(a, "HMAC-")) {
        q.hash_alg = peer_is(a, "HMAC-MD5") ? IMB_AUTH_MD5 : peer_is(a, "HMAC-SHA1") ? IMB_AUTH_HMAC_SHA_1 : IMB_AUTH_HMAC_SHA_256;
        taglen = peer_is(a, "HMAC-MD5") ? 16 : peer_is(a, "HMAC-SHA1") ? 20 : 32;
        imb_hmac_ipad_opad(m, q.hash_alg, s->key, 32, s->ip, s->op);
        q.u.HMAC._hashed_auth_key_xor_ipad = s->ip;
        q.u.HMAC._hashed_auth_key_xor_opad = s->op;
        if (direct || (burst && q.hash_alg == IMB_AUTH_MD5))
            goto none;
    } else if (peer_is(a, "CRC32") || peer_is(a, "CRC32C")) {
        if (!direct || L != 1 || !peer_is(a, "CRC32"))
            goto none;
        s->cf = m->crc32_ethernet_fcs;
        o->run = r_crc;
        o->out = (uint8_t *)&s->crc;
        o->outlen = 4;
        return PEER_OK;
    } else if (peer_starts(a, "KASUMI") || peer_starts(a, "SNOW3G") || peer_starts(a, "ZUC")) {
        /* the library refuses longer messages and wider batches without saying so */
        if (!direct || (a[0] == 'K' && rq->size > 2500) || (a[0] == 'Z' && rq->size > 8188) || (a[0] != 'Z' && L > 16))
            goto none;
        if (peer_is(a, "KASUMI-F8")) {
            IMB_KASUMI_INIT_F8_KEY_SCHED(m, s->key, &s->ks);
            o->run = L == 1 ? r_kf8 : r_kf8n;
        } else if (peer_is(a, "KASUMI-F9")) {
            IMB_KASUMI_INIT_F9_KEY_SCHED(m, s->key, &s->ks);
            o->run = L == 1 ? r_kf9 : NULL;
        } else if (peer_is(a, "SNOW3G-UEA2")) {
            IMB_SNOW3G_INIT_KEY_SCHED(m, s->key, &s->sn);
            o->run = L == 1 ? r_sf8 : r_sf8n;
        } else if (peer_is(a, "SNOW3G-UIA2")) {
            IMB_SNOW3G_INIT_KEY_SCHED(m, s->key, &s->sn);
            o->run = L == 1 ? r_sf9 : NULL;
        } else if (peer_is(a, "ZUC-EEA3"))
            o->run = L == 1 ? r_zea : r_zean;
        else
            o->run = L == 1 ? r_zia : r_zian;
        if (!o->run)
            goto none;
        int mac = peer_is(rq->op, "mac");
        o->out = mac ? s->tag[0] : s->out[0];
        o->outlen = mac ? 4 : rq->size;
        return PEER_OK;
    } else
        goto none;

    s->ciph = q.cipher_mode != IMB_CIPHER_NULL;
    for (unsigned i = 0; i < L; i++) {
        q.src = s->in[i];
        q.dst = s->out[i];
        q.iv = s->iv[i];
        q.msg_len_to_cipher_in_bytes = s->ciph ? rq->size : 0;
        q.msg_len_to_hash_in_bytes = q.hash_alg != IMB_AUTH_NULL ? rq->size : 0;
        q.auth_tag_output = s->tag[i];
        q.auth_tag_output_len_in_bytes = taglen;
        s->proto[i] = s->jobs[i] = q;
    }
    if (burst) {
        unsigned r = s->ciph ? IMB_SUBMIT_CIPHER_BURST(m, s->jobs, L, q.cipher_mode, q.cipher_direction, q.key_len_in_bytes)
                             : IMB_SUBMIT_HASH_BURST(m, s->jobs, L, q.hash_alg);
        if (r != L)
            goto none;
        o->run = s->ciph ? r_cburst : r_hburst;
    } else {
        IMB_JOB *j = IMB_GET_NEXT_JOB(m); /* one checked submission */
        *j = s->proto[0];
        j = IMB_SUBMIT_JOB(m);
        if (!j)
            j = IMB_FLUSH_JOB(m);
        if (!j || j->status != IMB_STATUS_COMPLETED) {
            fprintf(stderr, "# ipsec-mb %s %s: %s\n", a, rq->op, imb_get_strerror(imb_get_errno(m)));
            goto none;
        }
        o->run = r_job;
    }
    o->out = s->ciph ? s->out[0] : s->tag[0];
    o->outlen = s->ciph ? rq->size : taglen;
    return PEER_OK;
none:
    fini(s);
    return PEER_NONE;
}
static const char *const MODES[] = { "direct", "burst", "job", NULL };
int peer_open(int abi, const char *arg, peer *p)
{
    if (abi != PEER_ABI)
        return 1;
    IMB_MGR *m = alloc_mb_mgr(0);
    IMB_ARCH arch;
    if (!m)
        return 1;
    if (arg && peer_is(arg, "sse")) {
        init_mb_mgr_sse(m);
        arch = IMB_ARCH_SSE;
    } else if (arg && peer_is(arg, "avx2")) {
        init_mb_mgr_avx2(m);
        arch = IMB_ARCH_AVX2;
    } else
        init_mb_mgr_auto(m, &arch);
    snprintf(p->version, sizeof p->version, "intel-ipsec-mb %s, %s", imb_get_version_str(),
             arch == IMB_ARCH_AVX512 ? "avx512" : arch == IMB_ARCH_AVX2 ? "avx2" : "sse");
    p->modes = MODES;
    p->cell = cell;
    p->priv = m;
    return 0;
}
