/* SPDX-License-Identifier: Apache-2.0 */
/* intel-ipsec-mb.  ARG: sse or avx2, for its code for CPUs with no more than that.
 *
 * modes: direct  the call for one buffer, or for N, where there is one
 *        burst   a typed burst of `lanes` jobs, without checks of arguments
 *        job     `lanes` jobs submitted one by one, without checks, and a flush */
#include "peer.h"
#define LINUX 1 /* the header aligns its structures only then */
#include <intel-ipsec-mb.h>

enum { MAX_LANES = 64 };
enum way { DIRECT, BURST, JOB };
static const char *const way_names[] = { "direct", "burst", "job", NULL };

struct state {
    uint8_t key[64] __attribute__((aligned(64)));
    uint8_t enc_keys[16 * 16] __attribute__((aligned(64)));
    uint8_t dec_keys[16 * 16] __attribute__((aligned(64)));
    uint8_t ipad[128] __attribute__((aligned(64))), opad[128] __attribute__((aligned(64)));
    IMB_JOB jobs[MAX_LANES], filled[MAX_LANES];
    struct gcm_key_data gcm_key;
    struct gcm_context_data gcm;
    struct chacha20_poly1305_context_data chacha;
    uint64_t des_keys[3][16];
    const void *des3_keys[3];
    kasumi_key_sched_t kasumi;
    snow3g_key_schedule_t snow3g;
    IMB_MGR *m;
    enum way way;
    unsigned lanes;
    int encrypt;
    size_t size;
    uint8_t *in[MAX_LANES], *out[MAX_LANES], *tag[MAX_LANES], *iv[MAX_LANES];
    const void *keys[MAX_LANES];
    uint32_t bytes[MAX_LANES], bits[MAX_LANES];
    uint64_t kasumi_iv[MAX_LANES];
};

/* ---- jobs ---- */

/* fill_job copies only those members of a job that a caller must fill in. */
static void fill_job(IMB_JOB *to, const IMB_JOB *from)
{
    to->enc_keys = from->enc_keys;
    to->dec_keys = from->dec_keys;
    to->key_len_in_bytes = from->key_len_in_bytes;
    to->src = from->src;
    to->dst = from->dst;
    to->cipher_start_src_offset_in_bytes = 0;
    to->msg_len_to_cipher_in_bytes = from->msg_len_to_cipher_in_bytes;
    to->hash_start_src_offset_in_bytes = 0;
    to->msg_len_to_hash_in_bytes = from->msg_len_to_hash_in_bytes;
    to->iv = from->iv;
    to->iv_len_in_bytes = from->iv_len_in_bytes;
    to->auth_tag_output = from->auth_tag_output;
    to->auth_tag_output_len_in_bytes = from->auth_tag_output_len_in_bytes;
    to->u = from->u;
    to->cipher_mode = from->cipher_mode;
    to->cipher_direction = from->cipher_direction;
    to->hash_alg = from->hash_alg;
    to->chain_order = from->chain_order;
}

static void run_jobs(void *ctx, uint64_t n)
{
    struct state *const s = ctx;
    while (n--) {
        unsigned done = 0;
        for (unsigned i = 0; i < s->lanes; i++) {
            fill_job(IMB_GET_NEXT_JOB(s->m), &s->filled[i]);
            if (IMB_SUBMIT_JOB_NOCHECK(s->m))
                done++;
        }
        while (done < s->lanes && IMB_FLUSH_JOB(s->m))
            done++;
    }
}

PEER_LOOP(run_cipher_burst,
          IMB_SUBMIT_CIPHER_BURST_NOCHECK(s->m, s->jobs, s->lanes, s->jobs[0].cipher_mode,
                                          s->jobs[0].cipher_direction, s->jobs[0].key_len_in_bytes))
PEER_LOOP(run_hash_burst,
          IMB_SUBMIT_HASH_BURST_NOCHECK(s->m, s->jobs, s->lanes, s->jobs[0].hash_alg))

/* check_burst runs the burst once, with the library's checks of arguments, and returns whether all
 * its jobs were done.  check_job does the same with one job. */
