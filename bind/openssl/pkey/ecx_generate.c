/* SPDX-License-Identifier: Apache-2.0 */
/* New keys of X25519 and Ed25519: random bytes from the library context's private generator, or, of
 * X25519, DeriveKeyPair of HPKE (RFC 9180 section 7.1.3). */
#include "ecx.h"
#include <stdlib.h>
#include <strings.h>

enum { MAX_IKM = 1024 };

struct generator {
    const struct provider *provider;
    const struct ecx_kind *kind;
    int selection;
    uint8_t *ikm; /* NULL: none */
    size_t ikm_len;
};

static void forget_ikm(struct generator *g)
{
    if (g->ikm)
        wipe_bytes(g->ikm, g->ikm_len);
    free(g->ikm);
    g->ikm = NULL;
}

static int take_ikm(struct generator *g, const OSSL_PARAM *p)
{
    const void *bytes;
    size_t len;
    if (!p || !p->data || !p->data_size)
        return 1;
    if (!param_get_octets(p, &bytes, &len) || len > MAX_IKM)
        return 0;
    forget_ikm(g);
    g->ikm = malloc(len);
    if (!g->ikm)
        return 0;
    memcpy(g->ikm, bytes, len);
    g->ikm_len = len;
    return 1;
}

/* takes_group tells whether a group's name is that of the only group. */
static int takes_group(const struct generator *g, const OSSL_PARAM *p)
{
    const char *text;
    size_t len;
    return !p ||
           (*g->kind->group && param_get_text(p, &text, &len) && len == strlen(g->kind->group) &&
            !strncasecmp(text, g->kind->group, len)) ||
           RAISE(g->provider, ERR_R_PASSED_INVALID_ARGUMENT);
}

static int gen_set_params(void *genctx, const OSSL_PARAM params[])
{
    struct generator *g = genctx;
    const OSSL_PARAM *properties = param_find(params, OSSL_PKEY_PARAM_PROPERTIES);
    return takes_group(g, param_find(params, OSSL_PKEY_PARAM_GROUP_NAME)) &&
           (!properties || properties->data_type == OSSL_PARAM_UTF8_STRING) &&
           take_ikm(g, param_find(params, PARAM_DHKEM_IKM));
}

static const OSSL_PARAM *gen_settable(void *genctx, void *provctx)
{
    static const struct param_spec list[] = {
        PARAM_TEXT(OSSL_PKEY_PARAM_GROUP_NAME),
        PARAM_TEXT(OSSL_PKEY_PARAM_PROPERTIES),
        PARAM_OCTETS(PARAM_DHKEM_IKM),
        PARAM_LIST_END,
    };
    return param_list(provctx, LIST_ECX_GENERATE, list);
}

static void gen_cleanup(void *genctx)
{
    struct generator *g = genctx;
    if (g)
        forget_ikm(g);
    free(g);
}

void *ecx_gen_init(void *provctx, int selection, const OSSL_PARAM params[],
                   const struct ecx_kind *kind)
{
    struct generator *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->provider = provctx;
    g->kind = kind;
    g->selection = selection;
    if (gen_set_params(g, params))
        return g;
    gen_cleanup(g);
    return NULL;
}

/* derive_private: LabeledExtract and LabeledExpand with KEM 0x0020, DHKEM(X25519, HKDF-SHA256). */
static int derive_private(uint8_t out[ECX_LEN], const struct generator *g)
{
    static const char extract[] = "HPKE-v1KEM\0\x20"
                                  "dkp_prk",
                      expand[] = "\0\x20HPKE-v1KEM\0\x20sk";
    if (g->ikm_len < ECX_LEN)
        return RAISE(g->provider, PROV_R_INVALID_INPUT_LENGTH);
    uint8_t prk[32], *labeled = malloc(sizeof extract - 1 + MAX_IKM);
    if (!labeled)
        return 0;
    memcpy(labeled, extract, sizeof extract - 1);
    memcpy(labeled + sizeof extract - 1, g->ikm, g->ikm_len);
    const size_t len = sizeof extract - 1 + g->ikm_len;
    int error = hr_hkdf_extract(prk, HR_HMAC_SHA256, NULL, 0, labeled, len);
    if (!error)
        error = hr_hkdf_expand(out, ECX_LEN, HR_HMAC_SHA256, prk, sizeof prk, expand,
                               sizeof expand - 1);
    wipe_bytes(labeled, len);
    free(labeled);
    WIPE(&prk);
    return !error;
}

static int make_private(struct ecx *key, const struct generator *g)
{
    uint8_t *const private = key->private;
    if (g->ikm) {
        if (g->kind->signs || !derive_private(private, g))
            return 0;
    } else if (!random_secret(g->provider, private, ECX_LEN)) {
        return 0;
    }
    if (!g->kind->signs) { /* as OpenSSL keeps it; RFC 7748 section 5 */
        private[0] &= 248;
        private[ECX_LEN - 1] = (private[ECX_LEN - 1] & 127) | 64;
    }
    return ecx_complete(key);
}

/* gen makes a key without parts, for parameters only. */
static void *gen(void *genctx, OSSL_CALLBACK *callback, void *arg)
{
    const struct generator *g = genctx;
    struct ecx *key = ecx_new(g->provider, g->kind);
    struct served served;
    if (!key || !(g->selection & OSSL_KEYMGMT_SELECT_KEYPAIR))
        return key;
    if (!make_private(key, g)) {
        pkey_release(key);
        return NULL;
    }
    served_init(&served, g->kind->index);
    served_add(&served, 0);
    stats_fold(&served);
    return key;
}

any_function *ecx_gen_function(int id)
{
    switch (id) {
    case OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS:
        return (any_function *)gen_set_params;
    case OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS:
        return (any_function *)gen_settable;
    case OSSL_FUNC_KEYMGMT_GEN:
        return (any_function *)gen;
    case OSSL_FUNC_KEYMGMT_GEN_CLEANUP:
        return (any_function *)gen_cleanup;
    default:
        return NULL;
    }
}
