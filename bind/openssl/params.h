/* SPDX-License-Identifier: Apache-2.0 */
/* OSSL_PARAM without libcrypto: the few types that ciphers and digests use.
 * Each returns 1, or 0 where the parameter's type or size does not fit. */
#ifndef HR_PARAMS_H
#define HR_PARAMS_H

#include <openssl/core.h>
#include <stddef.h>
#include <stdint.h>

/* A number that is not negative, of either integer type and 4 or 8 bytes. */
int param_get_number(const OSSL_PARAM *p, uint64_t *value);
int param_set_number(OSSL_PARAM *p, uint64_t value);
/* Bytes: copied to an octet string, or pointed at by an octet pointer; `bytes` must then live as
 * long as the context. */
int param_set_octets(OSSL_PARAM *p, const void *bytes, size_t bytes_len);
/* The same for text. */
int param_set_text(OSSL_PARAM *p, const char *text);

/* Index of a key in a table of `num` names, or -1. */
int param_key(const OSSL_PARAM *p, const char *const keys[], int num);
/* Answers a list: values[i] to who asks for keys[i]; other keys are left alone. */
int param_set_numbers(OSSL_PARAM params[], const char *const keys[], const uint64_t values[],
                      int num);

/* Entries of a list of gettable or settable parameters. */
#define PARAM_UINT(key)                                                      \
    {                                                                        \
        key, OSSL_PARAM_UNSIGNED_INTEGER, NULL, sizeof(unsigned), PARAM_NONE \
    }
#define PARAM_INT(key)                                         \
    {                                                          \
        key, OSSL_PARAM_INTEGER, NULL, sizeof(int), PARAM_NONE \
    }
#define PARAM_SIZE(key)                                                    \
    {                                                                      \
        key, OSSL_PARAM_UNSIGNED_INTEGER, NULL, sizeof(size_t), PARAM_NONE \
    }
#define PARAM_OCTETS(key)                                 \
    {                                                     \
        key, OSSL_PARAM_OCTET_STRING, NULL, 0, PARAM_NONE \
    }
#define PARAM_OCTET_PTR(key)                           \
    {                                                  \
        key, OSSL_PARAM_OCTET_PTR, NULL, 0, PARAM_NONE \
    }
#define PARAM_TEXT(key)                                  \
    {                                                    \
        key, OSSL_PARAM_UTF8_STRING, NULL, 0, PARAM_NONE \
    }
#define PARAM_TEXT_PTR(key)                           \
    {                                                 \
        key, OSSL_PARAM_UTF8_PTR, NULL, 0, PARAM_NONE \
    }
#define PARAM_END           \
    {                       \
        NULL, 0, NULL, 0, 0 \
    }
#define PARAM_NONE SIZE_MAX

#endif
