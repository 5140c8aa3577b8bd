/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithms that the provider offers, in the tables that OpenSSL's query_operation wants.  A
 * process uses the tables of one or two operations, and libcrypto reads each once. */
#include "custody/custody.h"
#include "handle.h"
#include "provider.h"
#include <stdlib.h>

/* struct table is an operation's table while it is written, with the dispatch tables behind it. */
struct table {
    const struct provider *provider;
    const char *wins; /* win_list() */
    OSSL_ALGORITHM *next;
    OSSL_DISPATCH *next_function;
};

/* ---- entries ---- */

static const char *properties_of(const struct table *table, const char *symbol, int may_win)
{
    return may_win && win_of_provider(symbol, table->wins) ? "provider=headrace,headrace.win=yes"
                                                           : "provider=headrace,headrace.win=no";
}

/* is_left_out is true for rows that `headrace enable` found no other provider to have: a program
 * that could not use them before cannot do so now. */
static int is_left_out(const struct table *table, const char *symbol)
{
    return win_list_has(table->provider->without, symbol);
}

static const char *described(enum row_index index)
{
    switch (index) {
#define HR_ROW(number, sym, SYM, name, ...) \
    case INDEX_##sym:                       \
        return "Headrace " name;
#include <headrace/algorithms.def>
    default:
        return NULL;
    }
}

static const char *described_handle(enum row_index index)
{
    switch (index) {
#define HR_ROW(number, sym, SYM, name, ...) \
    case INDEX_##sym:                       \
        return "Headrace " name ", keys on the accelerator";
#include <headrace/algorithms.def>
    default:
        return NULL;
    }
}

/* write_functions writes a row's dispatch table and returns it.  Memory that was zeroed makes its
 * end. */
static const OSSL_DISPATCH *write_functions(struct table *table, const struct functions *functions,
                                            enum row_index index)
{
    const OSSL_DISPATCH *const written = table->next_function;
    for (const OSSL_DISPATCH *in = functions->shared; in->function_id; in++) {
        any_function *own = in->function ? NULL : functions->own(index, in->function_id);
        *table->next_function++ =
            (OSSL_DISPATCH){ in->function_id, in->function ? in->function : own };
    }
    table->next_function++;
    return written;
}

static const struct functions *functions_of(const struct hr_algorithm *row)
{
    switch (row->cls) {
    case HR_CLASS_DIGEST:
        return &digest_functions;
    case HR_CLASS_CIPHER:
        return &cipher_functions;
    case HR_CLASS_AEAD:
        return row->mode == HR_MODE_GCM   ? &gcm_functions
               : row->mode == HR_MODE_CCM ? &ccm_functions
                                          : &chacha_functions;
    case HR_CLASS_WRAP:
        return &keywrap_functions;
    default:
        return &xts_functions;
    }
}

/* offer adds the rows of a class, without checksums: OpenSSL would take them for cryptographic
 * digests. */
static void offer(struct table *table, enum hr_class cls)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++) {
        const enum row_index index = (enum row_index)i;
        if (row->cls != cls || row->flags & HR_CHECKSUM_ONLY || is_left_out(table, row->symbol))
            continue;
        const int may_win = !table->provider->strict || !cipher_row_is_des(index);
        *table->next++ = (OSSL_ALGORITHM){
            row->openssl_names,
            properties_of(table, row->symbol, may_win),
            write_functions(table, functions_of(row), index),
            described(index),
        };
    }
}

/* offer_handles adds the implementations with keys on the accelerator, which a program finds by
 * their own property only.  They come last, so that OpenSSL prefers the others. */
static void offer_handles(struct table *table, enum hr_class cls, const struct functions *functions)
{
    const struct hr_algorithm *row;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == cls && !is_left_out(table, row->symbol))
            *table->next++ = (OSSL_ALGORITHM){
                row->openssl_names,
                HANDLE_PROPERTY,
                write_functions(table, functions, (enum row_index)i),
                described_handle((enum row_index)i),
            };
}

/* ---- operations: each function makes the part of the provider that has an operation's table ----
 */

static OSSL_ALGORITHM *begin(struct table *table, const struct provider *provider, size_t num)
{
    enum { MAX_FUNCTIONS = 20 }; /* of a dispatch table, with its end */
    OSSL_ALGORITHM *first = calloc(num + 1, sizeof *first + MAX_FUNCTIONS * sizeof(OSSL_DISPATCH));
    if (!first)
        return NULL;
    *table =
        (struct table){ provider, win_list(provider), first, (OSSL_DISPATCH *)(first + num + 1) };
    return first;
}

