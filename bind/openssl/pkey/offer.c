/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of public-key algorithms.  They are written when an operation is first asked for, from
 * code and not from tables, since each table of pointers in the module would be relocated at the
 * start of every process. */
#include "pkey.h"
#include <headrace/algorithms.h>
#include <headrace/kem.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_FUNCTION = 63 }; /* of OSSL_FUNC_..., in every operation */

enum {
    NUM_PKEY = 0
#define PKEY(...) +1
#include "pkey.def"
};

struct table {
    const struct provider *provider;
    int operation;
    const char *wins; /* pkey_win_list() */
    OSSL_ALGORITHM *next;
    OSSL_DISPATCH *next_function;
};

/* all_of tells whether `is` is true for each of the symbols up to a space: "ecdsa_p256+ecdh_p256".
 */
static int all_of(const char *symbols, const char *list,
                  int (*is)(const char *symbol, const char *list))
{
    char symbol[32];
    for (const char *end = symbols + strcspn(symbols, " "); symbols < end;) {
        const size_t len = strcspn(symbols, "+ ");
        snprintf(symbol, sizeof symbol, "%.*s", (int)len, symbols);
        if (!is(symbol, list))
            return 0;
        symbols += len + (symbols[len] == '+');
    }
    return 1;
}

/* any_of tells whether it is true for all symbols of one of the groups between spaces. */
static int any_of(const char *symbols, const char *list,
                  int (*is)(const char *symbol, const char *list))
{
    for (; *symbols; symbols += strcspn(symbols, " "), symbols += *symbols == ' ')
        if (all_of(symbols, list, is))
            return 1;
    return 0;
}

static int is_kept(const char *symbol, const char *without)
{
    return !win_list_has(without, symbol);
}

/* is_too_new tells whether OpenSSL would refuse a signature for a function: before 3.4 one that
 * signs or verifies has to begin by SIGN_INIT or VERIFY_INIT, unless it begins by DIGEST_SIGN_INIT.
 */
static int is_too_new(const struct table *table, any_function *(*function)(int id), int id)
{
    if (table->operation != OSSL_OP_SIGNATURE || win_release(table->provider) >= 304)
        return 0;
    return (id == OSSL_FUNC_SIGNATURE_SIGN && !function(OSSL_FUNC_SIGNATURE_SIGN_INIT)) ||
           (id == OSSL_FUNC_SIGNATURE_VERIFY && !function(OSSL_FUNC_SIGNATURE_VERIFY_INIT));
}

/* is_for_named_keys tells whether an algorithm is offered though it loses, since keys that the
 * accelerator's service keeps (../custody) have no other. */
static int is_for_named_keys(any_function *(*function)(int id))
{
    return function == rsa_keymgmt || function == rsa_signature || function == rsa_cipher ||
           function == ec_keymgmt || function == ecdsa_signature || function == ed25519_keymgmt ||
           function == ed25519_message_signature || function == ed25519_signature;
}

/* is_lent tells whether an algorithm has to serve keys that may be lent to the accelerator's
 * service, though OpenSSL may be faster without that (rsa_lend.c). */
static int is_lent(any_function *(*function)(int id))
{
    return function == rsa_keymgmt || function == rsa_signature || function == rsa_cipher;
}

/* add writes an algorithm, unless all of its symbols are left out (see is_left_out in
 * ../offer.c), or it does not win and "lost_pkey" leaves those out: OpenSSL 3.0 compares each name
 * of each key management with each decoder whenever it reads a private key. */
static void add(struct table *table, any_function *(*function)(int id), const char *names,
                const char *description, const char *symbols)
{
    const int must = is_for_named_keys(function);
    if (!must && !any_of(symbols, table->provider->without, is_kept))
        return;
    const int wins = any_of(symbols, table->wins, win_of_provider) ||
                     (table->provider->lends && is_lent(function));
    if (!must && !wins && win_list_has(table->provider->without, "lost_pkey"))
        return;
    *table->next++ = (OSSL_ALGORITHM){
        names,
        wins ? "provider=headrace,headrace.win=yes" : "provider=headrace,headrace.win=no",
        table->next_function,
        description,
    };
    for (int id = 1; id <= MAX_FUNCTION; id++) {
        any_function *found = function(id);
        if (found && !is_too_new(table, function, id))
            *table->next_function++ = (OSSL_DISPATCH){ id, found };
    }
    table->next_function++; /* memory that was zeroed makes its end */
}

