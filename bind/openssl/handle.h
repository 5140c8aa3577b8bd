/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that the accelerator keeps, in OpenSSL: implementations of their own, which are found by
 * PROPERTY only, so that nothing of the others pays for them.  A key comes as a name of the
 * service's (HANDLE_PARAM), as an EVP_SKEY, or as bytes, which are handed over at once. */
#ifndef HR_PROVIDER_HANDLE_H
#define HR_PROVIDER_HANDLE_H

#include "../stats.h"
#include "provider.h"
#include <headrace/queue.h>
#include <stdatomic.h>

/* Without provider=headrace: who asks for us by name, mandatory or not, means keys in memory. */
#define HANDLE_PROPERTY "headrace.keys=accelerator"
#define HANDLE_PARAM "headrace-key" /* text: the name of a long-term key */

/* A key; what OpenSSL calls its key data. */
struct handle {
    atomic_uint refs;
    const struct provider *provider;
    uint64_t number;
    char id[64]; /* for people */
};

/* ---- handle.c: a key, or NULL with an error raised ---- */

struct handle *handle_open(const struct provider *provider, const OSSL_PARAM *name);
struct handle *handle_import(const struct provider *provider, hr_alg alg, const void *bytes,
                             size_t bytes_len);
struct handle *handle_generate(const struct provider *provider, hr_alg alg, size_t key_len);
struct handle *handle_hold(struct handle *handle);
void handle_release(struct handle *handle); /* NULL is allowed */
/* Puts another key, or NULL, in the place of *at.  1, or 0 where there is none. */
int handle_replace(struct handle **at, struct handle *handle);
/* Runs a job under the key: 1, or 0 with an error raised. */
int handle_run(const struct handle *handle, struct hr_job *job);
/* HR_EMAC is left to the caller. */
int handle_run_quiet(const struct handle *handle, struct hr_job *job);

/* ---- handle_cipher.c, handle_aead.c, handle_mac.c, skey.c ---- */

extern const OSSL_ALGORITHM handle_cipher_rows[NUM_CIPHERS];
extern const OSSL_ALGORITHM handle_aead_rows[NUM_AEADS];
extern const OSSL_ALGORITHM handle_mac_rows[1];
extern const OSSL_ALGORITHM skey_rows[2]; /* with an end */

/* OpenSSL 3.5's numbers; the build has the headers of 3.0. */
enum {
    OP_SKEYMGMT = 15,
    CIPHER_ENCRYPT_SKEY_INIT = 19,
    CIPHER_DECRYPT_SKEY_INIT = 20,
    MAC_INIT_SKEY = 13,
    SKEYMGMT_FREE = 1,
    SKEYMGMT_IMPORT,
    SKEYMGMT_EXPORT,
    SKEYMGMT_GENERATE,
    SKEYMGMT_GET_KEY_ID,
    SKEYMGMT_IMP_SETTABLE_PARAMS,
    SKEYMGMT_GEN_SETTABLE_PARAMS,
};

/* A row's entry points; `kind` is the stem of its functions.  Whole messages are update and final.
 */
#define HANDLE_ROW(sym, kind)                                                                      \
    CIPHER_ROW_BUT_WHOLE(sym, kind, kind, FUNCTION(CIPHER_ENCRYPT_SKEY_INIT, kind##_encrypt_skey), \
                         FUNCTION(CIPHER_DECRYPT_SKEY_INIT, kind##_decrypt_skey), )
#define HANDLE_ENTRY(sym, name, names) \
    { names, HANDLE_PROPERTY, sym##_functions, "Headrace " name ", keys on the accelerator" },

#endif
