/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the PKCS#11 module have in common: the module as a caller loads it, templates,
 * and results with names. */
#ifndef HR_TEST_P11_H
#define HR_TEST_P11_H

#include "test.h"
#include <pkcs11.h>

typedef CK_FUNCTION_LIST_3_2 functions;

/* ---- the module ---- */

/* p11 has the functions of the module that module_load loaded; the calls below use it. */
extern const functions *p11;
/* module_load loads a module and gets its functions; NULL: there is none, and why is printed.
 * Modules that know only 2.40 have NULL for newer functions. */
const functions *module_load(const char *path, void **library);
/* module_begin loads the module under test and initialises it, or ends the program. */
void module_begin(const char *path);
/* module_end finalises it. */
void module_end(void);
/* session_open opens a session that may write, in the first slot, or ends the program. */
CK_SESSION_HANDLE session_open(void);
void session_close(CK_SESSION_HANDLE session);
/* has_mechanism tells whether the first slot has a mechanism. */
int has_mechanism(CK_MECHANISM_TYPE type);

/* ---- results ---- */

const char *rv_name(CK_RV rv);
/* EXPECT complains when a call returns something else, and returns whether it did not. */
#define EXPECT(expected, call) expect_rv(expected, call, #call, __LINE__)
int expect_rv(CK_RV expected, CK_RV rv, const char *call, int line);
/* REQUIRE ends the program where nothing that follows can be right. */
#define REQUIRE(call) require_rv(call, #call, __LINE__)
void require_rv(CK_RV rv, const char *call, int line);

/* ---- templates ---- */

enum { MAX_LIST = 32 };
struct list {
    CK_ULONG num;
    CK_ATTRIBUTE list[MAX_LIST];
    CK_ULONG numbers[MAX_LIST]; /* values that the template owns */
    CK_BBOOL bools[MAX_LIST];
    uint8_t owns[MAX_LIST];
};
void put_bytes(struct list *t, CK_ATTRIBUTE_TYPE type, const void *bytes, size_t len);
void put_number(struct list *t, CK_ATTRIBUTE_TYPE type, CK_ULONG number);
void put_bool(struct list *t, CK_ATTRIBUTE_TYPE type, int value);
/* put_secret adds what a secret key needs; a value of NULL is left out. */
void put_secret(struct list *t, CK_KEY_TYPE type, const void *value, size_t len);
void put_all(struct list *t, const struct list *more);
/* bools_of makes a template of attributes that are true, or NOT(type), false. */
#define NOT(type) ((type) | (UINT64_C(1) << 62))
#define BOOLS(...)                                       \
    bools_of((const CK_ATTRIBUTE_TYPE[]){ __VA_ARGS__ }, \
             COUNT_OF(((const CK_ATTRIBUTE_TYPE[]){ __VA_ARGS__ })))
struct list bools_of(const CK_ATTRIBUTE_TYPE *types, size_t num);
/* pointed returns the attributes of a template, as calls want them. */
CK_ATTRIBUTE *pointed(struct list *t);

/* ---- objects ---- */

CK_RV create(CK_SESSION_HANDLE session, struct list t, CK_OBJECT_HANDLE *object);
/* key_of makes a secret key with the attributes of `more` beside, or ends the program. */
CK_OBJECT_HANDLE key_of(CK_SESSION_HANDLE session, CK_KEY_TYPE type, const void *value, size_t len,
                        struct list more);
CK_RV generate(CK_SESSION_HANDLE session, CK_MECHANISM_TYPE type, size_t len, struct list more,
               CK_OBJECT_HANDLE *key);
CK_RV copy(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, struct list t,
           CK_OBJECT_HANDLE *out);
CK_RV set(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, struct list t);
/* get_bool returns an attribute, or -1. */
int get_bool(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE_TYPE type);
/* get_value reads the value of a key. */
CK_RV get_value(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, void *out, CK_ULONG *len);
/* num_found returns how many objects match a template. */
CK_ULONG num_found(CK_SESSION_HANDLE session, struct list t);
void destroy(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object);

#endif
