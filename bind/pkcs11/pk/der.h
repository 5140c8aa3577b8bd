/* SPDX-License-Identifier: Apache-2.0 */
/* DER (X.690), as far as private keys need it. */
#ifndef HR_P11_DER_H
#define HR_P11_DER_H

#include <headrace/number.h>
#include <stdbool.h>

enum der_tag {
    DER_INTEGER = 0x02,
    DER_BIT_STRING = 0x03,
    DER_OCTET_STRING = 0x04,
    DER_NULL = 0x05,
    DER_OID = 0x06,
    DER_UTF8_STRING = 0x0c,
    DER_PRINTABLE_STRING = 0x13,
    DER_SEQUENCE = 0x30,
    DER_CONTEXT = 0x80, /* [0], with what it has in place of its own tag */
};

/* A writer begins at the end of a buffer, because each length stands before what it counts. */
struct der_writer {
    uint8_t *begin, *at; /* what is written begins at `at` */
    bool full;           /* something had no room */
};
void der_put(struct der_writer *w, const void *bytes, size_t len);
/* der_wrap puts a tag and a length before all that was written since `at` was `end`. */
void der_wrap(struct der_writer *w, uint8_t tag, const uint8_t *end);
/* der_string puts bytes under a tag, der_integer a number that is not negative. */
void der_string(struct der_writer *w, uint8_t tag, const struct hr_number *bytes);
void der_integer(struct der_writer *w, const struct hr_number *n);

/* A reader takes one element after the other.  What is wrong makes it fail for good. */
struct der_reader {
    const uint8_t *at, *end;
    bool failed;
};
static inline struct der_reader der_read(struct hr_number from)
{
    return (struct der_reader){ from.bytes, from.bytes + from.len, false };
}
/* der_take returns the contents of the next element, which must have this tag. */
struct hr_number der_take(struct der_reader *r, uint8_t tag);
/* der_take_integer returns a number that is not negative. */
struct hr_number der_take_integer(struct der_reader *r);
/* der_peek returns the tag of the next element, or 0. */
uint8_t der_peek(const struct der_reader *r);
/* der_ended returns whether all was read, and nothing was wrong. */
bool der_ended(const struct der_reader *r);

#endif