static int check_burst(struct state *s, const IMB_JOB *job)
{
    return s->lanes ==
           (job->cipher_mode == IMB_CIPHER_NULL
                ? IMB_SUBMIT_HASH_BURST(s->m, s->jobs, s->lanes, job->hash_alg)
                : IMB_SUBMIT_CIPHER_BURST(s->m, s->jobs, s->lanes, job->cipher_mode,
                                          job->cipher_direction, job->key_len_in_bytes));
}

static int check_job(struct state *s, const peer_req *rq)
{
    IMB_JOB *job = IMB_GET_NEXT_JOB(s->m);
    *job = s->filled[0];
    job = IMB_SUBMIT_JOB(s->m);
    if (!job)
        job = IMB_FLUSH_JOB(s->m);
    if (job && job->status == IMB_STATUS_COMPLETED)
        return 1;
    fprintf(stderr, "# ipsec-mb %s %s: %s\n", rq->alg, rq->op,
            imb_get_strerror(imb_get_errno(s->m)));
    return 0;
}

/* job_cell makes a cell of bursts or jobs that are like *job, each with buffers of its own. */
static void job_cell(struct state *s, const peer_req *rq, IMB_JOB *job, peer_cell *out)
{
    const int hash = job->cipher_mode == IMB_CIPHER_NULL;
    job->cipher_direction = s->encrypt ? IMB_DIR_ENCRYPT : IMB_DIR_DECRYPT;
    job->chain_order = s->encrypt ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
    job->msg_len_to_cipher_in_bytes = hash ? 0 : s->size;
    job->msg_len_to_hash_in_bytes = job->hash_alg == IMB_AUTH_NULL ? 0 : s->size;
    for (unsigned i = 0; i < s->lanes; i++) {
        job->src = s->in[i];
        job->dst = s->out[i];
        job->iv = s->iv[i];
        job->auth_tag_output = s->tag[i];
        s->filled[i] = s->jobs[i] = *job;
    }
    if (!(s->way == BURST ? check_burst(s, job) : check_job(s, rq)))
        return;
    out->run = s->way == JOB ? run_jobs : hash ? run_hash_burst : run_cipher_burst;
    out->out = hash ? s->tag[0] : s->out[0];
    out->outlen = hash ? job->auth_tag_output_len_in_bytes : s->size;
}

/* ---- ciphers ---- */

static void aes128_keys(struct state *s, IMB_JOB *job)
{
    IMB_AES_KEYEXP_128(s->m, s->key, s->enc_keys, s->dec_keys);
    job->enc_keys = s->enc_keys;
    job->dec_keys = job->cipher_mode == IMB_CIPHER_CFB ? s->enc_keys : s->dec_keys;
}

static void aes256_keys(struct state *s, IMB_JOB *job)
{
    IMB_AES_KEYEXP_256(s->m, s->key, s->enc_keys, s->dec_keys);
    job->enc_keys = s->enc_keys;
    job->dec_keys = job->cipher_mode == IMB_CIPHER_CFB ? s->enc_keys : s->dec_keys;
}

static void des_keys(struct state *s, IMB_JOB *job)
{
    for (int i = 0; i < 3; i++) {
        IMB_DES_KEYSCHED(s->m, s->des_keys[i], s->key + 8 * i);
        s->des3_keys[i] = s->des_keys[i];
    }
    const int three = job->cipher_mode == IMB_CIPHER_DES3;
    job->enc_keys = job->dec_keys = three ? (const void *)s->des3_keys : s->des_keys[0];
}

static const struct cipher {
    const char *alg;
    void (*set_keys)(struct state *s, IMB_JOB *job);
    IMB_CIPHER_MODE mode;
    unsigned key_len, iv_len;
    int burst;
} ciphers[] = {
    { "AES-128-ECB", aes128_keys, IMB_CIPHER_ECB, 16, 0, 1 },
    { "AES-256-ECB", aes256_keys, IMB_CIPHER_ECB, 32, 0, 1 },
    { "AES-128-CBC", aes128_keys, IMB_CIPHER_CBC, 16, 16, 1 },
    { "AES-256-CBC", aes256_keys, IMB_CIPHER_CBC, 32, 16, 1 },
    { "AES-128-CTR", aes128_keys, IMB_CIPHER_CNTR, 16, 16, 1 },
    { "AES-256-CTR", aes256_keys, IMB_CIPHER_CNTR, 32, 16, 1 },
    { "AES-128-CFB", aes128_keys, IMB_CIPHER_CFB, 16, 16, 1 },
    { "AES-256-CFB", aes256_keys, IMB_CIPHER_CFB, 32, 16, 1 },
    { "DES-CBC", des_keys, IMB_CIPHER_DES, 8, 8, 0 },
    { "3DES-CBC", des_keys, IMB_CIPHER_DES3, 24, 8, 0 },
};

