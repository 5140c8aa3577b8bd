/* SPDX-License-Identifier: Apache-2.0 */
/* OSSL_PARAM without libcrypto: the few types that ciphers and digests use.
 * Each returns 1, or 0 where the parameter's type or size does not fit. */
#ifndef HR_PARAMS_H
#define HR_PARAMS_H

#include <openssl/core.h>
#include <stddef.h>
#include <stdint.h>

/* A number that is not negative, of either integer type and any size. */
int param_get_number(const OSSL_PARAM *p, uint64_t *value);
/* A number with its sign. */
int param_get_signed(const OSSL_PARAM *p, int64_t *value);
int param_set_number(OSSL_PARAM *p, uint64_t value);
/* Bytes: copied to an octet string, or pointed at by an octet pointer; `bytes` must then live as
 * long as the context. */
int param_set_octets(OSSL_PARAM *p, const void *bytes, size_t bytes_len);
/* The same for text. */
int param_set_text(OSSL_PARAM *p, const char *text);

/* Octets where they lie; a NULL of length 0 is none of them. */
int param_get_octets(const OSSL_PARAM *p, const void **bytes, size_t *bytes_len);
/* Text and its length.  An announced size of 0 means a string that its own zero ends, as OpenSSL's
 * macros make them. */
int param_get_text(const OSSL_PARAM *p, const char **text, size_t *text_len);

/* The first parameter of this key in a list, which may be NULL; or NULL. */
const OSSL_PARAM *param_find(const OSSL_PARAM params[], const char *key);
/* Index of a key in a table of `num` names, or -1. */
int param_key(const OSSL_PARAM *p, const char *const keys[], int num);
/* Answers a list: values[i] to who asks for keys[i]; other keys are left alone. */
int param_set_numbers(OSSL_PARAM params[], const char *const keys[], const uint64_t values[],
                      int num);

/* Whether a colon-separated list of names has this one, in any case of letters. */
int name_in_list(const char *names, const char *name, size_t name_len);

/* What 3GPP's f8 and f9 are given. */
#define PARAM_COUNT "count"
#define PARAM_BEARER "bearer"
#define PARAM_FRESH "fresh"
#define PARAM_DIRECTION "direction"

/* Entries of a list of gettable or settable parameters. */
#define PARAM_UINT(key)                                                      \
    {                                                                        \
        key, OSSL_PARAM_UNSIGNED_INTEGER, NULL, sizeof(unsigned), PARAM_NONE \
    }
#define PARAM_INT(key)                                         \
    {                                                          \
        key, OSSL_PARAM_INTEGER, NULL, sizeof(int), PARAM_NONE \
    }
#define PARAM_UINT64(key)                                                    \
    {                                                                        \
        key, OSSL_PARAM_UNSIGNED_INTEGER, NULL, sizeof(uint64_t), PARAM_NONE \
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
