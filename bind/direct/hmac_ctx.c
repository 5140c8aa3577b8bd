/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC_Init_ex(3), HMAC_Update(3), HMAC_Final(3), and the other functions of HMAC_CTX.
 *
 * A context of ours begins with one of libcrypto's, so that libcrypto's own functions work on it,
 * whoever calls them.  Behind it we keep the key and the message until the message is long.  While
 * we do, libcrypto's part is not started: its first word, the digest, is NULL.  An unusual call
 * makes libcrypto repeat the calls of the message, and from then on libcrypto answers until the
 * context is reset. */
#include "direct.h"

enum {
    WORDS = 5, /* at least those of struct hmac_ctx_st */
    /* Longer messages gain little, and OpenSSL may compute them faster.  With 600 bytes a context
     * is small enough for the fast lists of glibc's malloc(), which end at 1032. */
    ROOM = 600,
    PAGE = 4096, /* the least size of a page */
};

#define MAX(a, b) ((a) > (b) ? (a) : (b))

struct own {
    void *real[WORDS]; /* libcrypto's context: its digest, then what only libcrypto knows */
    uint64_t tag;
    struct crypto *crypto;
    int flagged, odd_flags; /* it has flags; one that may have an effect */
    /* The members from here on are copied with the context. */
    const EVP_MD *md; /* NULL: not started by us */
    const struct hr_algorithm *row;
    enum row_index index;        /* that of `row` */
    uint64_t generation;         /* in which `md` was found to be plain */
    int finished, expanded;      /* expanded: `hmac` is that of `key` */
    size_t key_len, used, dirty; /* dirty: the bytes of `message` that earlier messages used */
    struct hr_hmac_key hmac;
    uint8_t key[HR_DIGEST_MAX_BLOCK]; /* or its digest, if it is longer than a block */
    uint8_t message[ROOM];
};
static_assert(sizeof(struct own) <= 1032, "size");

static uint64_t tag_of(const struct own *own)
{
    return UINT64_C(0xd17ec7a55a11c0de) ^ (uintptr_t)own ^ (uintptr_t)own->real[1] << 7;
}

static int fits_page(const void *ctx)
{
    return (uintptr_t)ctx % PAGE <= PAGE - offsetof(struct own, crypto);
}

/* own_of returns NULL for a context that libcrypto made.  The tag lies behind the end of such a
 * context, but in its page, so that it can be read. */
static __attribute__((no_sanitize_address)) struct own *own_of(const HMAC_CTX *ctx)
{
    struct own *own = (struct own *)ctx;
    return LIKELY(own && fits_page(own)) && LIKELY(own->tag == tag_of(own)) ? own : NULL;
}

/* serving returns the context if we have its message or may begin one, or else NULL. */
static struct own *serving(const HMAC_CTX *ctx)
{
    struct own *own = own_of(ctx);
    return LIKELY(own && !own->real[0]) ? own : NULL;
}

static struct own *started(const HMAC_CTX *ctx)
{
    struct own *own = serving(ctx);
    return LIKELY(own && own->md) ? own : NULL;
}

static HMAC_CTX *public(struct own *own)
{
    return (HMAC_CTX *)own;
}

/* forget ends what we have of a message and its key. */
static void forget(struct own *own)
{
    if (!own->md)
        return;
    REAL(own->crypto, EVP_MD_free)((EVP_MD *)own->md);
    own->md = NULL;
    own->finished = own->expanded = 0;
    wipe_bytes(own->message, MAX(own->dirty, own->used));
    wipe_bytes(own->key, own->key_len);
    own->key_len = own->used = own->dirty = 0;
    hr_hmac_key_wipe(&own->hmac);
}

/* hand_over makes libcrypto repeat the calls of our message.  It returns 0 if libcrypto fails. */
COLD static int hand_over(struct own *own)
{
    const struct crypto *c = own->crypto;
    uint8_t mac[EVP_MAX_MD_SIZE];
    int good = 1;
    if (!own->md)
        return 1;
    good = REAL(c, HMAC_Init_ex)(public(own), own->key, (int)own->key_len, own->md, NULL) &&
           (!own->used || REAL(c, HMAC_Update)(public(own), own->message, own->used)) &&
           (!own->finished || REAL(c, HMAC_Final)(public(own), mac, NULL));
    WIPE(&mac);
    forget(own);
    return good;
}