static void cipher_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    const struct cipher *const c = PEER_ROW(ciphers, rq->alg);
    if (!c || s->way == DIRECT || (s->way == BURST && !c->burst))
        return;
    IMB_JOB job = {
        .cipher_mode = c->mode,
        .hash_alg = IMB_AUTH_NULL,
        .key_len_in_bytes = c->key_len,
        .iv_len_in_bytes = c->iv_len,
    };
    c->set_keys(s, &job);
    job_cell(s, rq, &job, out);
}

/* ---- AEADs ---- */

#define GCM_ARGUMENTS \
    &s->gcm_key, &s->gcm, s->out[0], s->in[0], s->size, s->iv[0], NULL, 0, s->tag[0], 16
PEER_LOOP(gcm128_seal, s->m->gcm128_enc(GCM_ARGUMENTS))
PEER_LOOP(gcm128_open, s->m->gcm128_dec(GCM_ARGUMENTS))
PEER_LOOP(gcm256_seal, s->m->gcm256_enc(GCM_ARGUMENTS))
PEER_LOOP(gcm256_open, s->m->gcm256_dec(GCM_ARGUMENTS))

PEER_LOOP(chacha_seal, IMB_CHACHA20_POLY1305_INIT(s->m, s->key, &s->chacha, s->iv[0], NULL, 0);
          IMB_CHACHA20_POLY1305_ENC_UPDATE(s->m, s->key, &s->chacha, s->out[0], s->in[0], s->size);
          IMB_CHACHA20_POLY1305_ENC_FINALIZE(s->m, &s->chacha, s->tag[0], 16))
PEER_LOOP(chacha_open, IMB_CHACHA20_POLY1305_INIT(s->m, s->key, &s->chacha, s->iv[0], NULL, 0);
          IMB_CHACHA20_POLY1305_DEC_UPDATE(s->m, s->key, &s->chacha, s->out[0], s->in[0], s->size);
          IMB_CHACHA20_POLY1305_DEC_FINALIZE(s->m, &s->chacha, s->tag[0], 16))

static const void *gcm128_key(struct state *s)
{
    IMB_AES128_GCM_PRE(s->m, s->key, &s->gcm_key);
    return &s->gcm_key;
}

static const void *gcm256_key(struct state *s)
{
    IMB_AES256_GCM_PRE(s->m, s->key, &s->gcm_key);
    return &s->gcm_key;
}

static const void *chacha_key(struct state *s)
{
    return s->key;
}

static const struct aead {
    const char *alg;
    const void *(*set_key)(struct state *s);
    IMB_CIPHER_MODE mode;
    IMB_HASH_ALG hash;
    unsigned key_len;
    peer_run_fn *seal, *open;
} aeads[] = {
    { "AES-128-GCM", gcm128_key, IMB_CIPHER_GCM, IMB_AUTH_AES_GMAC, 16, gcm128_seal, gcm128_open },
    { "AES-256-GCM", gcm256_key, IMB_CIPHER_GCM, IMB_AUTH_AES_GMAC, 32, gcm256_seal, gcm256_open },
    { "CHACHA20-POLY1305", chacha_key, IMB_CIPHER_CHACHA20_POLY1305, IMB_AUTH_CHACHA20_POLY1305, 32,
      chacha_seal, chacha_open },
};

