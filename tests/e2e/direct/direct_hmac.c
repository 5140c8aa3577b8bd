/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls of HMAC_CTX's functions on a few contexts, usual and odd, and copies between them.
 *
 * Some calls are made on libcrypto's own functions, found by dlsym(3) in libcrypto's handle:
 * without the preloaded library both are the same.  With it, they must not work on a message that
 * the preloaded library has begun, which libcrypto's function would take for none. */
#include "direct.h"
#include <dlfcn.h>
#include <openssl/hmac.h>

ENGINE *named_engine;

enum { CONTEXTS = 5, MAX_IN = 1500, ROOM = 96 };

typedef int init_ex_fn(HMAC_CTX *ctx, const void *key, int len, const EVP_MD *md, ENGINE *engine);
typedef int update_fn(HMAC_CTX *ctx, const unsigned char *in, size_t in_len);
typedef int final_fn(HMAC_CTX *ctx, unsigned char *md, unsigned *len);
typedef int init_fn(HMAC_CTX *ctx, const void *key, int len, const EVP_MD *md);
typedef int copy_fn(HMAC_CTX *to, HMAC_CTX *from);

/* The two ways to libcrypto. */
static struct way {
    HMAC_CTX *(*new)(void);
    void (*free)(HMAC_CTX *ctx);
    int (*reset)(HMAC_CTX *ctx);
    init_ex_fn *init_ex;
    init_fn *init;
    update_fn *update;
    final_fn *final;
    copy_fn *copy;
    size_t (*size)(const HMAC_CTX *ctx);
    const EVP_MD *(*md)(const HMAC_CTX *ctx);
    void (*set_flags)(HMAC_CTX *ctx, unsigned long flags);
} ways[] = { { HMAC_CTX_new, HMAC_CTX_free, HMAC_CTX_reset, HMAC_Init_ex, HMAC_Init, HMAC_Update,
               HMAC_Final, HMAC_CTX_copy, HMAC_size, HMAC_CTX_get_md, HMAC_CTX_set_flags } };

enum { LINKED, LOOKED_UP, NUM_WAYS };
static struct way all[NUM_WAYS];

/* One context, and which way last began a message of it. */
struct context {
    HMAC_CTX *ctx;
    int begun_by; /* LOOKED_UP also if nobody did */
};

void hmac_init(void)
{
    static const char *const names[] = { "HMAC_CTX_new",    "HMAC_CTX_free",     "HMAC_CTX_reset",
                                         "HMAC_Init_ex",    "HMAC_Init",         "HMAC_Update",
                                         "HMAC_Final",      "HMAC_CTX_copy",     "HMAC_size",
                                         "HMAC_CTX_get_md", "HMAC_CTX_set_flags" };
    void *handle = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_NOLOAD), *found[COUNT(names)];
    MUST(handle);
    for (size_t i = 0; i < COUNT(names); i++)
        MUST((found[i] = dlsym(handle, names[i])));
    _Static_assert(sizeof found == sizeof all[0], "members");
    memcpy(&all[LOOKED_UP], found, sizeof found);
    all[LINKED] = ways[0];
}

static const struct way *way_for(const struct context *context)
{
    return &all[context->begun_by == LINKED || random_number() % 4 ? LINKED : LOOKED_UP];
}

static size_t message_len(void)
{
    static const size_t lens[] = { 0, 1, 32, 55, 64, 119, 128, 599, 600, 601, MAX_IN };
    return random_number() % 2 ? random_number() % 90 : lens[random_number() % COUNT(lens)];
}

static int key_len(void)
{
    static const int lens[] = { 0, 0, 1, 16, 20, 32, 63, 64, 65, 127, 128, 129, 144, 145, 200, -1 };
    return lens[random_number() % COUNT(lens)];
}

static const uint8_t *random_key(void)
{
    static __thread uint8_t keys[2][256]; /* few keys, so that one is often set again */
    static __thread int made;
    if (!made)
        random_bytes(keys, sizeof keys);
    made = 1;
    return random_number() % 6 ? keys[random_number() % 2] : NULL;
}

static void reset(struct context *c)
{
    const struct way *way = way_for(c);
    fprintf(out, "reset %d\n", way->reset(c->ctx));
    c->begun_by = LOOKED_UP;
}

static void init(struct context *c)
{
    const uint8_t *key = random_key();
    const int len = key_len(), again = random_number() % 3 == 0, named = random_number() % 8 == 0;
    const EVP_MD *md = random_number() % 4   ? types[random_number() % num_types].md
                       : random_number() % 2 ? HMAC_CTX_get_md(c->ctx)
                                             : NULL;
    const EVP_MD *fetched = again ? EVP_MD_fetch(NULL, "SHA256", NULL) : NULL;
    const struct way *way = way_for(c);
    md = fetched ? fetched : md;
    const int ex = random_number() % 4 != 0;
    const int done = ex ? way->init_ex(c->ctx, key, len, md, named ? named_engine : NULL)
                        : way->init(c->ctx, key, len, md);
    fprintf(out, "init %d of %d bytes: %d, %zu\n", key != NULL, len, done, HMAC_size(c->ctx));
    if (way == &all[LINKED] || !ex) /* libcrypto's HMAC_Init() calls HMAC_Init_ex() as if linked */
        c->begun_by = LINKED;
    EVP_MD_free((EVP_MD *)fetched);
    if (!done && key && len >= 0)
        reset(c); /* OpenSSL may crash in calls after this one */
}