/* is_built tells whether the library was built with the code of ML-KEM and ML-DSA, which it has no
 * own of: a call that lacks all else says so first. */
static int is_built(void)
{
    struct hr_kem_key none;
    return hr_kem_key_init_public(&none, HR_MLKEM512, NULL, 0) != HR_ECPU;
}

int pkey_is_wanted(const struct provider *provider, const char *word)
{
    if (strcmp(word, "slhdsa") && !is_built())
        return 0;
    return win_release(provider) >= PKEY_COMPLETE || win_list_has(provider->extra, word);
}

/* pkey_win_list: a list without one of these words was written by a `headrace calibrate` that did
 * not measure public keys, or by hand.  It says nothing of them, and the shipped map decides. */
const char *pkey_win_list(const struct provider *provider)
{
    const char *list = win_list(provider);
    return win_list_has(list, "all") || win_list_has(list, "none") || win_list_has(list, "pkey")
               ? list
               : NULL;
}

/* make offers nothing where libcrypto's functions were not found, as in a program that is linked
 * statically with it: libssl would then take no group of our algorithms from anyone (tls.c). */
static void *make(const struct provider *provider, int operation)
{
    OSSL_ALGORITHM *first = calloc(1, (NUM_PKEY + 1) * sizeof *first +
                                          NUM_PKEY * (MAX_FUNCTION + 1) * sizeof(OSSL_DISPATCH));
    if (!first || !pkey_libcrypto_of(provider))
        return first;
    struct table table = { provider, operation, pkey_win_list(provider), first,
                           (OSSL_DISPATCH *)(first + NUM_PKEY + 1) };
#define PKEY(op, function, names, description, symbols) \
    if (operation == OSSL_OP_##op)                      \
        add(&table, function, names, description, symbols);
#define PKEY_EXTRA(word, ...)           \
    if (pkey_is_wanted(provider, word)) \
    PKEY(__VA_ARGS__)
#define PKEY_BEFORE(release, ...)          \
    if (win_release(provider) < (release)) \
    PKEY(__VA_ARGS__)
#define PKEY_SINCE(release, ...)            \
    if (win_release(provider) >= (release)) \
    PKEY(__VA_ARGS__)
#include "pkey.def"
    return first;
}

static void *make_keymgmts(const struct provider *provider)
{
    return make(provider, OSSL_OP_KEYMGMT);
}

static void *make_signatures(const struct provider *provider)
{
    return make(provider, OSSL_OP_SIGNATURE);
}

static void *make_exchanges(const struct provider *provider)
{
    return make(provider, OSSL_OP_KEYEXCH);
}

static void *make_kems(const struct provider *provider)
{
    return make(provider, OSSL_OP_KEM);
}

static void *make_ciphers(const struct provider *provider)
{
    return make(provider, OSSL_OP_ASYM_CIPHER);
}

const OSSL_ALGORITHM *pkey_algorithms_of(const struct provider *provider, int operation)
{
    switch (operation) {
    case OSSL_OP_KEYMGMT:
        return part_of(provider, PART_KEYMGMTS, make_keymgmts);
    case OSSL_OP_SIGNATURE:
        return part_of(provider, PART_SIGNATURES, make_signatures);
    case OSSL_OP_KEYEXCH:
        return part_of(provider, PART_EXCHANGES, make_exchanges);
    case OSSL_OP_KEM:
        return part_of(provider, PART_KEMS, make_kems);
    case OSSL_OP_ASYM_CIPHER:
        return part_of(provider, PART_ASYM_CIPHERS, make_ciphers);
    default:
        return NULL;
    }
}

const char *pkey_names(const struct provider *provider, const char *name)
{
    const OSSL_ALGORITHM *found = pkey_algorithms_of(provider, OSSL_OP_KEYMGMT);
    for (; found && found->algorithm_names; found++)
        if (params_name_in_list(found->algorithm_names, name, strlen(name)))
            return found->algorithm_names;
    return NULL;
}

int pkey_has_keymgmt(const struct provider *provider, const char *name)
{
    return pkey_names(provider, name) != NULL;
}
