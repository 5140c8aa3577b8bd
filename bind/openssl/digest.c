/* SPDX-License-Identifier: Apache-2.0 */
/* provider-digest(7): each row's entry points, over hr_digest_init, update and final. */
#include "../stats.h"
#include "params.h"
#include "provider.h"
#include <stdlib.h>

/* FUNC_DIGEST_COPYCTX is in provider-digest(7) since OpenSSL 3.5: it is absent from the 3.0
 * headers, and older cores ignore it. */
#define FUNC_DIGEST_COPYCTX 15

struct digest {
    struct hr_digest_ctx state;
    struct served served;
    const struct provider *provider;
    const struct hr_algorithm *row;
    void *block; /* malloc's pointer, of which the struct is an aligned part */
};

/* ALIGN keeps a state within one page: across two pages, a short message takes a quarter longer. */
enum { ALIGN = 256 };
static_assert(sizeof(struct hr_digest_ctx) <= ALIGN && 4096 % ALIGN == 0, "within a page");

static struct digest *digest_alloc(void)
{
    char *block = malloc(sizeof(struct digest) + ALIGN - 1);
    if (!block)
        return NULL;
    struct digest *d = (void *)(block + (-(uintptr_t)block & (ALIGN - 1)));
    d->block = block;
    return d;
}

static void *digest_newctx(void *provctx, enum row_index index)
{
    struct digest *d = digest_alloc();
    if (!d)
        return NULL;
    WIPE(&d->state);
    served_init(&d->served, index);
    d->provider = provctx;
    d->row = hr_algorithm_at(index);
    return d;
}

static void digest_freectx(void *ctx)
{
    struct digest *d = ctx;
    if (!d)
        return;
    stats_fold(&d->served);
    WIPE(&d->state);
    free(d->block);
}

static void digest_copyctx(void *out_ctx, void *in_ctx)
{
    struct digest *out = out_ctx;
    const struct digest *in = in_ctx;
    out->state = in->state;
}

static void *digest_dupctx(void *ctx)
{
    struct digest *d = ctx, *copy = digest_alloc();
    if (!copy)
        return NULL;
    copy->state = d->state;
    copy->provider = d->provider;
    copy->row = d->row;
    served_init(&copy->served, d->served.index);
    return copy;
}

static int digest_init(void *ctx, const OSSL_PARAM params[])
{
    struct digest *d = ctx;
    const int error = hr_digest_init(&d->state, d->row->alg);
    return error ? RAISE_HR(d->provider, error) : 1;
}

static int digest_update(void *ctx, const unsigned char *in, size_t in_len)
{
    struct digest *d = ctx;
    const int error = hr_digest_update(&d->state, in, in_len);
    if (UNLIKELY(error))
        return RAISE_HR(d->provider, error);
    served_add(&d->served, in_len);
    return 1;
}

static int digest_final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size)
{
    struct digest *d = ctx;
    const size_t len = d->row->out_len;
    if (out_size < len)
        return RAISE(d->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    const int error = hr_digest_final(&d->state, out);
    if (UNLIKELY(error))
        return RAISE_HR(d->provider, error);
    *out_len = len;
    return 1;
}

static int digest_whole(void *provctx, enum row_index index, const unsigned char *in, size_t in_len,
                        unsigned char *out, size_t *out_len, size_t out_size)
{
    const struct hr_algorithm *row = hr_algorithm_at(index);
    if (out_size < row->out_len)
        return RAISE(provctx, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    const int error = hr_digest(out, row->alg, in, in_len);
    if (error)
        return RAISE_HR(provctx, error);
    *out_len = row->out_len;
    struct served served;
    served_init(&served, index);
    served_add(&served, in_len);
    stats_fold(&served);
    return 1;
}

/* ---- parameters ---- */

#define PARAM_TABLE "digest_params.def"
#define PARAM_COLUMN(row) row
#define PARAM_KIND(name) row_##name
#include "param_table.h"

static const OSSL_PARAM *digest_gettable(void *provctx)
{
    return param_list(provctx, LIST_DIGEST, row_got);
}

/* digest_get_params: an AlgorithmIdentifier of SHA-1 or SHA-2 has no parameters, one of MD5 has the
 * parameters NULL (RFC 3370 section 2, RFC 5754 section 2). */
static int digest_get_params(OSSL_PARAM params[], enum row_index index)
{
    const struct hr_algorithm *row = hr_algorithm_at(index);
    const uint64_t values[NUM_PARAMS] = {
        [BLOCK_SIZE] = row->block_len,
        [SIZE_OF_DIGEST] = row->out_len,
        [XOF] = 0,
        [ALGID_ABSENT] = !(row->flags & HR_ALGID_NULL),
    };
    return param_set_numbers(params, row_got_keys, values, NUM_PARAMS);
}

/* ---- entry points: OpenSSL does not tell newctx the algorithm, so each row has its own ---- */

#define HR_DIGEST(number, sym, SYM, ...)                                               \
    static void *sym##_newctx(void *provctx)                                           \
    {                                                                                  \
        return digest_newctx(provctx, INDEX_##sym);                                    \
    }                                                                                  \
    static int sym##_get_params(OSSL_PARAM params[])                                   \
    {                                                                                  \
        return digest_get_params(params, INDEX_##sym);                                 \
    }                                                                                  \
    static int sym##_whole(void *provctx, const unsigned char *in, size_t in_len,      \
                           unsigned char *out, size_t *out_len, size_t out_size)       \
    {                                                                                  \
        return digest_whole(provctx, INDEX_##sym, in, in_len, out, out_len, out_size); \
    }
#include <headrace/algorithms.def>

static any_function *own(enum row_index index, int id)
{
    switch (index) {
#define HR_DIGEST(number, sym, ...)                                           \
    case INDEX_##sym:                                                         \
        return id == OSSL_FUNC_DIGEST_NEWCTX   ? (any_function *)sym##_newctx \
               : id == OSSL_FUNC_DIGEST_DIGEST ? (any_function *)sym##_whole  \
                                               : (any_function *)sym##_get_params;
#include <headrace/algorithms.def>
    default:
        return NULL;
    }
}

static const OSSL_DISPATCH shared[] = {
    OWN_FUNCTION(OSSL_FUNC_DIGEST_NEWCTX),
    FUNCTION(OSSL_FUNC_DIGEST_FREECTX, digest_freectx),
    FUNCTION(OSSL_FUNC_DIGEST_DUPCTX, digest_dupctx),
    FUNCTION(FUNC_DIGEST_COPYCTX, digest_copyctx),
    FUNCTION(OSSL_FUNC_DIGEST_INIT, digest_init),
    FUNCTION(OSSL_FUNC_DIGEST_UPDATE, digest_update),
    FUNCTION(OSSL_FUNC_DIGEST_FINAL, digest_final),
    OWN_FUNCTION(OSSL_FUNC_DIGEST_DIGEST),
    FUNCTION(OSSL_FUNC_DIGEST_GETTABLE_PARAMS, digest_gettable),
    OWN_FUNCTION(OSSL_FUNC_DIGEST_GET_PARAMS),
    { 0, NULL },
};
const struct functions digest_functions = { shared, own };
