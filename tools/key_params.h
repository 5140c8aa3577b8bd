/* SPDX-License-Identifier: Apache-2.0 */
/* Keys as OpenSSL hands them out: parameters by their names, which are wiped after use. */
#ifndef TOOLS_KEY_PARAMS_H
#define TOOLS_KEY_PARAMS_H

#include "../cli/openssl.h"
#include <stddef.h>
#include <stdint.h>

enum { KEY_PARAMS_FILE = 64 << 10 };

/* key_params_read reads a file, or standard input for "-", of less than KEY_PARAMS_FILE bytes, and
 * puts a NUL behind it. Returns an exit code, with an error printed. The caller wipes the text. */
int key_params_read(char text[KEY_PARAMS_FILE], size_t *len, const char *path);

/* key_params_find finds a parameter that is not empty; NULL if there is none. */
const OSSL_PARAM *key_params_find(const OSSL_PARAM *params, const char *name);
/* key_params_number writes a number, the highest byte first, in `len` bytes or, if that is 0, in as
 * many as it needs. Returns how many; 0 if p is NULL or the number does not fit. */
size_t key_params_number(uint8_t *out, size_t max, const OSSL_PARAM *p, size_t len);
/* key_params_free wipes and frees them. */
void key_params_free(const struct openssl *ssl, OSSL_PARAM *params);

#endif
