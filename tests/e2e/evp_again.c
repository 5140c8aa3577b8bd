/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts that sign a second message without being given the key again (EVP_DigestSignInit_ex(3)
 * with pkey NULL), with the default provider as the model: which parameters stay, which digests are
 * refused, and what the second signature is of.  All pairs of first and second calls are tried. */
#include "evp.h"
#include <openssl/core_names.h>

#define NUM(array) (sizeof(array) / sizeof(array)[0])
static const char *const sides[] = { THEIRS, OURS };
static struct loaded both;
static const unsigned char message[] = "abc";
enum { MAX_SIG = 256, MAX_TEXT = 60, SHARE = 29 /* --quick takes one case of so many */ };

/* ---- calls ---- */

/* struct setting is a list of parameters; NULL for those that it lacks. */
struct setting {
    const char *padding, *digest, *mgf, *salt;
    unsigned nonce_type;
};
/* Settings of RSA come first. */
static const struct setting settings[] = {
    { .padding = "pss" },
    { .padding = "pss", .mgf = "SHA512" },
    { .padding = "pss", .salt = "20" },
    { .padding = "pss", .digest = "SHA512" },
    { .padding = "x931" },
    { .digest = "SHA256" },
    { .digest = "SHA512" },
    { .digest = "nonsense" },
    { .nonce_type = 1 },
    { .nonce_type = 0 }, /* none */
};
static const char *const firsts[] = { "SHA256", NULL };
static const char *const seconds[] = { NULL, "", "SHA256", "SHA2-256", "SHA384", "nonsense" };
/* Between the calls comes nothing, a signature by a copy of the context, as is usual, or a
 * signature that ends the context's message. */
enum { NOTHING, SIGNED, ENDED, NUM_BETWEEN };

struct call {
    const char *first, *second;
    const struct setting *before, *with;
    int between;
};

static OSSL_PARAM text_param(const char *name, const char *text)
{
    return OSSL_PARAM_construct_utf8_string(name, (char *)(uintptr_t)text, 0);
}

static const OSSL_PARAM *list_of(const struct setting *s, OSSL_PARAM list[6], unsigned *nonce_type)
{
    OSSL_PARAM *at = list;
    *nonce_type = s->nonce_type;
    if (s->padding)
        *at++ = text_param(OSSL_SIGNATURE_PARAM_PAD_MODE, s->padding);
    if (s->digest)
        *at++ = text_param(OSSL_SIGNATURE_PARAM_DIGEST, s->digest);
    if (s->mgf)
        *at++ = text_param(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, s->mgf);
    if (s->salt)
        *at++ = text_param(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, s->salt);
    if (s->nonce_type)
        *at++ = OSSL_PARAM_construct_uint("nonce-type", nonce_type);
    *at = OSSL_PARAM_construct_end();
    return list;
}

/* ---- answers ---- */

/* struct answer is what a side gave; `reason` of the last call that failed. */
struct answer {
    int set, again, verified;
    unsigned long reason;
    unsigned nonce_type;
    char texts[4][MAX_TEXT]; /* digest, MGF's digest, padding, salt */
    unsigned char id[128];
};
static const char *const names[] = { OSSL_SIGNATURE_PARAM_DIGEST, OSSL_SIGNATURE_PARAM_MGF1_DIGEST,
                                     OSSL_SIGNATURE_PARAM_PAD_MODE,
                                     OSSL_SIGNATURE_PARAM_PSS_SALTLEN };

static void ask(struct answer *a, EVP_PKEY_CTX *ctx)
{
    for (size_t i = 0; i < NUM(names); i++) {
        OSSL_PARAM list[] = { OSSL_PARAM_construct_utf8_string(names[i], a->texts[i], MAX_TEXT),
                              OSSL_PARAM_construct_end() };
        (void)!EVP_PKEY_CTX_get_params(ctx, list);
    }
    OSSL_PARAM id[] = { OSSL_PARAM_construct_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, a->id,
                                                          sizeof a->id),
                        OSSL_PARAM_construct_end() };
    (void)!EVP_PKEY_CTX_get_params(ctx, id);
    OSSL_PARAM nonces[] = { OSSL_PARAM_construct_uint("nonce-type", &a->nonce_type),
                            OSSL_PARAM_construct_end() };
    a->nonce_type = 77;
    (void)!EVP_PKEY_CTX_get_params(ctx, nonces);
}

/* verify lets the default provider look at a signature that was made with what `a` says. */
static int verify(const struct answer *a, EVP_PKEY *key, const unsigned char *sig, size_t sig_len)
{
    const struct setting s = { .padding = *a->texts[2] ? a->texts[2] : NULL };
    const struct setting of_pss = { .mgf = a->texts[1] };
    unsigned nonce_type;
    OSSL_PARAM list[6];
    EVP_PKEY_CTX *of_key;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    int good = ctx && EVP_DigestVerifyInit_ex(ctx, &of_key, a->texts[0], both.libctx, THEIRS, key,
                                              list_of(&s, list, &nonce_type)) > 0;
    if (good && s.padding && !strcmp(s.padding, "pss"))
        good = EVP_PKEY_CTX_set_params(of_key, list_of(&of_pss, list, &nonce_type)) > 0;
    good = good && EVP_DigestVerify(ctx, sig, sig_len, message, sizeof message) == 1;
    EVP_MD_CTX_free(ctx);
    return good;
}

static int sign(EVP_MD_CTX *ctx, unsigned char sig[MAX_SIG], size_t *sig_len)
{
    *sig_len = MAX_SIG;
    return EVP_DigestSign(ctx, sig, sig_len, message, sizeof message) > 0;
}