static void aead_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    const struct aead *const a = PEER_ROW(aeads, rq->alg);
    if (!a || s->way == BURST || (s->way == DIRECT && s->lanes != 1))
        return;
    const void *const key = a->set_key(s);
    if (!s->encrypt) { /* a message to open */
        a->seal(s, 1);
        for (unsigned i = 0; i < s->lanes; i++)
            memcpy(s->in[i], s->out[0], s->size);
    }
    IMB_JOB job = {
        .cipher_mode = a->mode,
        .hash_alg = a->hash,
        .enc_keys = key,
        .dec_keys = key,
        .key_len_in_bytes = a->key_len,
        .iv_len_in_bytes = 12,
        .auth_tag_output_len_in_bytes = 16,
    };
    if (s->way == JOB) {
        job_cell(s, rq, &job, out);
        return;
    }
    out->run = s->encrypt ? a->seal : a->open;
    out->outlen = s->size;
}

/* ---- digests and MACs ---- */

PEER_LOOP(sha1, IMB_SHA1(s->m, s->in[0], s->size, s->tag[0]))
PEER_LOOP(sha224, IMB_SHA224(s->m, s->in[0], s->size, s->tag[0]))
PEER_LOOP(sha256, IMB_SHA256(s->m, s->in[0], s->size, s->tag[0]))
PEER_LOOP(sha384, IMB_SHA384(s->m, s->in[0], s->size, s->tag[0]))
PEER_LOOP(sha512, IMB_SHA512(s->m, s->in[0], s->size, s->tag[0]))

static void hmac_key(struct state *s, IMB_JOB *job)
{
    imb_hmac_ipad_opad(s->m, job->hash_alg, s->key, 32, s->ipad, s->opad);
    job->u.HMAC._hashed_auth_key_xor_ipad = s->ipad;
    job->u.HMAC._hashed_auth_key_xor_opad = s->opad;
}

static void poly1305_key(struct state *s, IMB_JOB *job)
{
    job->u.POLY1305._key = s->key;
}

static uint32_t *cmac_subkeys(struct state *s, IMB_JOB *job)
{
    uint32_t *const subkeys = (uint32_t *)s->ipad;
    job->u.CMAC._key_expanded = s->enc_keys;
    job->u.CMAC._skey1 = subkeys;
    job->u.CMAC._skey2 = subkeys + 4;
    return subkeys;
}

static void cmac128_key(struct state *s, IMB_JOB *job)
{
    uint32_t *const subkeys = cmac_subkeys(s, job);
    IMB_AES_KEYEXP_128(s->m, s->key, s->enc_keys, s->dec_keys);
    IMB_AES_CMAC_SUBKEY_GEN_128(s->m, s->enc_keys, subkeys, subkeys + 4);
}

static void cmac256_key(struct state *s, IMB_JOB *job)
{
    uint32_t *const subkeys = cmac_subkeys(s, job);
    IMB_AES_KEYEXP_256(s->m, s->key, s->enc_keys, s->dec_keys);
    IMB_AES_CMAC_SUBKEY_GEN_256(s->m, s->enc_keys, subkeys, subkeys + 4);
}

static const struct hash {
    const char *alg;
    IMB_HASH_ALG hash;
    unsigned out_len;
    int burst;
    peer_run_fn *direct;
    void (*set_key)(struct state *s, IMB_JOB *job);
} hashes[] = {
    { "SHA1", IMB_AUTH_SHA_1, 20, 1, sha1, NULL },
    { "SHA224", IMB_AUTH_SHA_224, 28, 1, sha224, NULL },
    { "SHA256", IMB_AUTH_SHA_256, 32, 1, sha256, NULL },
    { "SHA384", IMB_AUTH_SHA_384, 48, 1, sha384, NULL },
    { "SHA512", IMB_AUTH_SHA_512, 64, 1, sha512, NULL },
    { "HMAC-MD5", IMB_AUTH_MD5, 16, 0, NULL, hmac_key },
    { "HMAC-SHA1", IMB_AUTH_HMAC_SHA_1, 20, 1, NULL, hmac_key },
    { "HMAC-SHA256", IMB_AUTH_HMAC_SHA_256, 32, 1, NULL, hmac_key },
    { "AES-128-CMAC", IMB_AUTH_AES_CMAC, 16, 0, NULL, cmac128_key },
    { "AES-256-CMAC", IMB_AUTH_AES_CMAC_256, 16, 0, NULL, cmac256_key },
    { "POLY1305", IMB_AUTH_POLY1305, 16, 0, NULL, poly1305_key },
};

