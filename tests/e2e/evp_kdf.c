/* SPDX-License-Identifier: Apache-2.0 */
/* Key derivation with the default provider as the model: random parameters, valid and not, in any
 * split over calls, must succeed or fail on both alike, for the same reason, with the same bytes.
 * The digests are all that this OpenSSL has, so also those that only the default provider knows. */
#include "evp.h"
#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

static int num_rounds = 2000;
enum { MAX_PARAMS = 16, MAX_BYTES = 300, MAX_OUT = 255 * 64 + 1 };

static struct loaded both;
static const char *digests[128];
static size_t num_digests;

struct pair {
    EVP_KDF *kdf[2];
    EVP_KDF_CTX *ctx[2];
    uint64_t random;
};

static size_t below(struct pair *p, size_t limit)
{
    return next_random(&p->random) % limit;
}

/* ---- random parameters, from what the default provider says can be set ---- */

struct list {
    OSSL_PARAM params[MAX_PARAMS + 1];
    size_t num;
    unsigned char octets[MAX_PARAMS][MAX_BYTES];
    int64_t numbers[MAX_PARAMS];
};

static char *pick_text(struct pair *p, const char *key)
{
    static const char *const properties[] = { "", "provider=default", "?provider=headrace",
                                              "x=nonsense" };
    static const char *const modes[] = { "EXTRACT_AND_EXPAND", "EXTRACT_ONLY", "EXPAND_ONLY",
                                         "expand_only", "nonsense" };
    if (!strcmp(key, OSSL_KDF_PARAM_DIGEST))
        return (char *)(below(p, 32) ? digests[below(p, num_digests)] : "nonsense");
    if (!strcmp(key, OSSL_KDF_PARAM_PROPERTIES))
        return (char *)properties[below(p, sizeof properties / sizeof *properties)];
    return (char *)modes[below(p, sizeof modes / sizeof *modes)];
}

static int64_t pick_number(struct pair *p, const char *key)
{
    static const int16_t iterations[] = { 0, 1, 2, 7, 30, 999, 1000 };
    if (!strcmp(key, OSSL_KDF_PARAM_ITER))
        return iterations[below(p, sizeof iterations / sizeof *iterations)];
    return (int64_t)below(p, 5) - (below(p, 4) == 0);
}

static void add_number(struct pair *p, struct list *l, const OSSL_PARAM *kind)
{
    static const uint8_t sizes[] = { 2, 4, 8 };
    int64_t *number = &l->numbers[l->num];
    const size_t size = sizes[below(p, sizeof sizes)];
    const size_t lowest = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof *number - size : 0;
    *number = pick_number(p, kind->key);
    l->params[l->num++] = (OSSL_PARAM){ kind->key, kind->data_type, (char *)number + lowest, size,
                                        OSSL_PARAM_UNMODIFIED };
}

/* add_octets adds a random parameter, "info" several times and never empty: the default provider of
 * 3.0 crashes on an "info" that is emptied. */
static void add_octets(struct pair *p, struct list *l, const OSSL_PARAM *kind)
{
    static const uint8_t edges[] = { 1, 15, 16, 17, 63, 64, 65, 127, 128, 129 };
    const int repeated = !strcmp(kind->key, OSSL_KDF_PARAM_INFO);
    size_t len = below(p, 2) ? edges[below(p, sizeof edges)] : below(p, MAX_BYTES);
    len += repeated && !len;
    for (size_t n = repeated ? 1 + below(p, 3) : 1; n > 0; n--) {
        unsigned char *octets = l->octets[l->num];
        random_bytes(&p->random, octets, len);
        l->params[l->num++] = OSSL_PARAM_construct_octet_string(kind->key, octets, len);
    }
}

static int has_key(const struct list *l, const char *key)
{
    size_t i = 0;
    while (i < l->num && strcmp(l->params[i].key, key))
        i++;
    return i < l->num;
}

/* make_list: OpenSSL 4 refuses a list that has a key twice, so that few have. */
static void make_list(struct pair *p, struct list *l)
{
    const OSSL_PARAM *kind = EVP_KDF_settable_ctx_params(p->kdf[0]);
    l->num = 0;
    for (; kind->key && l->num + 3 < MAX_PARAMS; kind++) {
        if (!below(p, strcmp(kind->key, OSSL_KDF_PARAM_PROPERTIES) ? 3 : 2) ||
            (!strcmp(kind->key, OSSL_KDF_PARAM_PROPERTIES) && below(p, 4)) ||
            (has_key(l, kind->key) && below(p, 8)))
            continue;
        if (kind->data_type == OSSL_PARAM_OCTET_STRING)
            add_octets(p, l, kind);
        else if (kind->data_type == OSSL_PARAM_UTF8_STRING)
            l->params[l->num++] =
                OSSL_PARAM_construct_utf8_string(kind->key, pick_text(p, kind->key), 0);
        else
            add_number(p, l, kind);
    }
    l->params[l->num] = OSSL_PARAM_construct_end();
}

/* ---- steps ---- */

/* take_reason returns the reason of the last error if a provider gave it, else 0: some failures
 * have none in OpenSSL. */