/* kept keeps the reason of a call that failed. */
static int kept(struct answer *a, int returned)
{
    if (returned <= 0)
        a->reason = ERR_GET_REASON(ERR_peek_last_error());
    ERR_clear_error();
    return returned > 0;
}

/* run signs twice.  A context that refuses its second message can go on with the first one. */
static void run(struct answer *a, const struct call *c, int side, EVP_PKEY *key, EVP_PKEY *theirs)
{
    size_t sig_len;
    unsigned nonce_type;
    unsigned char sig[MAX_SIG];
    OSSL_PARAM list[6];
    EVP_PKEY_CTX *of_key;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    MUST(ctx &&
         EVP_DigestSignInit_ex(ctx, &of_key, c->first, both.libctx, sides[side], key, NULL) > 0);
    a->set = kept(a, EVP_PKEY_CTX_set_params(of_key, list_of(c->before, list, &nonce_type)));
    if (c->between == ENDED)
        EVP_MD_CTX_set_flags(ctx, EVP_MD_CTX_FLAG_FINALISE);
    if (c->between != NOTHING)
        MUST(sign(ctx, sig, &sig_len));
    a->again = kept(a, EVP_DigestSignInit_ex(ctx, NULL, c->second, both.libctx, sides[side], NULL,
                                             list_of(c->with, list, &nonce_type)));
    ask(a, EVP_MD_CTX_get_pkey_ctx(ctx));
    if (a->again || c->between == NOTHING)
        a->verified = sign(ctx, sig, &sig_len) ? verify(a, theirs, sig, sig_len) : -1;
    EVP_MD_CTX_free(ctx);
    ERR_clear_error();
}

/* compare: before 3.2, the default provider knows no kinds of nonces for ECDSA. */
static void compare(const struct call *c, EVP_PKEY *const keys[2])
{
    struct answer answers[2];
    memset(answers, 0, sizeof answers);
    for (int side = 0; side < 2; side++)
        run(&answers[side], c, side, keys[side], keys[0]);
    if (answers[0].nonce_type == 77)
        answers[1].nonce_type = 77;
    if (!memcmp(&answers[0], &answers[1], sizeof *answers))
        return;
    for (int side = 0; side < 2; side++)
        printf("# %s: set %d, again %d, verified %d, reason %lu, nonces %u, %s, %s, %s, %s\n",
               sides[side], answers[side].set, answers[side].again, answers[side].verified,
               answers[side].reason, answers[side].nonce_type, answers[side].texts[0],
               answers[side].texts[1], answers[side].texts[2], answers[side].texts[3]);
    printf("# digests %s and %s, settings %zu and %zu, between %d\n", c->first ? c->first : "none",
           c->second ? c->second : "none", (size_t)(c->before - settings),
           (size_t)(c->with - settings), c->between);
    MUST(!"both answer alike");
}

/* ---- keys ---- */

static EVP_PKEY *generate(const char *type, const char *name, const char *value)
{
    EVP_PKEY *key = NULL;
    size_t bits = 1024;
    const OSSL_PARAM list[] = { value ? text_param(name, value)
                                      : OSSL_PARAM_construct_size_t(name, &bits),
                                OSSL_PARAM_construct_end() };
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(both.libctx, type, THEIRS);
    MUST(ctx && EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_params(ctx, list) > 0);
    MUST(EVP_PKEY_generate(ctx, &key) > 0);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static EVP_PKEY *import(int side, const char *type, OSSL_PARAM params[])
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(both.libctx, type, sides[side]);
    MUST(ctx && EVP_PKEY_fromdata_init(ctx) > 0);
    MUST(EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_KEYPAIR, params) > 0);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

/* test_type tries all calls with a key that both sides import from `made`. */
static void test_type(const char *type, EVP_PKEY *made, size_t first_setting, size_t step)
{
    EVP_PKEY *keys[2];
    OSSL_PARAM *params = NULL;
    size_t num = 0;
    MUST(EVP_PKEY_todata(made, EVP_PKEY_KEYPAIR, &params) > 0);
    for (int side = 0; side < 2; side++)
        keys[side] = import(side, type, params);
    OSSL_PARAM_free(params);
    EVP_PKEY_free(made);
    const size_t num_settings = NUM(settings) - first_setting;
    const size_t most = NUM(firsts) * NUM(seconds) * num_settings * num_settings * NUM_BETWEEN;
    for (size_t i = 0; i < most; i += step, num++) {
        size_t rest = i;
        struct call c = { .first = firsts[rest % NUM(firsts)] };
        c.second = seconds[(rest /= NUM(firsts)) % NUM(seconds)];
        c.before = &settings[first_setting + (rest /= NUM(seconds)) % num_settings];
        c.with = &settings[first_setting + (rest /= num_settings) % num_settings];
        c.between = (int)(rest / num_settings);
        compare(&c, keys);
    }
    for (int side = 0; side < 2; side++)
        EVP_PKEY_free(keys[side]);
    printf("ok - %s: %zu messages that begin without a key, as the default provider's\n", type,
           num);
}

int main(int argc, char **argv)
{
    enum { OF_RSA = 0, OF_OTHERS = 5 };
    const size_t step = argc > 1 && !strcmp(argv[1], "--quick") ? SHARE : 1;
    both = load_both();
    printf("1..3\n");
    test_type("RSA", generate("RSA", OSSL_PKEY_PARAM_RSA_BITS, NULL), OF_RSA, step);
    test_type("EC", generate("EC", OSSL_PKEY_PARAM_GROUP_NAME, "P-256"), OF_OTHERS, step);
    test_type("DSA", generate("DHX", OSSL_PKEY_PARAM_GROUP_NAME, "dh_1024_160"), OF_OTHERS, step);
    unload_both(&both);
    return 0;
}