static void *make_digests(const struct provider *provider)
{
    struct table table;
    OSSL_ALGORITHM *first = begin(&table, provider, NUM_DIGESTS);
    if (first)
        offer(&table, HR_CLASS_DIGEST);
    return first;
}

/* offer_wrap adds DES3-WRAP, which is a win only if the configured list says so: it was not
 * measured. */
static void offer_wrap(struct table *table)
{
    const int may_win = !table->provider->strict && table->wins;
    *table->next = wrap_row;
    table->next++->property_definition = properties_of(table, "des3_wrap", may_win);
}

static void *make_ciphers(const struct provider *provider)
{
    struct table table;
    OSSL_ALGORITHM *first = begin(
        &table, provider, 2 * (NUM_CIPHERS + NUM_AEADS) + NUM_XTS + NUM_WRAPS + 1 /* DES3-WRAP */);
    if (!first)
        return NULL;
    offer(&table, HR_CLASS_CIPHER);
    offer_wrap(&table);
    offer(&table, HR_CLASS_AEAD);
    offer(&table, HR_CLASS_XTS);
    offer(&table, HR_CLASS_WRAP);
    offer_handles(&table, HR_CLASS_CIPHER, &handle_cipher_functions);
    offer_handles(&table, HR_CLASS_AEAD, &handle_aead_functions);
    return first;
}

/* The MACs, in the order of mac_rows.  GMAC and CMAC are one name in OpenSSL for several rows, of
 * which `row` is the first, and are offered only with libcrypto's functions. */
static const struct {
    uint8_t row;
    uint8_t needs_libcrypto;
    uint8_t loses_if_strict; /* triple DES in constant time is slower than OpenSSL's */
    const char *others[5];
} macs[NUM_MACS] = {
    { INDEX_aes_128_gmac, 1, 0, { "aes_192_gmac", "aes_256_gmac" } },
    { INDEX_poly1305, 0, 0, { NULL } },
    { INDEX_poly1305_aes, 0, 0, { NULL } },
    { INDEX_kasumi_f9, 0, 0, { NULL } },
    { INDEX_aes_128_cmac,
      1,
      1,
      { "aes_192_cmac", "aes_256_cmac", "des_ede2_cmac", "des_ede3_cmac" } },
};

/* others_win tells whether the other rows of MAC number i are wins, too. */
static int others_win(const struct table *table, size_t i)
{
    const char *const *other = macs[i].others;
    while (*other && win_of_provider(*other, table->wins))
        other++;
    return !*other && !(macs[i].loses_if_strict && table->provider->strict);
}

static void *make_macs(const struct provider *provider)
{
    struct table table;
    OSSL_ALGORITHM *first = begin(&table, provider, NUM_MACS + COUNT(handle_mac_rows));
    for (size_t i = 0; first && i < NUM_MACS; i++) {
        const char *symbol = hr_algorithm_at(macs[i].row)->symbol;
        if ((macs[i].needs_libcrypto && !libcrypto_of(provider)) || is_left_out(&table, symbol))
            continue;
        *table.next = mac_rows[i];
        table.next++->property_definition = properties_of(&table, symbol, others_win(&table, i));
    }
    if (first)
        *table.next = handle_mac_rows[0];
    return first;
}

/* make_kdfs offers nothing without libcrypto's functions, which compute what the library cannot. */
static void *make_kdfs(const struct provider *provider)
{
    const struct hr_algorithm *row;
    struct table table;
    OSSL_ALGORITHM *first = begin(&table, provider, NUM_KDFS);
    if (!first || !libcrypto_of(provider))
        return first;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        if (row->cls == HR_CLASS_KDF) {
            *table.next = kdf_rows[table.next - first];
            table.next++->property_definition = properties_of(&table, row->symbol, 1);
        }
    return first;
}

const OSSL_ALGORITHM *algorithms_of(const struct provider *provider, int operation)
{
    switch (operation) {
    case OSSL_OP_DIGEST:
        return part_of(provider, PART_DIGESTS, make_digests);
    case OSSL_OP_CIPHER:
        return part_of(provider, PART_CIPHERS, make_ciphers);
    case OSSL_OP_MAC:
        return part_of(provider, PART_MACS, make_macs);
    case OSSL_OP_KDF:
        return part_of(provider, PART_KDFS, make_kdfs);
    case OP_SKEYMGMT:
        return skey_rows;
    case OSSL_OP_DECODER:
    case OSSL_OP_STORE:
        return custody_algorithms_of(provider, operation);
    default:
        return pkey_algorithms_of(provider, operation);
    }
}
