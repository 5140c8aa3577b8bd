/* SPDX-License-Identifier: Apache-2.0 */
/* The object identifiers of NIST's digests, 2.16.840.1.101.3.4.2.x (NIST's Computer Security
 * Objects Register): X(row, x) for each digest, and the content of the identifier in DER. */
#ifndef HR_OIDS_H
#define HR_OIDS_H

#define NIST_DIGESTS(X) \
    X(HR_SHA256, 1)     \
    X(HR_SHA384, 2)     \
    X(HR_SHA512, 3)     \
    X(HR_SHA224, 4)     \
    X(HR_SHA512_224, 5) \
    X(HR_SHA512_256, 6) \
    X(HR_SHA3_224, 7) X(HR_SHA3_256, 8) X(HR_SHA3_384, 9) X(HR_SHA3_512, 10)
#define NIST_XOFS(X) X(HR_SHAKE128, 11) X(HR_SHAKE256, 12)
#define NIST_DIGEST_OID(x) 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, x
enum { NIST_OID_LEN = 9 };

#endif
