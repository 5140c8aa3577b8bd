/* SPDX-License-Identifier: Apache-2.0 */
/* Headrace as a peer of the harness in bench/peers.  ARG is the path of libheadrace.so.  The
 * library is opened by its path, so it is called through pointers like other peers; a copy with
 * another name, opened with @HEADRACE_CPU=...@, can be measured with other CPU features at the same
 * time.
 *
 * modes: direct  hr_aes_128_cbc_encrypt(), hr_sha256(), hr_hmac_sha256(), hr_aes_128_gcm_encrypt():
 *                a whole message with an expanded key; an AEAD has a new IV each time, no AAD and
 *                a tag of 16 bytes
 *        ctx     streaming: init and update (and final) on a reused context
 *        raw     poly1305aes_authenticate(): Poly1305-AES with a key that is expanded in each call
 *        crc     hr_crc32_update(): a checksum as a number */
#include "peer.h"
#include <dlfcn.h>
#include <headrace/algorithms.h>
#include <headrace/headrace.h>
#include <headrace/poly1305aes.h>

#define FUNCTIONS(X)        \
    X(hr_version)           \
    X(hr_cpu_features)      \
    X(hr_algorithm_by_name) \
    X(hr_cipher_key_init)   \
    X(hr_cipher_key_wipe)   \
    X(hr_cipher_init)       \
    X(hr_cipher_update)     \
    X(hr_digest_init)       \
    X(hr_digest_update)     \
    X(hr_digest_final)      \
    X(hr_hmac_key_init)     \
    X(hr_hmac_key_wipe)     \
    X(hr_hmac_init)         \
    X(hr_hmac_update)       \
    X(hr_hmac_final)        \
    X(hr_aead_key_init)     \
    X(hr_aead_key_wipe)     \
    X(hr_aead_init)         \
    X(hr_aead_lengths)      \
    X(hr_aead_update)       \
    X(hr_aead_final)        \
    X(hr_aead_verify)       \
    X(hr_cmac_key_init)     \
    X(hr_cmac_key_wipe)     \
    X(hr_cmac_init)         \
    X(hr_cmac_update)       \
    X(hr_cmac_final)        \
    X(hr_nmac_key_init)     \
    X(hr_nmac_key_wipe)     \
    X(hr_nmac_init)         \
    X(hr_nmac_update)       \
    X(hr_nmac_final)        \
    X(poly1305aes_authenticate)

struct lib {
    void *handle;
#define X(function) __typeof__(&function) function;
    FUNCTIONS(X)
#undef X
};

struct state {
    const struct lib *lib;
    __typeof__(&hr_sha256) digest;
    __typeof__(&hr_hmac_sha256) mac;
    __typeof__(&hr_aes_128_ctr_encrypt) cipher;
    __typeof__(&hr_aes_128_gcm_encrypt) seal;
    __typeof__(&hr_aes_128_gcm_decrypt) open;
    __typeof__(&hr_crc32_update) crc;
    hr_alg alg;
    enum hr_op op;
    size_t size, iv_len;
    struct hr_cipher_key key;
    struct hr_hmac_key mac_key;
    struct hr_aead_key aead_key;
    struct hr_cmac_key cmac_key;
    __typeof__(&hr_aes_128_cmac) cmac;
    struct hr_nmac_key nmac_key;
    __typeof__(&hr_poly1305_aes) nmac;
    uint8_t key_bytes[32];
    size_t key_len;
    uint8_t iv[HR_CIPHER_MAX_IV], tag[HR_AEAD_MAX_TAG], *in, *out;
    uint32_t value;
};

static void check(int error)
{
    if (error)
        abort();
}

static void run_cipher_direct(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--)
        check(s->cipher(s->out, s->in, s->size, &s->key, s->iv));
}

static void run_cipher_ctx(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    struct hr_cipher_ctx message;
    size_t len;
    while (n--) {
        check(s->lib->hr_cipher_init(&message, &s->key, s->op, s->iv, s->iv_len, 0));
        check(s->lib->hr_cipher_update(&message, s->out, s->size, &len, s->in, s->size));
    }
}

static void run_digest_direct(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--)
        s->digest(s->out, s->in, s->size);
}