static void hash_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    const struct hash *const h = PEER_ROW(hashes, rq->alg);
    if (!h || (s->way == BURST && !h->burst))
        return;
    if (s->way == DIRECT) {
        out->run = s->lanes == 1 ? h->direct : NULL;
        out->out = s->tag[0];
        out->outlen = h->out_len;
        return;
    }
    IMB_JOB job = {
        .cipher_mode = IMB_CIPHER_NULL,
        .hash_alg = h->hash,
        .auth_tag_output_len_in_bytes = h->out_len,
    };
    if (h->set_key)
        h->set_key(s, &job);
    job_cell(s, rq, &job, out);
}

/* ---- algorithms with calls for one buffer or N: those of 3GPP, CRC-32 ---- */

#define EVERY(what) (const void *const *)s->what
PEER_LOOP(kasumi_f8, IMB_KASUMI_F8_1_BUFFER(s->m, &s->kasumi, s->kasumi_iv[0], s->in[0], s->out[0],
                                            s->bytes[0]))
PEER_LOOP(kasumi_f8_many, IMB_KASUMI_F8_N_BUFFER(s->m, &s->kasumi, s->kasumi_iv, EVERY(in),
                                                 (void **)s->out, s->bytes, s->lanes))
PEER_LOOP(kasumi_f9, IMB_KASUMI_F9_1_BUFFER(s->m, &s->kasumi, s->in[0], s->bytes[0], s->tag[0]))
PEER_LOOP(snow3g_f8,
          IMB_SNOW3G_F8_1_BUFFER(s->m, &s->snow3g, s->iv[0], s->in[0], s->out[0], s->bytes[0]))
PEER_LOOP(snow3g_f8_many, IMB_SNOW3G_F8_N_BUFFER(s->m, &s->snow3g, EVERY(iv), EVERY(in),
                                                 (void **)s->out, s->bytes, s->lanes))
PEER_LOOP(snow3g_f9,
          IMB_SNOW3G_F9_1_BUFFER(s->m, &s->snow3g, s->iv[0], s->in[0], s->bits[0], s->tag[0]))
PEER_LOOP(zuc_eea3, IMB_ZUC_EEA3_1_BUFFER(s->m, s->key, s->iv[0], s->in[0], s->out[0], s->bytes[0]))
PEER_LOOP(zuc_eea3_many, IMB_ZUC_EEA3_N_BUFFER(s->m, s->keys, EVERY(iv), EVERY(in), (void **)s->out,
                                               s->bytes, s->lanes))
PEER_LOOP(zuc_eia3, IMB_ZUC_EIA3_1_BUFFER(s->m, s->key, s->iv[0], s->in[0], s->bits[0],
                                          (uint32_t *)s->tag[0]))
PEER_LOOP(zuc_eia3_many, IMB_ZUC_EIA3_N_BUFFER(s->m, s->keys, EVERY(iv), EVERY(in), s->bits,
                                               (uint32_t **)s->tag, s->lanes))
PEER_LOOP(crc32, *(uint32_t *)s->tag[0] = s->m->crc32_ethernet_fcs(s->in[0], s->size))

static void kasumi_f8_key(struct state *s)
{
    IMB_KASUMI_INIT_F8_KEY_SCHED(s->m, s->key, &s->kasumi);
}

static void kasumi_f9_key(struct state *s)
{
    IMB_KASUMI_INIT_F9_KEY_SCHED(s->m, s->key, &s->kasumi);
}

static void snow3g_key(struct state *s)
{
    IMB_SNOW3G_INIT_KEY_SCHED(s->m, s->key, &s->snow3g);
}

