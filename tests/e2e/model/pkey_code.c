/* SPDX-License-Identifier: Apache-2.0 */
/* The model of public keys: the default provider's encoders and decoders reach a key by its export
 * and import.  Also the bytes of a key, and lists of parameters. */
#include "pkey.h"
#include <openssl/decoder.h>
#include <openssl/encoder.h>

/* decode makes a key of the default provider on both sides, as OpenSSL prefers the provider of the
 * decoder.  Operations then export it to the provider of the side. */
static void decode(struct run *r, struct result *out, const char *form, const unsigned char *bytes,
                   size_t len, EVP_PKEY **place)
{
    EVP_PKEY *made = NULL;
    const unsigned char *at = bytes;
    OSSL_DECODER_CTX *ctx = OSSL_DECODER_CTX_new_for_pkey(
        &made, form, NULL, pkey_type(r)->name, 0, pkey_libctx(),
        r->side == OUR_SIDE ? "?provider=headrace" : "?provider=default");
    MUST(ctx);
    pkey_restart(r);
    pkey_said(out, OSSL_DECODER_from_data(ctx, &at, &len));
    OSSL_DECODER_CTX_free(ctx);
    if (!made)
        return;
    pkey_keep(r, place, made, 1);
}

/* is_empty tells whether a key has no part.  OpenSSL exports a public key of zeros then, and does
 * not print its own. */
static int is_empty(const struct run *r, EVP_PKEY *key)
{
    static const unsigned char zeros[MAX_KEY];
    unsigned char public[MAX_KEY];
    size_t len = 0;
    return !EVP_PKEY_get_octet_string_param(key, "pub", public, sizeof public, &len) ||
           !memcmp(public, zeros, len);
}

void do_code(struct run *r, struct result *out)
{
    static const struct {
        const char *form, *structure;
        int selection;
    } ways[] = {
        { "DER", "PrivateKeyInfo", EVP_PKEY_KEYPAIR },
        { "PEM", "PrivateKeyInfo", EVP_PKEY_KEYPAIR },
        { "DER", "SubjectPublicKeyInfo", EVP_PKEY_PUBLIC_KEY },
        { "PEM", "SubjectPublicKeyInfo", EVP_PKEY_PUBLIC_KEY },
        { "TEXT", NULL, EVP_PKEY_KEYPAIR },
        { "TEXT", NULL, EVP_PKEY_PUBLIC_KEY },
    };
    EVP_PKEY **place = pkey_pick(r), **key = pkey_pick(r);
    const size_t way = below(r, sizeof ways / sizeof *ways);
    unsigned char *bytes = NULL;
    size_t len = 0;
    if (!*key || is_empty(r, *key))
        return;
    note(r, " %s of %s, selection 0x%x", ways[way].form,
         ways[way].structure ? ways[way].structure : "all", ways[way].selection);
    OSSL_ENCODER_CTX *ctx = OSSL_ENCODER_CTX_new_for_pkey(*key, ways[way].selection, ways[way].form,
                                                          ways[way].structure, NULL);
    const int good = ctx ? OSSL_ENCODER_to_data(ctx, &bytes, &len) : 0;
    pkey_said(out, good > 0);
    OSSL_ENCODER_CTX_free(ctx);
    if (good > 0) {
        pkey_say(out, bytes, len);
        if (ways[way].structure)
            decode(r, out, ways[way].form, bytes, len, place);
    }
    OPENSSL_free(bytes);
}

void do_raw_get(struct run *r, struct result *out)
{
    static unsigned char memory[MAX_KEY];
    EVP_PKEY **key = pkey_pick(r);
    size_t len = below(r, 6) ? sizeof memory : 31;
    if (!*key)
        return;
    memset(memory, 0, sizeof memory);
    pkey_said(out, EVP_PKEY_get_raw_public_key(*key, memory, &len));
    pkey_say(out, memory, sizeof memory);
    len = sizeof memory;
    pkey_said(out, EVP_PKEY_get_raw_private_key(*key, memory, &len));
    pkey_say(out, memory, sizeof memory);
    unsigned char *encoded = NULL;
    len = EVP_PKEY_get1_encoded_public_key(*key, &encoded);
    pkey_said(out, len > 0);
    pkey_say(out, encoded, len);
    OPENSSL_free(encoded);
}

void do_facts(struct run *r, struct result *out)
{
    EVP_PKEY **key = pkey_pick(r);
    char text[80] = "";
    if (!*key)
        return;
    const int numbers[] = { EVP_PKEY_get_bits(*key), EVP_PKEY_get_security_bits(*key),
                            EVP_PKEY_get_size(*key), EVP_PKEY_get_id(*key),
                            EVP_PKEY_can_sign(*key), EVP_PKEY_is_a(*key, pkey_type(r)->name) };
    pkey_say(out, numbers, sizeof numbers);
    pkey_said(out, EVP_PKEY_get_default_digest_name(*key, text, sizeof text));
    pkey_say(out, text, sizeof text);
    pkey_said(out, EVP_PKEY_get_group_name(*key, text, sizeof text, NULL));
}

static int by_key(const void *a, const void *b)
{
    return strcmp((*(const OSSL_PARAM *const *)a)->key, (*(const OSSL_PARAM *const *)b)->key);
}

/* say_list leaves out the parameter that came with OpenSSL 3.2.  The order of a list is no matter,
 * and another one in OpenSSL 4. */
static void say_list(struct result *out, const OSSL_PARAM *list)
{
    enum { MOST = 32 };
    const OSSL_PARAM *sorted[MOST];
    size_t num = 0;
    for (; list && list->key; list++) {
        MUST(num < MOST);
        if (strcmp(list->key, "dhkem-ikm"))
            sorted[num++] = list;
    }
    qsort(sorted, num, sizeof *sorted, by_key);
    for (size_t i = 0; i < num; i++) {
        pkey_say(out, sorted[i]->key, strlen(sorted[i]->key));
        pkey_say(out, &sorted[i]->data_type, sizeof sorted[i]->data_type);
    }
}

void do_lists(struct run *r, struct result *out)
{
    EVP_PKEY **key = pkey_pick(r);
    if (!*key)
        return;
    say_list(out, EVP_PKEY_gettable_params(*key));
    say_list(out, EVP_PKEY_settable_params(*key));
    EVP_PKEY_CTX *ctx =
        EVP_PKEY_CTX_new_from_name(pkey_libctx(), pkey_type(r)->name, pkey_properties(r));
    MUST(ctx);
    say_list(out, EVP_PKEY_fromdata_settable(ctx, EVP_PKEY_KEYPAIR));
    say_list(out, EVP_PKEY_fromdata_settable(ctx, EVP_PKEY_KEY_PARAMETERS));
    MUST(EVP_PKEY_keygen_init(ctx) > 0);
    say_list(out, EVP_PKEY_CTX_settable_params(ctx));
    EVP_PKEY_CTX_free(ctx);
    pkey_said(out, 1);
}
