/* SPDX-License-Identifier: Apache-2.0 */
/* References to named keys of the accelerator's service: a key's name and its public key, in DER:
 * SEQUENCE { INTEGER 1, UTF8String name, SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7) }. */
#ifndef HR_PROVIDER_REFERENCE_H
#define HR_PROVIDER_REFERENCE_H

#include <headrace/headrace.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REFERENCE_NAME = 64,   /* a name, with its final 0 */
    REFERENCE_MAX = 4096,  /* a SubjectPublicKeyInfo; ML-DSA-87's has 2,614 bytes */
    REFERENCE_ROOM = 4224, /* a whole reference */
    RSA_MOST_BITS = 4096,  /* of keys that the service keeps */
};

struct reference_bytes {
    const uint8_t *at;
    size_t len;
};

/* struct reference points into the bytes that it was made of. */
struct reference {
    char name[REFERENCE_NAME];
    struct reference_bytes spki;
    hr_alg alg;    /* a row of signatures or of RSA */
    unsigned bits; /* of RSA's modulus */
    /* RSA: the modulus and the public exponent; else the bits of the public key, and nothing */
    struct reference_bytes public, exponent;
};

/* reference_parse returns 1; or 0 if the bytes are not a reference in DER and nothing else, or the
 * key is of an algorithm that the service has no named keys for. */
int reference_parse(struct reference *out, const uint8_t *der, size_t len);
/* reference_name_is_fine tells whether a key may have this name: letters, digits, dots, underscores
 * and hyphens, with no dot in front. */
int reference_name_is_fine(const char *name, size_t len);
/* reference_write writes a reference, at most REFERENCE_ROOM bytes, and returns its length; 0: the
 * name or the public key is too long. */
size_t reference_write(uint8_t out[REFERENCE_ROOM], const char *name, const uint8_t *spki,
                       size_t spki_len);

#endif
