/* SPDX-License-Identifier: Apache-2.0 */
/* "openssl speed" with keys of our PKCS#11 module, by pkcs11-provider. */
#ifndef MEASURE_P11_OPENSSL_SPEED_H
#define MEASURE_P11_OPENSSL_SPEED_H

#include "../speed.h"

enum { OPENSSL_SPEED_LINES = 8 };

/* A line has the operations a second of OpenSSL's program, with the default provider and with
 * pkcs11-provider. */
struct openssl_speed_line {
    const struct hr_algorithm *row;
    const char *operation;
    double plain, pkcs11;
};

struct openssl_speed {
    struct openssl_speed_line lines[OPENSSL_SPEED_LINES];
    size_t num; /* 0: nothing was measured */
};

/* openssl_speed_run measures those of the rows whose keys the program generates, each operation for
 * a second and once more, with a token of its own in a temporary folder.  Where pkcs11-provider or
 * the program is not there, or either of them fails, nothing is measured. */
void openssl_speed_run(struct openssl_speed *speed, const struct speed_rows *rows,
                       const struct sides *sides, const char *module);

#endif
