/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of keys of RSA, DSA and DH.
 */
#ifndef HEADRACE_NUMBER_H
#define HEADRACE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* A big-endian number of `len` bytes, which may have leading zeros. */
struct hr_number {
    const uint8_t *bytes;
    size_t len;
};

#endif
