/* SPDX-License-Identifier: Apache-2.0 */
/* Hexadecimal digits of keys: nothing here branches on a digit or reads a table. */
#ifndef HR_HEX_H
#define HR_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* hex_value returns the value of a digit of either case, or more than 15 for another character. */
unsigned hex_value(unsigned char c);
/* hex_read writes the out_len bytes that twice as many digits stand for.  Returns whether all were
 * digits, with letters of lower case.  `out` may lie anywhere before the digits that it replaces.
 */
bool hex_read(uint8_t *out, size_t out_len, const char *digits);
/* hex_write writes two digits for each byte, and no 0 behind them. */
void hex_write(char *out, const uint8_t *bytes, size_t len);

#endif
