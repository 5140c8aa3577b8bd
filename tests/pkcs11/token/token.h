/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the tests of a token with PINs. */
#ifndef HR_TEST_P11_TOKEN_H
#define HR_TEST_P11_TOKEN_H

#include "p11.h"

#define NOTHING ((struct list){ 0 })
#define RIGHT_PIN "1234"
#define WRONG_PIN "4321"
#define SO_PIN "the SO's"

/* s is a session of the token, whose user has logged in when a test begins and when it ends. */
extern CK_SESSION_HANDLE s;
extern const uint8_t value[64];
extern CK_BYTE iv[16];
extern CK_MECHANISM cbc_pad;

/* become logs in as CKU_SO or CKU_USER, or logs out (NOBODY), whoever was logged in before. */
#define NOBODY (~(CK_USER_TYPE)0)
void become(CK_USER_TYPE who);
CK_RV login_again(CK_SESSION_HANDLE session, const char *pin);
/* new_process finalises the module and begins anew, with nobody logged in. */
void new_process(void);
/* trusted_key makes a key of the session that the security officer trusts. */
CK_OBJECT_HANDLE trusted_key(CK_KEY_TYPE type, const void *bytes, size_t len, struct list more);
/* unwrap_as unwraps a key of a type. */
CK_RV unwrap_as(CK_MECHANISM *mechanism, CK_OBJECT_HANDLE by, const CK_BYTE *wrapped, CK_ULONG len,
                struct list t, CK_KEY_TYPE type, CK_OBJECT_HANDLE *key);

void test_trusted(void); /* trusted.c */
void test_asks(void);    /* asks.c */
void test_weaker(void);  /* weaker.c */
void test_counted(void); /* counted.c */
void test_logins(void);  /* logins.c */

#endif