/* ---- the layout ---- */

/* allocate zeroes everything but the message and its key. */
static struct own *allocate(struct crypto *c)
{
    struct own *own = REAL(c, CRYPTO_malloc)(sizeof *own, "", 0);
    return own ? memset(own, 0, offsetof(struct own, hmac)) : NULL;
}

static struct own *own_new(struct crypto *c)
{
    struct own *own = allocate(c), *other;
    if (own && !fits_page(own)) {
        other = own;
        own = allocate(c);
        REAL(c, HMAC_CTX_free)(public(other));
    }
    if (!own || !REAL(c, HMAC_CTX_reset)(public(own))) {
        REAL(c, HMAC_CTX_free)(public(own));
        return NULL;
    }
    own->crypto = c;
    own->tag = fits_page(own) ? tag_of(own) : 0;
    return own;
}

/* fits tries whether libcrypto's context has its digest in the first word, NULL if not started, and
 * ends before our tag. */
static int fits(struct crypto *c, const EVP_MD *md)
{
    struct own *own = own_new(c);
    HMAC_CTX *real = REAL(c, HMAC_CTX_new)();
    uint8_t mac[EVP_MAX_MD_SIZE];
    int good = own && real && !own->real[0] && !*(void **)real && own->tag == tag_of(own);
    good = good && REAL(c, HMAC_Init_ex)(public(own), "layout", 6, md, NULL) &&
           own->real[0] == md && REAL(c, HMAC_Update)(public(own), (const uint8_t *)"text", 4) &&
           REAL(c, HMAC_CTX_copy)(real, public(own)) && *(const void **)real == md &&
           REAL(c, HMAC_Final)(public(own), mac, NULL) && own->tag == tag_of(own) &&
           own->crypto == c && !own->md && REAL(c, HMAC_CTX_reset)(public(own)) && !own->real[0] &&
           own->tag == tag_of(own);
    REAL(c, HMAC_CTX_free)(real);
    if (own)
        own->tag = 0;
    REAL(c, HMAC_CTX_free)(public(own));
    return good;
}

COLD static int learn(struct crypto *c, const EVP_MD *md)
{
    REAL(c, ERR_set_mark)();
    const int good = fits(c, md);
    REAL(c, ERR_pop_to_mark)();
    atomic_store(&c->hmac, good ? HMAC_FITS : HMAC_OTHER);
    return good;
}

static int layout_fits(struct crypto *c, const EVP_MD *md)
{
    const int layout = atomic_load_explicit(&c->hmac, memory_order_relaxed);
    return layout == HMAC_UNKNOWN ? learn(c, md) : layout == HMAC_FITS;
}

/* ---- keys ---- */

/* set_key keeps an expanded key that is set again, as in an iterated HMAC (PBKDF2, SCRAM).  The
 * comparison takes the same time for all keys of a length; its result is as public as the number of
 * iterations. */
static void set_key(struct own *own, const uint8_t *bytes, size_t len)
{
    uint8_t differ = (uint8_t)(len != own->key_len);
    for (size_t i = 0; i < len; i++)
        differ |= bytes[i] ^ own->key[i];
    if (LIKELY(!differ))
        return;
    memcpy(own->key, bytes, len);
    if (len < own->key_len)
        wipe_bytes(own->key + len, own->key_len - len);
    own->key_len = len;
    own->expanded = 0;
}

/* set_any_key sets a key that may be longer than a block. */
static void set_any_key(struct own *own, const uint8_t *key, size_t len)
{
    uint8_t digest[HR_DIGEST_MAX_OUT];
    if (LIKELY(len <= own->row->block_len)) {
        set_key(own, key, len);
        return;
    }
    if (!hr_digest(digest, own->row->digest, key, len))
        set_key(own, digest, own->row->out_len);
    WIPE(&digest);
}

