/* SPDX-License-Identifier: Apache-2.0 */
/* The curves of SP 800-186 section 3.2.1 that the library has.  Cofactors are 1, so that each point
 * of a curve but the one at infinity has the curve's order. */
#include "ec.h"
#include <headrace/algorithms.h>
#include <stdlib.h>
#include <strings.h>

static const struct ec_curve curves[NUM_EC_CURVES] = {
    { "prime256v1",
      "P-256",
      HR_ECDSA_P256,
      HR_ECDH_P256,
      INDEX_ecdsa_p256,
      INDEX_ecdh_p256,
      32,
      72,
      256,
      128,
      { 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17,
        0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51 } },
    { "secp384r1",
      "P-384",
      HR_ECDSA_P384,
      HR_ECDH_P384,
      INDEX_ecdsa_p384,
      INDEX_ecdh_p384,
      48,
      104,
      384,
      192,
      { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xc7, 0x63, 0x4d, 0x81, 0xf4, 0x37, 0x2d, 0xdf, 0x58, 0x1a, 0x0d, 0xb2,
        0x48, 0xb0, 0xa7, 0x7a, 0xec, 0xec, 0x19, 0x6a, 0xcc, 0xc5, 0x29, 0x73 } },
    { "secp521r1",
      "P-521",
      HR_ECDSA_P521,
      HR_ECDH_P521,
      INDEX_ecdsa_p521,
      INDEX_ecdh_p521,
      66,
      139,
      521,
      256,
      { 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xfa, 0x51, 0x86, 0x87, 0x83, 0xbf, 0x2f, 0x96, 0x6b,
        0x7f, 0xcc, 0x01, 0x48, 0xf7, 0x09, 0xa5, 0xd0, 0x3b, 0xb5, 0xc9, 0xb8, 0x89, 0x9c,
        0x47, 0xae, 0xbb, 0x6f, 0xb7, 0x1e, 0x91, 0x38, 0x64, 0x09 } },
};

/* A curve is served if both of its rows are in the win map.  If none is, a program has asked for
 * this provider in spite of the map, and gets all. */
static void *find_served(const struct provider *provider)
{
    const char *wins = pkey_win_list(provider);
    uint8_t *served = malloc(NUM_EC_CURVES), any = 0;
    for (size_t i = 0; served && i < NUM_EC_CURVES; i++)
        any |= served[i] = win_of_provider(hr_algorithm_at(curves[i].sign_row)->symbol, wins) &&
                           win_of_provider(hr_algorithm_at(curves[i].agree_row)->symbol, wins);
    if (served && !any)
        memset(served, 1, NUM_EC_CURVES);
    return served;
}

/* ec_curve_named compares as OpenSSL does: NIST's names exactly, the others in either case. */
const struct ec_curve *ec_curve_named(const struct provider *provider, const char *name)
{
    const uint8_t *served = part_of(provider, PART_EC_CURVES, find_served);
    for (size_t i = 0; served && i < NUM_EC_CURVES; i++)
        if (!strcasecmp(curves[i].name, name) || !strcmp(curves[i].nist, name))
            return served[i] ? &curves[i] : NULL;
    return NULL;
}

int ec_curve_has_scalar(const struct ec_curve *curve, const uint8_t *scalar)
{
    unsigned borrow = 0, any = 0;
    for (size_t i = curve->bytes; i-- > 0;) {
        borrow = (scalar[i] - curve->order[i] - borrow) >> 8 & 1;
        any |= scalar[i];
    }
    return borrow && any;
}