static int take_reason(void)
{
    const unsigned long error = ERR_peek_last_error();
    ERR_clear_error();
    return ERR_GET_LIB(error) == ERR_LIB_PROV ? ERR_GET_REASON(error) : 0;
}

static void print_list(const struct list *l)
{
    for (size_t i = 0; i < l->num; i++) {
        const OSSL_PARAM *p = &l->params[i];
        printf("# %s: ", p->key);
        if (p->data_type == OSSL_PARAM_UTF8_STRING)
            printf("%s\n", (const char *)p->data);
        else if (p->data_type == OSSL_PARAM_OCTET_STRING)
            printf("%zu octets\n", p->data_size);
        else
            printf("%lld in %zu bytes\n", (long long)l->numbers[i], p->data_size);
    }
}

static void fail(const struct list *l, const char *call, const int ok[2], const int reason[2])
{
    print_list(l);
    printf("Bail out! %s: default %d (reason %d), headrace %d (reason %d)\n", call, ok[0],
           reason[0], ok[1], reason[1]);
    exit(1);
}

static void reset(struct pair *p)
{
    for (int side = 0; side < 2; side++)
        EVP_KDF_CTX_reset(p->ctx[side]);
}

/* copy replaces both contexts by copies. OpenSSL 3.0's own cannot be copied: then only ours is. */
static void copy(struct pair *p)
{
    EVP_KDF_CTX *copies[2] = { EVP_KDF_CTX_dup(p->ctx[0]), EVP_KDF_CTX_dup(p->ctx[1]) };
    MUST(copies[1]);
    ERR_clear_error();
    for (int side = copies[0] ? 0 : 1; side < 2; side++) {
        EVP_KDF_CTX_free(p->ctx[side]);
        p->ctx[side] = copies[side];
    }
}

/* set gives both sides random parameters. After a failure nobody promises which of them are set, so
 * both start anew. */
static int set(struct pair *p, struct list *l)
{
    int ok[2], reason[2];
    make_list(p, l);
    for (int side = 0; side < 2; side++) {
        ok[side] = EVP_KDF_CTX_set_params(p->ctx[side], l->params) > 0;
        reason[side] = take_reason();
    }
    if (ok[0] != ok[1] || (reason[0] && reason[0] != reason[1]))
        fail(l, "set", ok, reason);
    if (!ok[0])
        reset(p);
    return ok[0];
}

static int derive(struct pair *p, const struct list *l, size_t len)
{
    static unsigned char out[2][MAX_OUT];
    int ok[2], reason[2];
    for (int side = 0; side < 2; side++) {
        ok[side] = EVP_KDF_derive(p->ctx[side], out[side], len, NULL) > 0;
        reason[side] = take_reason();
    }
    /* where OpenSSL's PBKDF2 fails without a reason, ours may give one */
    const int more = !reason[0] && !EVP_KDF_is_a(p->kdf[0], "HKDF");
    if (ok[0] != ok[1] || (!more && reason[0] != reason[1]))
        fail(l, "derive", ok, reason);
    if (ok[0] && memcmp(out[0], out[1], len))
        fail(l, "other bytes", ok, reason);
    return ok[0];
}

static size_t same_size(struct pair *p)
{
    const size_t size[2] = { EVP_KDF_CTX_get_kdf_size(p->ctx[0]),
                             EVP_KDF_CTX_get_kdf_size(p->ctx[1]) };
    MUST(size[0] == size[1]);
    ERR_clear_error();
    return size[0];
}

/* pick_length returns a length to derive; long ones are rare, since with many iterations they take
 * long. */
static size_t pick_length(struct pair *p, size_t size)
{
    static const size_t some[] = { 0, 1, 13, 14, 20, 32, 64, 100 }, many[] = { 255 * 20, MAX_OUT };
    if (size <= MAX_OUT && below(p, 4))
        return size;
    return below(p, 64) ? some[below(p, sizeof some / sizeof *some)] : many[below(p, 2)];
}

static void test_row(const struct hr_algorithm *row)
{
    static struct list l;
    char name[64];
    struct pair p = { .random = 0xa0761d6478bd642fu + row->alg };
    unsigned derived = 0, refused = 0;
    for (int side = 0; side < 2; side++) {
        p.kdf[side] = EVP_KDF_fetch(both.libctx, row_name(row, name), side ? OURS : THEIRS);
        MUST(p.kdf[side] && (p.ctx[side] = EVP_KDF_CTX_new(p.kdf[side])));
    }
    for (int i = 0; i < num_rounds; i++) {
        int good = 1;
        reset(&p);
        for (size_t steps = 1 + below(&p, 3); good && steps > 0; steps--)
            good = set(&p, &l);
        if (!below(&p, 4))
            copy(&p);
        const size_t size = same_size(&p);
        for (size_t steps = good ? 1 + below(&p, 2) : 0; steps > 0; steps--)
            *(derive(&p, &l, pick_length(&p, size)) ? &derived : &refused) += 1;
    }
    MUST((int)derived > num_rounds / 20 &&
         (int)refused > num_rounds / 20); /* both were tried often */
    for (int side = 0; side < 2; side++) {
        EVP_KDF_CTX_free(p.ctx[side]);
        EVP_KDF_free(p.kdf[side]);
    }
}