/* usual tells whether a message may begin with this digest, and sets the context's row. */
static int usual(struct own *own, struct crypto *c, const EVP_MD *md)
{
    const uint64_t now = atomic_load_explicit(&generation, memory_order_acquire);
    if (LIKELY(md == own->md && now == own->generation))
        return !(aside.deciding | aside.other_context);
    const enum row_index index = hmac_over(plain_digest(c, md));
    if (index == NUM_ROWS || !layout_fits(c, md))
        return 0;
    if (md != own->md) {
        forget(own);
        if (!REAL(c, EVP_MD_up_ref)((EVP_MD *)md))
            return 0;
        own->md = md;
        own->index = index;
        own->row = hr_algorithm_at(own->index);
    }
    own->generation = now;
    return 1;
}

static void expand(struct own *own)
{
    if (UNLIKELY(!own->expanded))
        own->expanded = !hr_hmac_key_init(&own->hmac, own->row->alg, own->key, own->key_len);
}

static void begin(struct own *own)
{
    own->dirty = MAX(own->dirty, own->used);
    own->used = 0;
    own->finished = 0;
}

/* init returns 1 if it answered.  A call without a digest or a key that libcrypto refuses, it
 * refuses for its part of the context as well, and changes nothing. */
static int init(struct own *own, struct crypto *c, const void *key, int len, const EVP_MD *md,
                const ENGINE *engine)
{
    if (!key && own->md && (!md || md == own->md)) {
        begin(own);
        return 1;
    }
    if (UNLIKELY(!key || len < 0 || !(md || own->md)))
        return 0;
    md = md ? md : own->md;
    if (LIKELY(!engine && c == own->crypto && !own->odd_flags) && LIKELY(usual(own, c, md))) {
        set_any_key(own, key, (size_t)len);
        begin(own);
        return 1;
    }
    return 0;
}

/* init_ex is HMAC_Init_ex() with the caller's libcrypto. */
static int init_ex(struct crypto *c, HMAC_CTX *ctx, const void *key, int len, const EVP_MD *md,
                   ENGINE *engine)
{
    struct own *own = serving(ctx);
    if (LIKELY(own)) {
        if (LIKELY(init(own, c, key, len, md, engine)))
            return 1;
        if (key && len >= 0)
            hand_over(own);
    }
    return REAL(c, HMAC_Init_ex)(ctx, key, len, md, engine);
}

static int reset(struct crypto *c, HMAC_CTX *ctx)
{
    struct own *own = own_of(ctx);
    if (own) {
        forget(own);
        own->flagged = own->odd_flags = 0;
    }
    return REAL(c, HMAC_CTX_reset)(ctx);
}

/* ---- the calls ---- */