static void update(struct context *c)
{
    static __thread uint8_t in[MAX_IN];
    const size_t len = message_len();
    random_bytes(in, len);
    fprintf(out, "update %zu: %d\n", len, way_for(c)->update(c->ctx, len ? in : NULL, len));
}

static void finish(struct context *c)
{
    uint8_t room[ROOM] = { 0 };
    unsigned len = 77;
    const int with_len = random_number() % 4 != 0;
    const int done = way_for(c)->final(c->ctx, room + 1, with_len ? &len : NULL);
    fprintf(out, "final %d %u %016lx\n", done, len, (unsigned long)seen(room, sizeof room));
}

/* whole makes the calls of a usual message. */
static void whole(struct context *c)
{
    const struct type *type = &types[random_number() % num_types];
    const uint8_t *key = random_key();
    c->begun_by = LINKED;
    fprintf(out, "whole %s\n", type->name);
    if (!HMAC_Init_ex(c->ctx, key ? key : (const uint8_t *)"", key ? 32 : 0, type->md, NULL)) {
        reset(c);
        return;
    }
    update(c);
    finish(c);
    fprintf(out, "again %d\n", HMAC_Init_ex(c->ctx, NULL, 0, NULL, NULL));
    update(c);
    update(c);
    finish(c);
}

static void look(struct context *c)
{
    const EVP_MD *md = way_for(c)->md(c->ctx);
    size_t i = 0;
    while (i < num_types && types[i].md != md)
        i++;
    fprintf(out, "size %zu md %zu\n", HMAC_size(c->ctx), md ? i : 99);
}

static void flags(struct context *c)
{
    static const unsigned long list[] = { EVP_MD_CTX_FLAG_NON_FIPS_ALLOW, EVP_MD_CTX_FLAG_ONESHOT };
    way_for(c)->set_flags(c->ctx, list[random_number() % COUNT(list)]);
}

static void renew(struct context *c)
{
    all[random_number() % NUM_WAYS].free(c->ctx);
    MUST((c->ctx = all[random_number() % NUM_WAYS].new()));
    c->begun_by = LOOKED_UP;
}

static void (*const steps[])(struct context *c) = {
    init,   init,  init,  update, update, update, update, finish,
    finish, whole, whole, look,   look,   flags,  reset,  renew,
};

static void copy(struct context *to, struct context *from)
{
    const int linked = to->begun_by == LINKED || from->begun_by == LINKED || random_number() % 2;
    fprintf(out, "copy %d\n", all[linked ? LINKED : LOOKED_UP].copy(to->ctx, from->ctx));
    to->begun_by = linked ? LINKED : LOOKED_UP;
}

void hmac_calls(void)
{
    struct context pool[CONTEXTS];
    for (size_t i = 0; i < CONTEXTS; i++) {
        MUST((pool[i].ctx = all[i % NUM_WAYS].new()));
        pool[i].begun_by = LOOKED_UP;
    }
    for (int i = 0; i < 1200; i++) {
        const size_t at = random_number() % CONTEXTS, from = random_number() % CONTEXTS;
        fprintf(out, "HMAC_CTX %zu ", at);
        if (random_number() % 12 == 0 && from != at)
            copy(&pool[at], &pool[from]);
        else
            steps[random_number() % COUNT(steps)](&pool[at]);
        say_errors();
    }
    for (size_t i = 0; i < CONTEXTS; i++)
        all[i % 2].free(pool[i].ctx);
    HMAC_CTX_free(NULL);
}

/* iterated_hmac makes the calls of PostgreSQL's SCRAM, each message under the same key. */
void iterated_hmac(void)
{
    static const uint8_t password[] =
        "a password that is longer than one block of the digest SHA-1";
    for (size_t i = 0; i < num_types; i++) {
        uint8_t mac[EVP_MAX_MD_SIZE] = "salt";
        unsigned len = 4;
        HMAC_CTX *ctx = HMAC_CTX_new();
        for (int j = 0; j < 50; j++) {
            HMAC_Init_ex(ctx, password, sizeof password, types[i].md, NULL);
            HMAC_Update(ctx, mac, len);
            HMAC_Final(ctx, mac, &len);
        }
        HMAC_CTX_free(ctx);
        fprintf(out, "iterated %s %016lx\n", types[i].name, (unsigned long)seen(mac, sizeof mac));
        say_errors();
    }
}
