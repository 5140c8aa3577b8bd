/* SPDX-License-Identifier: Apache-2.0 */
/* A writer of DER (X.690).  It begins at the end of a buffer, because each length stands before
 * what it counts. */
#ifndef HR_DER_H
#define HR_DER_H

#include <headrace/number.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum der_tag {
    DER_INTEGER = 0x02,
    DER_BIT_STRING = 0x03,
    DER_OCTET_STRING = 0x04,
    DER_OID = 0x06,
    DER_UTF8_STRING = 0x0c,
    DER_PRINTABLE_STRING = 0x13,
    DER_IA5_STRING = 0x16,
    DER_SEQUENCE = 0x30,
    DER_SET = 0x31,
    DER_CONTEXT = 0xa0, /* [0], constructed */
};

struct der {
    uint8_t *begin, *at, *end; /* what is written lies from `at` to `end` */
    bool full;                 /* something had no room */
};

struct der der_begin(uint8_t *out, size_t len);
void der_put(struct der *d, const void *bytes, size_t len);
void der_byte(struct der *d, size_t byte);
/* der_wrap puts a tag and a length before all that was written since `at` was `end`. */
void der_wrap(struct der *d, uint8_t tag, const uint8_t *end);
/* der_integer puts an INTEGER that is not negative. */
void der_integer(struct der *d, const struct hr_number *n);
/* der_string puts bytes under a tag. */
void der_string(struct der *d, uint8_t tag, const void *bytes, size_t len);
/* der_finish moves all to the beginning of the buffer.  Returns 0 or HR_EBUFFER. */
int der_finish(struct der *d, uint8_t *out, size_t *out_len);

#endif
