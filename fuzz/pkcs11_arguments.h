/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of PKCS#11 calls that an input of the fuzzer describes.  Each lies in memory of its own
 * length, so that a sanitizer sees what is read or written beyond it. */
#ifndef HR_FUZZ_PKCS11_ARGUMENTS_H
#define HR_FUZZ_PKCS11_ARGUMENTS_H

#include "fuzz.h"
#include <pkcs11.h>

/* own_bytes returns memory with bytes of the input, until the arguments are freed; NULL if the
 * input wants that, and then *len is any number. */
CK_BYTE *own_bytes(struct input *in, CK_ULONG *len);
CK_BYTE *own_copy(const void *bytes, size_t len);
/* own_room returns memory for a result. */
CK_BYTE *own_room(struct input *in, CK_ULONG *len);
/* own_mechanism returns a mechanism, of which the parameter may be wrong; or NULL. */
CK_MECHANISM *own_mechanism(struct input *in);
/* own_template returns attributes for a new object, or for anything else. */
CK_ATTRIBUTE *own_template(struct input *in, CK_ULONG *num);
void arguments_free(void);
/* salt_key is the object that parameters name. */
extern CK_OBJECT_HANDLE salt_key;

#endif
