/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of s2n-bignum (bignum.def) under the names that they have here: hr_proven_NAME, and
 * hr_proven_NAME_alt, which runs on any CPU. Where a function has one form only, _alt is another
 * name of it, so that a table of kernels can be made of either suffix; there is none for those that
 * are marked ADX.
 *
 * Meson defines HR_PROVEN where these functions are there (internal.h: KERNEL_PROVEN_X86,
 * KERNEL_PROVEN_ARM64).
 */
#ifndef HR_PROVEN_BIGNUM_H
#define HR_PROVEN_BIGNUM_H

#include <stdint.h>

#define PROVEN_ALT_BOTH(name, result, parameters) result hr_proven_##name##_alt parameters;
#define PROVEN_ALT_NONE(name, result, parameters) \
    result hr_proven_##name##_alt parameters __asm__("hr_proven_" #name);
#define PROVEN_ALT_ADX(name, result, parameters)
#define PROVEN_ALT_X86(name, result, parameters) PROVEN_ALT_BOTH(name, result, parameters)
#define HR_PROVEN_FN(folder, name, alt, result, parameters) \
    result hr_proven_##name parameters;                     \
    PROVEN_ALT_##alt(name, result, parameters)

#pragma GCC visibility push(hidden)
#include "bignum.def"
#pragma GCC visibility pop

#endif
