/* SPDX-License-Identifier: Apache-2.0 */
/* Access to OSSL_PARAM without libcrypto, for the types that the provider uses.  A function that
 * gets or sets returns 1, or 0 if the parameter's type or size does not fit. */
#ifndef HR_PARAMS_H
#define HR_PARAMS_H

#include <openssl/core.h>
#include <stddef.h>
#include <stdint.h>

/* param_get_number gets a number that is not negative, of any size. */
int param_get_number(const OSSL_PARAM *p, uint64_t *value);
/* param_get_signed gets a number with its sign. */
int param_get_signed(const OSSL_PARAM *p, int64_t *value);
int param_set_number(OSSL_PARAM *p, uint64_t value);
/* param_set_octets copies bytes to an octet string, or sets an octet pointer to `bytes`, which must
 * then live as long as the context. */
int param_set_octets(OSSL_PARAM *p, const void *bytes, size_t bytes_len);
/* param_set_text does the same with text. */
int param_set_text(OSSL_PARAM *p, const char *text);

/* param_get_octets gets a pointer to the parameter's bytes.  NULL with a length of 0 is an empty
 * string. */
int param_get_octets(const OSSL_PARAM *p, const void **bytes, size_t *bytes_len);
/* param_get_text gets text and its length.  A data_size of 0 means that the text ends in a zero
 * byte, as OpenSSL's macros set it. */
int param_get_text(const OSSL_PARAM *p, const char **text, size_t *text_len);

/* param_find returns the first parameter of this key in a list, which may be NULL; or NULL. */
const OSSL_PARAM *param_find(const OSSL_PARAM params[], const char *key);
/* param_name is the key of a parameter in a table, which holds the text and no pointer to it. */
typedef char param_name[24];
/* param_key returns the index of the parameter's key in a table of `num` keys, some of which may be
 * ""; or -1. */
int param_key(const OSSL_PARAM *p, const param_name keys[], int num);
/* param_set_numbers sets each parameter of a list whose key is keys[i] to values[i], and ignores
 * other parameters. */
int param_set_numbers(OSSL_PARAM params[], const param_name keys[], const uint64_t values[],
                      int num);

/* params_name_in_list tells whether a list of names, separated by colons, contains this name, in
 * upper or lower case. */
int params_name_in_list(const char *names, const char *name, size_t name_len);

/* ---- keys that OpenSSL, or its release 3.0, does not have ---- */

/* Text: the name of a long-term key of the accelerator. */
#define HANDLE_PARAM "headrace-key"
/* 3GPP's f8 and f9. */
#define PARAM_COUNT "count"
#define PARAM_BEARER "bearer"
#define PARAM_FRESH "fresh"
#define PARAM_DIRECTION "direction"
/* Poly1305-AES. */
#define PARAM_NONCE "nonce"
/* GCM: in OpenSSL 3.4 and later. */
#define PARAM_IV_GENERATED "iv-generated"
/* EC keys: of what a key is derived, in OpenSSL 3.2 and later. */
#define PARAM_DHKEM_IKM "dhkem-ikm"
/* ECDSA: how a nonce is made, in OpenSSL 3.2 and later. */
#define PARAM_NONCE_TYPE "nonce-type"
/* Keys: NIST's category of post-quantum security, 0 for none, in OpenSSL 3.6 and later. */
#define PARAM_CATEGORY "security-category"
enum { CATEGORY_SINCE = 306 };

/* ---- lists of gettable or settable parameters ---- */

/* struct param_spec is an entry of a list.  OpenSSL's lists have pointers to the keys, and would be
 * relocated when a process starts; param_list (provider.h) makes one when a program asks for it. */
struct param_spec {
    param_name key; /* "": the end */
    uint8_t type, size;
    uint16_t since; /* the release of OpenSSL (win_release) that began to list it; 0: all do */
};
#define PARAM_SPEC(key, type, size, since) \
    {                                      \
        key, type, size, since             \
    }
#define PARAM_UINT(key) PARAM_SPEC(key, OSSL_PARAM_UNSIGNED_INTEGER, sizeof(unsigned), 0)
#define PARAM_INT(key) PARAM_INT_SINCE(0, key)
#define PARAM_INT_SINCE(since, key) PARAM_SPEC(key, OSSL_PARAM_INTEGER, sizeof(int), since)
#define PARAM_UINT64(key) PARAM_SPEC(key, OSSL_PARAM_UNSIGNED_INTEGER, sizeof(uint64_t), 0)
#define PARAM_SIZE(key) PARAM_SPEC(key, OSSL_PARAM_UNSIGNED_INTEGER, sizeof(size_t), 0)
#define PARAM_BIGNUM(key) PARAM_SPEC(key, OSSL_PARAM_UNSIGNED_INTEGER, 0, 0)
#define PARAM_OCTETS(key) PARAM_OCTETS_SINCE(0, key)
#define PARAM_OCTETS_SINCE(since, key) PARAM_SPEC(key, OSSL_PARAM_OCTET_STRING, 0, since)
#define PARAM_OCTET_PTR(key) PARAM_SPEC(key, OSSL_PARAM_OCTET_PTR, 0, 0)
#define PARAM_TEXT(key) PARAM_TEXT_SINCE(0, key)
#define PARAM_TEXT_SINCE(since, key) PARAM_SPEC(key, OSSL_PARAM_UTF8_STRING, 0, since)
#define PARAM_TEXT_PTR(key) PARAM_SPEC(key, OSSL_PARAM_UTF8_PTR, 0, 0)
#define PARAM_LIST_END PARAM_SPEC("", 0, 0, 0)

/* The end of a list of OSSL_PARAM. */
#define PARAM_END           \
    {                       \
        NULL, 0, NULL, 0, 0 \
    }
#define PARAM_NONE SIZE_MAX

#endif
