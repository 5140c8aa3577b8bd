/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the bench `timing` share this; timing.c says what it measures. */
#ifndef HR_BENCH_TIMING_H
#define HR_BENCH_TIMING_H

#include <stddef.h>
#include <stdint.h>

enum { MOST_LIMBS = 32 };

/* must ends the program unless something is good. */
void must(int good, const char *what);
/* any_word returns a pseudorandom number. */
uint64_t any_word(void);
/* fill writes num words of a class: 0 is the fixed one, of the word `low` and zeros. */
void fill(uint64_t *to, size_t num, int class, uint64_t low);
/* test times `run` num times, each time with a secret of one of two classes, which `secret` writes
 * into memory that both share, and prints a row of t. */
void test(const char *name, const char *what, void secret(int class), void run(void), size_t num);

/* Each prints the rows of its subject, of num calls each. */
void test_powers(size_t num);
void test_rsa(size_t num);
void test_control(size_t num); /* leaks */
void test_ffc(size_t num);
void test_curve25519(size_t num);
void test_curves(size_t num);
void test_slhdsa(size_t num);

#endif