/* The library ignores longer messages and wider batches without an error. */
static const struct buffers {
    const char *alg;
    void (*set_key)(struct state *s);
    peer_run_fn *one, *many;
    size_t max_size;
    unsigned max_lanes;
    size_t mac_len; /* 0: a cipher */
} buffers[] = {
    { "KASUMI-F8", kasumi_f8_key, kasumi_f8, kasumi_f8_many, 2500, 16, 0 },
    { "KASUMI-F9", kasumi_f9_key, kasumi_f9, NULL, 2500, 16, 4 },
    { "SNOW3G-UEA2", snow3g_key, snow3g_f8, snow3g_f8_many, SIZE_MAX, 16, 0 },
    { "SNOW3G-UIA2", snow3g_key, snow3g_f9, NULL, SIZE_MAX, 16, 4 },
    { "ZUC-EEA3", NULL, zuc_eea3, zuc_eea3_many, 8188, MAX_LANES, 0 },
    { "ZUC-EIA3", NULL, zuc_eia3, zuc_eia3_many, 8188, MAX_LANES, 4 },
    { "CRC32", NULL, crc32, NULL, SIZE_MAX, 1, 4 },
};

static void buffers_cell(struct state *s, const peer_req *rq, peer_cell *out)
{
    const struct buffers *const b = PEER_ROW(buffers, rq->alg);
    if (!b || s->way != DIRECT || s->size > b->max_size || s->lanes > b->max_lanes)
        return;
    if (b->set_key)
        b->set_key(s);
    out->run = s->lanes == 1 ? b->one : b->many;
    out->out = b->mac_len ? s->tag[0] : s->out[0];
    out->outlen = b->mac_len ? b->mac_len : s->size;
}

/* ---- cells ---- */

static void fini(void *ctx)
{
    struct state *s = ctx;
    for (unsigned i = 0; i < s->lanes; i++) {
        free(s->in[i]);
        free(s->out[i]);
        free(s->tag[i]);
        free(s->iv[i]);
    }
    free(s);
}

static struct state *new_state(IMB_MGR *m, const peer_req *rq)
{
    struct state *s = peer_alloc(sizeof *s);
    s->m = m;
    while (!peer_is(rq->mode, way_names[s->way]))
        s->way++;
    s->lanes = rq->lanes;
    s->encrypt = !peer_is(rq->op, "dec");
    s->size = rq->size;
    peer_key(s->key, 32);
    for (unsigned i = 0; i < s->lanes; i++) {
        s->in[i] = peer_msg(s->size);
        s->out[i] = peer_alloc(s->size + 64);
        s->tag[i] = peer_alloc(64);
        s->iv[i] = peer_alloc(64);
        peer_iv(s->iv[i], 32);
        memcpy(&s->kasumi_iv[i], s->iv[i], 8);
        s->keys[i] = s->key;
        s->bytes[i] = (uint32_t)s->size;
        s->bits[i] = (uint32_t)s->size * 8;
    }
    return s;
}

static int cell(peer *p, const peer_req *rq, peer_cell *out)
{
    static void (*const classes[])(struct state *, const peer_req *, peer_cell *) = {
        cipher_cell,
        aead_cell,
        hash_cell,
        buffers_cell,
    };
    if (rq->lanes > MAX_LANES)
        return PEER_NONE;
    struct state *s = new_state(p->priv, rq);
    *out = (peer_cell){ NULL, fini, s, s->out[0], 0 };
    for (size_t i = 0; i < sizeof classes / sizeof *classes && !out->run; i++)
        classes[i](s, rq, out);
    if (out->run)
        return PEER_OK;
    fini(s);
    return PEER_NONE;
}

int peer_open(int abi, const char *arg, peer *p)
{
    IMB_MGR *const m = abi == PEER_ABI ? alloc_mb_mgr(0) : NULL;
    IMB_ARCH arch = IMB_ARCH_SSE;
    if (!m)
        return 1;
    if (arg && peer_is(arg, "sse")) {
        init_mb_mgr_sse(m);
    } else if (arg && peer_is(arg, "avx2")) {
        init_mb_mgr_avx2(m);
        arch = IMB_ARCH_AVX2;
    } else {
        init_mb_mgr_auto(m, &arch);
    }
    snprintf(p->version, sizeof p->version, "intel-ipsec-mb %s, %s", imb_get_version_str(),
             arch == IMB_ARCH_AVX512 ? "avx512"
             : arch == IMB_ARCH_AVX2 ? "avx2"
                                     : "sse");
    p->modes = way_names;
    p->cell = cell;
    p->priv = m;
    return 0;
}