static void run_digest_ctx(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    struct hr_digest_ctx message;
    while (n--) {
        check(s->lib->hr_digest_init(&message, s->alg));
        check(s->lib->hr_digest_update(&message, s->in, s->size));
        check(s->lib->hr_digest_final(&message, s->out));
    }
}

static void run_mac_direct(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--)
        check(s->mac(s->out, s->in, s->size, &s->mac_key));
}

static void run_mac_ctx(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    struct hr_hmac_ctx message;
    while (n--) {
        check(s->lib->hr_hmac_init(&message, &s->mac_key));
        check(s->lib->hr_hmac_update(&message, s->in, s->size));
        check(s->lib->hr_hmac_final(&message, s->out));
    }
}

static void run_cmac_direct(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--)
        check(s->cmac(s->out, s->in, s->size, &s->cmac_key));
}

static void run_cmac_ctx(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    struct hr_cmac_ctx message;
    while (n--) {
        check(s->lib->hr_cmac_init(&message, &s->cmac_key));
        check(s->lib->hr_cmac_update(&message, s->in, s->size));
        check(s->lib->hr_cmac_final(&message, s->out));
    }
}

static void run_seal_direct(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--)
        check(s->seal(s->out, s->out + s->size, 16, s->in, s->size, NULL, 0, &s->aead_key, s->iv,
                      s->iv_len));
}

static void run_open_direct(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--)
        check(s->open(s->out, s->tag, 16, s->in, s->size, NULL, 0, &s->aead_key, s->iv, s->iv_len));
}

static void start_aead(struct hr_aead_ctx *message, struct state *s)
{
    check(s->lib->hr_aead_init(message, &s->aead_key, s->op, s->iv, s->iv_len));
    check(s->lib->hr_aead_lengths(message, 0, s->size, 16));
    check(s->lib->hr_aead_update(message, s->out, s->in, s->size));
}

static void run_seal_ctx(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    struct hr_aead_ctx message;
    while (n--) {
        start_aead(&message, s);
        check(s->lib->hr_aead_final(&message, s->out + s->size, 16));
    }
}

static void run_open_ctx(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    struct hr_aead_ctx message;
    while (n--) {
        start_aead(&message, s);
        check(s->lib->hr_aead_verify(&message, s->tag, 16));
    }
}

/* Poly1305 needs a new key for each message, so setting up the key is included. */
static void run_nmac_direct(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--) {
        if (!s->iv_len)
            check(s->lib->hr_nmac_key_init(&s->nmac_key, s->alg, s->key_bytes, s->key_len));
        check(s->nmac(s->out, s->in, s->size, &s->nmac_key, s->iv, s->iv_len));
    }
}

static void run_nmac_ctx(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    struct hr_nmac_ctx message;
    while (n--) {
        if (!s->iv_len)
            check(s->lib->hr_nmac_key_init(&s->nmac_key, s->alg, s->key_bytes, s->key_len));
        check(s->lib->hr_nmac_init(&message, &s->nmac_key, s->iv, s->iv_len));
        check(s->lib->hr_nmac_update(&message, s->in, s->size));
        check(s->lib->hr_nmac_final(&message, s->out));
    }
}

static void run_nmac_raw(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--)
        s->lib->poly1305aes_authenticate(s->out, s->key_bytes, s->iv, s->in, s->size);
}

/* Checksums as numbers, in the same way as the peers of peer_crc.c. */
static void run_crc(void *ctx, uint64_t n)
{
    struct state *s = ctx;
    while (n--)
        s->value = s->crc(0, s->in, s->size);
}

static void *typed_call(const struct lib *lib, const struct hr_algorithm *row, const char *suffix)
{
    char name[64];
    snprintf(name, sizeof name, "hr_%s%s", row->symbol, suffix);
    return dlsym(lib->handle, name);
}

/* For decryption, the input is first replaced by the message's encryption. */
static int set_up_aead(struct state *s, const struct hr_algorithm *row, const uint8_t *key)
{
    s->seal = (__typeof__(s->seal))typed_call(s->lib, row, "_encrypt");
    s->open = (__typeof__(s->open))typed_call(s->lib, row, "_decrypt");
    if (!s->seal || !s->open || s->lib->hr_aead_key_init(&s->aead_key, row->alg, key, row->key_len))
        return 0;
    if (s->op == HR_OP_DECRYPT) {
        run_seal_direct(s, 1);
        memcpy(s->in, s->out, s->size);
        memcpy(s->tag, s->out + s->size, 16);
    }
    return 1;
}

