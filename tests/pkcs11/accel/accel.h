/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of the test of the accelerator's slot. */
#ifndef HR_TEST_PKCS11_ACCEL_H
#define HR_TEST_PKCS11_ACCEL_H

#include "../../accel/custody.h"
#include "../p11.h"

enum { SLOT = 1, ROOM = 8192, LONG = 600000 }; /* LONG: ms, for a machine under load */

/* ---- accel_module.c: the module that is tested ---- */

void slot_begin(const char *module);
/* slot_end unloads the module. */
void slot_end(void);
/* is complains of another result than `want`. */
void is(CK_RV want, CK_RV got, const char *what);
/* slots complains of another number of slots. */
void slots(CK_ULONG want);
CK_SESSION_HANDLE open_session(void);
CK_SESSION_HANDLE open_with(CK_FLAGS flags);
/* write_text writes a key's file. */
void write_text(const char *name, const char *text);
/* completed waits for the result of a function that has returned CKR_PENDING. */
CK_RV completed(CK_SESSION_HANDLE session, CK_RV rv, const char *function, CK_ULONG *len);
/* find returns the first object of a class and, if it is not NULL, a label, and sets *num. */
CK_OBJECT_HANDLE find(CK_SESSION_HANDLE session, CK_OBJECT_CLASS cls, const char *label,
                      CK_ULONG *num);
/* key_named returns the one object of a class and label. */
CK_OBJECT_HANDLE key_named(CK_SESSION_HANDLE session, CK_OBJECT_CLASS cls, const char *label);
CK_RV sign(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key, CK_MECHANISM mechanism, const void *in,
           size_t len, uint8_t sig[ROOM], CK_ULONG *sig_len);
CK_RV verify(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key, CK_MECHANISM mechanism,
             const void *in, size_t len, uint8_t *sig, CK_ULONG sig_len);

/* ---- accel_async.c ---- */

void check_pending(void);

/* ---- accel_life.c ---- */

#define FIRST                                                    \
    "algorithm = Ed25519\nuse = sign\nuid = 0-70000\nprivate = " \
    "000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f\n"

void check_without_service(void);
void check_secret_keys(void);
void check_modes(void);
void check_taken_away(void);
void check_rotation(void);
void check_restarts(void);
void check_fork(void);
void check_end(void);

void check_messages(void); /* accel_messages.c */

#endif
