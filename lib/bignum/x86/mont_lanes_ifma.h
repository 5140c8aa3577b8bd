/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels by IFMA, of any width: its instructions add halves of products to integers. */
#define NUM(x) (x)
#define ADD_LOW(column, x, y) ((column) = MADD_LOW(column, x, y))
#define ADD_HIGH(column, x, y) ((column) = MADD_HIGH(column, x, y))
#define ADD_BOTH(column, next, x, y) (ADD_LOW(column, x, y), ADD_HIGH(next, x, y))
#define UNBIAS(column, lows, highs) ((void)(column), (void)(lows), (void)(highs))
#define BEGIN
#define END