static int set_up(struct state *s, const struct hr_algorithm *row)
{
    uint8_t key[32];
    if (row->cls == HR_CLASS_DIGEST)
        return (s->digest = (__typeof__(s->digest))typed_call(s->lib, row, "")) != NULL;
    if (row->cls == HR_CLASS_MAC) {
        peer_key(key, sizeof key);
        return (s->mac = (__typeof__(s->mac))typed_call(s->lib, row, "")) != NULL &&
               s->lib->hr_hmac_key_init(&s->mac_key, row->alg, key, sizeof key) == 0;
    }
    const char *suffix = s->op == HR_OP_ENCRYPT ? "_encrypt" : "_decrypt";
    peer_key(key, row->key_len);
    peer_iv(s->iv, sizeof s->iv);
    s->iv_len = row->iv_len;
    if (row->cls == HR_CLASS_AEAD)
        return set_up_aead(s, row, key);
    s->cipher = (__typeof__(s->cipher))typed_call(s->lib, row, suffix);
    return s->cipher && s->lib->hr_cipher_key_init(&s->key, row->alg, key, row->key_len) == 0;
}

static void fini(void *ctx)
{
    struct state *s = ctx;
    s->lib->hr_cipher_key_wipe(&s->key);
    s->lib->hr_hmac_key_wipe(&s->mac_key);
    s->lib->hr_aead_key_wipe(&s->aead_key);
    s->lib->hr_cmac_key_wipe(&s->cmac_key);
    s->lib->hr_nmac_key_wipe(&s->nmac_key);
    free(s->in);
    free(s->out);
    free(s);
}

/* Finds the row that the harness's name means: "HMAC-SHA256" is the HMAC with the digest named
 * "SHA256". */
static const struct hr_algorithm *row_of(const struct lib *lib, const char *name)
{
    char symbol[64];
    if (!peer_starts(name, "HMAC-"))
        return lib->hr_algorithm_by_name(name);
    const struct hr_algorithm *digest = lib->hr_algorithm_by_name(name + strlen("HMAC-"));
    snprintf(symbol, sizeof symbol, "hmac_%s", digest ? digest->symbol : "");
    return lib->hr_algorithm_by_name(symbol);
}

static int crc_cell(const struct lib *lib, const struct hr_algorithm *row, const peer_req *rq,
                    peer_cell *out)
{
    struct state *s = peer_alloc(sizeof *s);
    s->lib = lib;
    s->size = rq->size;
    s->in = peer_msg(rq->size);
    s->crc = (__typeof__(s->crc))typed_call(lib, row, "_update");
    if (!s->crc) {
        fini(s);
        return PEER_FAIL;
    }
    *out = (peer_cell){ run_crc, fini, s, (uint8_t *)&s->value, sizeof s->value };
    return PEER_OK;
}

static int nmac_cell(const struct lib *lib, const struct hr_algorithm *row, const peer_req *rq,
                     peer_cell *out)
{
    const int raw = peer_is(rq->mode, "raw");
    if (raw && row->alg != HR_POLY1305_AES)
        return PEER_NONE;
    struct state *s = peer_alloc(sizeof *s);
    s->lib = lib;
    s->alg = row->alg;
    s->size = rq->size;
    s->iv_len = row->iv_len;
    s->key_len = row->key_len;
    s->in = peer_msg(rq->size);
    s->out = peer_alloc(HR_NMAC_MAX_OUT);
    s->nmac = (__typeof__(s->nmac))typed_call(lib, row, "");
    peer_key(s->key_bytes, sizeof s->key_bytes);
    peer_iv(s->iv, sizeof s->iv);
    if (!s->nmac || lib->hr_nmac_key_init(&s->nmac_key, row->alg, s->key_bytes, s->key_len)) {
        fini(s);
        return PEER_FAIL;
    }
    *out = (peer_cell){ raw                           ? run_nmac_raw
                        : peer_is(rq->mode, "direct") ? run_nmac_direct
                                                      : run_nmac_ctx,
                        fini, s, s->out, HR_NMAC_MAX_OUT };
    return PEER_OK;
}