static void add_digest(EVP_MD *md, void *arg)
{
    (void)arg;
    if (num_digests < sizeof digests / sizeof *digests)
        digests[num_digests++] = EVP_MD_get0_name(md);
}

/* ---- what the random lists leave out ---- */

static int with_info(EVP_KDF *kdf, unsigned char out[32], const char *const info[], size_t num)
{
    EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(kdf);
    int good = ctx != NULL;
    char digest[] = "SHA256", key[] = "key";
    OSSL_PARAM first[] = { OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
                           OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, key, 3),
                           OSSL_PARAM_construct_end() };
    good = good && EVP_KDF_CTX_set_params(ctx, first) > 0;
    for (size_t i = 0; i < num; i++) {
        OSSL_PARAM one[] = { OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (char *)info[i],
                                                               strlen(info[i])),
                             OSSL_PARAM_construct_end() };
        good = good && EVP_KDF_CTX_set_params(ctx, one) > 0;
    }
    good = good && EVP_KDF_derive(ctx, out, 32, NULL) > 0;
    EVP_KDF_CTX_free(ctx);
    return good;
}

/* test_info checks that each call replaces "info", also by an empty one. */
static void test_info(void)
{
    static const char *const texts[] = { "first", "second", "" };
    unsigned char out[2][32];
    EVP_KDF *kdf[2] = { EVP_KDF_fetch(both.libctx, "HKDF", THEIRS),
                        EVP_KDF_fetch(both.libctx, "HKDF", OURS) };
    MUST(kdf[0] && kdf[1]);
    MUST(with_info(kdf[0], out[0], texts + 1, 1) && with_info(kdf[1], out[1], texts, 2));
    MUST(!memcmp(out[0], out[1], 32));
    MUST(with_info(kdf[0], out[0], NULL, 0) && with_info(kdf[1], out[1], texts, 3));
    MUST(!memcmp(out[0], out[1], 32));
    EVP_KDF_free(kdf[0]);
    EVP_KDF_free(kdf[1]);
}

/* test_endless checks that a parameter of SIZE_MAX bytes is refused before any byte of it is
 * copied. */
static void test_endless(void)
{
    static const struct {
        const char *kdf, *key;
    } table[] = { { "HKDF", OSSL_KDF_PARAM_KEY },
                  { "HKDF", OSSL_KDF_PARAM_SALT },
                  { "HKDF", OSSL_KDF_PARAM_INFO },
                  { "PBKDF2", OSSL_KDF_PARAM_PASSWORD },
                  { "PBKDF2", OSSL_KDF_PARAM_SALT } };
    char bytes[] = "bytes";
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        EVP_KDF *kdf = EVP_KDF_fetch(both.libctx, table[i].kdf, OURS);
        EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(kdf);
        OSSL_PARAM params[] = {
            OSSL_PARAM_construct_octet_string(table[i].key, bytes, SIZE_MAX),
            OSSL_PARAM_construct_end(),
        };
        MUST(kdf && ctx && EVP_KDF_CTX_set_params(ctx, params) <= 0);
        ERR_clear_error();
        EVP_KDF_CTX_free(ctx);
        EVP_KDF_free(kdf);
    }
}

/* test_alone loads our provider only: a digest that it lacks fails, and its own are served. */
static void test_alone(void)
{
    static const char *const names[] = { "SHA256", "SHA3-256" };
    char password[] = "password";
    unsigned char out[32];
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *ours = OSSL_PROVIDER_load(libctx, getenv("HEADRACE_MODULE"));
    EVP_KDF *kdf = EVP_KDF_fetch(libctx, "PBKDF2", NULL);
    MUST(ours && kdf);
    for (int foreign = 0; foreign < 2; foreign++) {
        EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(kdf);
        OSSL_PARAM params[] = {
            OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_PASSWORD, password, 8),
            OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, password, 8),
            OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)names[foreign], 0),
            OSSL_PARAM_construct_end(),
        };
        MUST((EVP_KDF_derive(ctx, out, sizeof out, params) > 0) == !foreign);
        MUST(!foreign == !ERR_peek_error());
        ERR_clear_error();
        EVP_KDF_CTX_free(ctx);
    }
    EVP_KDF_free(kdf);
    MUST(OSSL_PROVIDER_unload(ours));
    OSSL_LIB_CTX_free(libctx);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--quick")) /* an emulated CPU */
        num_rounds = 40;
    const struct hr_algorithm *row;
    size_t num = 0;
    both = load_both();
    EVP_MD_do_all_provided(both.libctx, add_digest, NULL);
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == HR_CLASS_KDF) {
            test_row(row);
            printf("ok %zu - %s as the default provider\n", ++num, row->name);
        }
    test_info();
    printf("ok %zu - each call replaces info\n", ++num);
    test_endless();
    printf("ok %zu - no parameter is endless\n", ++num);
    unload_both(&both);
    test_alone();
    printf("ok %zu - alone, without OpenSSL's digests\n", ++num);
    printf("1..%zu\n", num);
    return 0;
}
