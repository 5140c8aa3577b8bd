/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of the test of keys that stay in the service: their files, and jobs under them. */
#ifndef HR_TEST_CUSTODY_H
#define HR_TEST_CUSTODY_H

#include "harness.h"
#include "unit_keys.h"

enum { DIGEST = 32 };

extern struct service service;

/* ---- key files, in a folder of the test's own ---- */

extern char keys_folder[64];
void keys_begin(void);
void keys_end(void);
/* path_of returns the path of a key's file, which is valid until the next call. */
const char *path_of(const char *name);
/* name_of names the key of pairs[i]. */
void name_of(char out[16], size_t i);
/* write_key writes the key of a pair, with lines for its terms. */
void write_key(const char *name, const struct pair *p, const char *terms);
/* reload asks the service to read its files again, and returns its answer. */
int reload(void);

/* ---- jobs ---- */

/* decrypts tells whether the job of a pair that needs the private key is a decryption. */
bool decrypts(const struct pair *p);
/* pair_of returns a pair of this row, padding if that is not 0, and purpose. */
struct pair *pair_of(hr_alg alg, enum hr_rsa_padding padding, bool decrypt);
uint64_t open_key(const char *name);
/* under_handle lets the job of a pair that needs the private key run under a handle. */
void under_handle(struct pair *p, uint64_t handle);
/* expect runs a job under a handle, and complains of another result than `want`, or of an output
 * beside an error. */
void expect(int want, const char *what, uint64_t handle, const struct pair *p, int op,
            const void *options, const void *in, size_t len);

#define OPTIONS(how, by, ...) \
    (&(struct hr_rsa_options){ .padding = (how), .digest = (by), __VA_ARGS__ })

#endif
