/* SPDX-License-Identifier: Apache-2.0 */
/* The PEM form of references (RFC 7468), line by line. */
#ifndef HR_PROVIDER_REFERENCE_PEM_H
#define HR_PROVIDER_REFERENCE_PEM_H

#include "reference.h"

enum reference_line {
    REFERENCE_OUTSIDE, /* of any PEM text */
    REFERENCE_INSIDE,
    REFERENCE_DONE,  /* `der` has all bytes */
    REFERENCE_OTHER, /* PEM text with another label begins */
    REFERENCE_BAD,
};

struct reference_pem {
    int inside, digits, padding; /* digits of the group of four that has begun */
    uint32_t bits;
    size_t len;
    uint8_t der[REFERENCE_ROOM];
};

/* reference_pem_line takes the next line, whose spaces and ends of line at its end do not matter.
 * The struct is zeros before the first one. */
enum reference_line reference_pem_line(struct reference_pem *pem, const char *line, size_t len);

#endif