/* CALL declares `crypto`, and returns from a function that has no libcrypto. */
#define CALL(name, failed)                               \
    struct crypto *crypto = crypto_of(F_##name, CALLER); \
    if (UNLIKELY(!crypto))                               \
    return failed

EXPORT HMAC_CTX *HMAC_CTX_new(void)
{
    CALL(HMAC_CTX_new, NULL);
    if (UNLIKELY(!atomic_load_explicit(&crypto->usable, memory_order_acquire) ||
                 atomic_load_explicit(&crypto->hmac, memory_order_relaxed) == HMAC_OTHER))
        return REAL(crypto, HMAC_CTX_new)();
    return public(own_new(crypto));
}

EXPORT void HMAC_CTX_free(HMAC_CTX *ctx)
{
    CALL(HMAC_CTX_free, );
    struct own *own = own_of(ctx);
    if (own) {
        forget(own);
        own->tag = 0;
    }
    REAL(crypto, HMAC_CTX_free)(ctx);
}

EXPORT int HMAC_CTX_reset(HMAC_CTX *ctx)
{
    CALL(HMAC_CTX_reset, 0);
    return reset(crypto, ctx);
}

EXPORT int HMAC_Init_ex(HMAC_CTX *ctx, const void *key, int len, const EVP_MD *md, ENGINE *engine)
{
    CALL(HMAC_Init_ex, 0);
    return init_ex(crypto, ctx, key, len, md, engine);
}

EXPORT int HMAC_Init(HMAC_CTX *ctx, const void *key, int len, const EVP_MD *md)
{
    CALL(HMAC_Init, 0);
    if (!own_of(ctx))
        return REAL(crypto, HMAC_Init)(ctx, key, len, md);
    if (key && md)
        reset(crypto, ctx);
    return init_ex(crypto, ctx, key, len, md, NULL);
}

EXPORT int HMAC_Update(HMAC_CTX *ctx, const unsigned char *in, size_t in_len)
{
    struct own *own = started(ctx);
    if (LIKELY(own && !own->finished && (in || !in_len) && in_len <= ROOM - own->used)) {
        if (in_len)
            memcpy(own->message + own->used, in, in_len);
        own->used += in_len;
        return 1;
    }
    CALL(HMAC_Update, 0);
    return (!own || hand_over(own)) && REAL(crypto, HMAC_Update)(ctx, in, in_len);
}

/* HMAC_Final keeps the message, because OpenSSL allows calls after it which depend on it. */
EXPORT int HMAC_Final(HMAC_CTX *ctx, unsigned char *out, unsigned *out_len)
{
    struct own *own = started(ctx);
    if (UNLIKELY(!own || own->finished || !out)) {
        CALL(HMAC_Final, 0);
        return (!own || hand_over(own)) && REAL(crypto, HMAC_Final)(ctx, out, out_len);
    }
    expand(own);
    if (hr_hmac(out, own->message, own->used, &own->hmac))
        return 0;
    own->finished = 1;
    count(own->index, own->used);
    if (out_len)
        *out_len = (unsigned)own->row->out_len;
    return 1;
}

EXPORT size_t HMAC_size(const HMAC_CTX *ctx)
{
    const struct own *own = started(ctx);
    CALL(HMAC_size, 0);
    return own ? own->row->out_len : REAL(crypto, HMAC_size)(ctx);
}

EXPORT const EVP_MD *HMAC_CTX_get_md(const HMAC_CTX *ctx)
{
    const struct own *own = started(ctx);
    CALL(HMAC_CTX_get_md, NULL);
    return own ? own->md : REAL(crypto, HMAC_CTX_get_md)(ctx);
}

/* HMAC_CTX_set_flags: libcrypto's part has the flags in any case.  We go on after the one flag that
 * has no effect on the digests which we serve. */
EXPORT void HMAC_CTX_set_flags(HMAC_CTX *ctx, unsigned long flags)
{
    CALL(HMAC_CTX_set_flags, );
    struct own *own = own_of(ctx);
    if (own && flags & ~(unsigned long)EVP_MD_CTX_FLAG_NON_FIPS_ALLOW) {
        own->odd_flags = 1;
        hand_over(own);
    }
    if (own)
        own->flagged = 1;
    REAL(crypto, HMAC_CTX_set_flags)(ctx, flags);
}

/* copy_own copies what we have of a message, and returns 1.  Contexts with flags are left to
 * libcrypto, because it copies the flags too. */
static int copy_own(struct own *to, struct own *from)
{
    if (!to || to == from || to->real[0] || to->crypto != from->crypto || to->flagged ||
        from->flagged)
        return 0;
    if (to->md != from->md) {
        forget(to);
        if (!REAL(from->crypto, EVP_MD_up_ref)((EVP_MD *)from->md))
            return 0;
    }
    expand(from); /* for all copies of a template at once */
    const size_t dirty = MAX(MAX(to->dirty, to->used), from->used);
    memcpy(&to->md, &from->md, offsetof(struct own, message) - offsetof(struct own, md));
    memcpy(to->message, from->message, from->used);
    to->dirty = dirty;
    return 1;
}

EXPORT int HMAC_CTX_copy(HMAC_CTX *to, HMAC_CTX *from)
{
    CALL(HMAC_CTX_copy, 0);
    struct own *own = own_of(to), *source = started(from);
    if (LIKELY(source) && LIKELY(copy_own(own, source)))
        return 1;
    if (source)
        hand_over(source);
    if (own && !own->real[0])
        hand_over(own);
    return REAL(crypto, HMAC_CTX_copy)(to, from);
}
