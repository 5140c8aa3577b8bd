/* SPDX-License-Identifier: Apache-2.0 */
/* Published vectors through the calls of the PKCS#11 module. */
#ifndef HR_TEST_P11_MODULE_VECTORS_H
#define HR_TEST_P11_MODULE_VECTORS_H

#include "../../vectors/vectors.h"
#include "../p11.h"

extern CK_SESSION_HANDLE s;

/* The mechanism and the type of keys of rows whose symbols begin and end so. */
struct way {
    const char *begin, *end, *op;
    CK_MECHANISM_TYPE type;
    CK_KEY_TYPE key_type;
    enum vector_end (*run)(const struct vector *v, const struct way *way);
    CK_ULONG parameter; /* a parameter set, or the place of a curve */
    const char *no;     /* why such cases are skipped */
};

enum vector_end skip(const char *reason);
/* import makes an object of a case's key, whose parts are in the template; 0: it is refused, which
 * is a complaint if the case must work. */
CK_OBJECT_HANDLE import(const struct vector *v, struct list t, const char *what);
/* judge complains unless a case's call did what its result says, and gave out these bytes. */
void judge(const struct vector *v, const char *how, CK_RV rv, const uint8_t *out, size_t len,
           const struct bytes *wanted);

/* symmetric.c */
enum vector_end run_p11_digest(const struct vector *v, const struct way *way);
enum vector_end run_p11_hmac(const struct vector *v, const struct way *way);
enum vector_end run_p11_cmac(const struct vector *v, const struct way *way);
enum vector_end run_p11_gmac(const struct vector *v, const struct way *way);
enum vector_end run_p11_cipher(const struct vector *v, const struct way *way);
enum vector_end run_p11_aead(const struct vector *v, const struct way *way);
enum vector_end run_p11_wrap(const struct vector *v, const struct way *way);

/* public.c */
enum vector_end run_p11_agree(const struct vector *v, const struct way *way);
enum vector_end run_p11_sign(const struct vector *v, const struct way *way);
enum vector_end run_p11_verify(const struct vector *v, const struct way *way);
enum vector_end run_p11_decapsulate(const struct vector *v, const struct way *way);

#endif
