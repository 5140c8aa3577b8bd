/* SPDX-License-Identifier: Apache-2.0
 *
 * Every file of s2n-bignum in AWS-LC includes a header of this name, which there gives its symbols
 * a prefix. This one gives them ours: proven_names.h, which Meson writes, has a line "#define NAME
 * hr_proven_NAME" for each function of bignum.def.
 */
#include <proven_names.h>

#define S2N_BN_HIDE_SYMBOLS

/* Second names of functions, which their files define besides */
#define bignum_frombebytes_4 hr_proven_bignum_frombebytes_4
#define bignum_fromlebytes_4 hr_proven_bignum_fromlebytes_4
#define bignum_tobebytes_4 hr_proven_bignum_tobebytes_4
#define bignum_tolebytes_4 hr_proven_bignum_tolebytes_4
#define bignum_frombebytes_6 hr_proven_bignum_frombebytes_6
#define bignum_fromlebytes_6 hr_proven_bignum_fromlebytes_6
#define bignum_tobebytes_6 hr_proven_bignum_tobebytes_6
#define bignum_tolebytes_6 hr_proven_bignum_tolebytes_6
#define curve25519_x25519_byte hr_proven_curve25519_x25519_byte
#define curve25519_x25519_byte_alt hr_proven_curve25519_x25519_byte_alt
#define curve25519_x25519base_byte hr_proven_curve25519_x25519base_byte
#define curve25519_x25519base_byte_alt hr_proven_curve25519_x25519base_byte_alt
