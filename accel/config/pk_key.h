/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of public key by their components, as a message (control.h) or a key file (keyfile.h) has
 * them. */
#ifndef HR_PK_KEY_H
#define HR_PK_KEY_H

#include <headrace/headrace.h>
#include <headrace/number.h>

enum { PK_PARTS = 8 };

struct pk_parts {
    size_t num;
    struct hr_number at[PK_PARTS];
};

/* pk_split finds the components in the form of CONTROL_KEY_LEND.  Returns 0 or HR_EFORMAT. */
HR_MUST_CHECK int pk_split(struct pk_parts *out, const uint8_t *bytes, size_t len);
/* pk_key_size returns the size of a key of this row, or 0 if the service has no keys of it. */
size_t pk_key_size(hr_alg alg);
/* pk_key_init makes a key of its components: pk_key_size(alg) bytes, aligned to 64.  Returns 0,
 * HR_EALG, HR_EFORMAT or the error of the class's call. */
HR_MUST_CHECK int pk_key_init(void *key, hr_alg alg, const struct pk_parts *parts);
/* pk_rsa_row returns the row of RSA of the least size that `bytes` do not exceed, or the largest.
 */
hr_alg pk_rsa_row(size_t bytes);

/* pk_spki writes a key's SubjectPublicKeyInfo (RFC 5280 section 4.1) in DER.  `key` was made of
 * `parts`, of RSA or of a row of signatures.  *out_len is the size of `out`, and becomes the number
 * of bytes written.  Returns 0, HR_EALG, HR_EBUFFER or HR_ESTATE. */
HR_MUST_CHECK int pk_spki(uint8_t *out, size_t *out_len, hr_alg alg, const void *key,
                          const struct pk_parts *parts);
/* pk_reference writes the DER in a PEM block "HEADRACE KEY REFERENCE": SEQUENCE { INTEGER 1,
 * UTF8String name, SubjectPublicKeyInfo }.  Otherwise as pk_spki. */
HR_MUST_CHECK int pk_reference(uint8_t *out, size_t *out_len, const char *name, const uint8_t *spki,
                               size_t spki_len);

#endif