static int cmac_cell(const struct lib *lib, const struct hr_algorithm *row, const peer_req *rq,
                     peer_cell *out)
{
    uint8_t key[32];
    struct state *s = peer_alloc(sizeof *s);
    s->lib = lib;
    s->size = rq->size;
    s->in = peer_msg(rq->size);
    s->out = peer_alloc(HR_CMAC_MAX_OUT);
    s->cmac = (__typeof__(s->cmac))typed_call(lib, row, "");
    peer_key(key, row->key_len);
    if (!s->cmac || lib->hr_cmac_key_init(&s->cmac_key, row->alg, key, row->key_len)) {
        fini(s);
        return PEER_FAIL;
    }
    *out = (peer_cell){ peer_is(rq->mode, "direct") ? run_cmac_direct : run_cmac_ctx, fini, s,
                        s->out, row->out_len };
    return PEER_OK;
}

static int cell(peer *p, const peer_req *rq, peer_cell *out)
{
    const struct lib *lib = p->priv;
    const struct hr_algorithm *row = row_of(lib, rq->alg);
    const int is_crc = peer_is(rq->op, "crc");
    if (!row || rq->lanes != 1 || is_crc != peer_is(rq->mode, "crc"))
        return PEER_NONE;
    if (is_crc)
        return crc_cell(lib, row, rq, out);
    if (row->cls == HR_CLASS_NMAC)
        return nmac_cell(lib, row, rq, out);
    if (peer_is(rq->mode, "raw"))
        return PEER_NONE;
    if (row->cls == HR_CLASS_CMAC)
        return cmac_cell(lib, row, rq, out);
    const int is_open = row->cls == HR_CLASS_AEAD && peer_is(rq->op, "dec");
    static void (*const runs[][2])(void *ctx, uint64_t n) = {
        [HR_CLASS_DIGEST] = { run_digest_ctx, run_digest_direct },
        [HR_CLASS_MAC] = { run_mac_ctx, run_mac_direct },
        [HR_CLASS_CIPHER] = { run_cipher_ctx, run_cipher_direct },
        [HR_CLASS_AEAD] = { run_seal_ctx, run_seal_direct },
        [HR_CLASS_AEAD + 1] = { run_open_ctx, run_open_direct },
    };
    if (row->cls > HR_CLASS_AEAD || row->cls == HR_CLASS_KDF)
        return PEER_NONE;
    struct state *s = peer_alloc(sizeof *s);
    s->lib = lib;
    s->alg = row->alg;
    s->op = peer_is(rq->op, "dec") ? HR_OP_DECRYPT : HR_OP_ENCRYPT;
    s->size = rq->size;
    s->in = peer_msg(rq->size);
    s->out = peer_alloc(rq->size + HR_DIGEST_MAX_OUT);
    if (!set_up(s, row)) {
        fini(s);
        return PEER_FAIL;
    }
    out->run = runs[row->cls + is_open][peer_is(rq->mode, "direct")];
    out->fini = fini;
    out->ctx = s;
    out->out = s->out;
    out->outlen = row->cls == HR_CLASS_CIPHER || is_open ? rq->size
                  : row->cls == HR_CLASS_AEAD            ? rq->size + 16
                                                         : row->out_len;
    return PEER_OK;
}

static int resolve(struct lib *lib)
{
#define X(function)                                                           \
    lib->function = (__typeof__(lib->function))dlsym(lib->handle, #function); \
    if (!lib->function)                                                       \
        return 0;
    FUNCTIONS(X)
#undef X
    return 1;
}

__attribute__((visibility("default"))) int peer_open(int abi, const char *arg, peer *p)
{
    static const char *const modes[] = { "direct", "ctx", "raw", "crc", NULL };
    if (abi != PEER_ABI || !arg)
        return 1;
    struct lib *lib = calloc(1, sizeof *lib);
    if (!lib || !(lib->handle = dlopen(arg, RTLD_NOW | RTLD_LOCAL)) || !resolve(lib)) {
        fprintf(stderr, "# %s: %s\n", arg, lib ? dlerror() : "no memory");
        free(lib);
        return 1;
    }
    /* called here because HEADRACE_CPU is set for this peer only while it is opened */
    snprintf(p->version, sizeof p->version, "Headrace %s; CPU features %#llx", lib->hr_version(),
             (unsigned long long)lib->hr_cpu_features());
    p->modes = modes;
    p->cell = cell;
    p->priv = lib;
    return 0;
}
