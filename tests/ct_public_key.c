/* SPDX-License-Identifier: Apache-2.0 */
/* Constant time of public key, checked by Valgrind's memcheck (ct.c). */
#include "ct.h"
#include "internal.h"
#include "test.h"
#include <valgrind/valgrind.h>

/* A message is as long as the longest digest. */
enum { MESSAGE = 64 };

static void must(int error, const char *what)
{
    if (error)
        complain("%s: %s", what, hr_strerror(error));
}

/* Runs the private operations of a row: keys are secret; public keys, signatures and the message
 * are public.  The library's CT_PUBLIC says where values become public. */
static void private_operations(const struct hr_algorithm *row)
{
    static struct hr_sign_key sign_key;
    struct hr_agree_key agree_key;
    static uint8_t out[50176];
    uint8_t message[MESSAGE];
    size_t len = sizeof out;
    random_bytes(message, sizeof message);
    if (row->cls == HR_CLASS_AGREE) {
        must(hr_agree_key_generate(&agree_key, row->alg, NULL), "generate");
        must(hr_agree_key_public(out, &len, &agree_key), "public key");
        must(hr_agree(out, &len, out, len, &agree_key), "agree");
    }
    if (row->cls == HR_CLASS_SIGN) {
        must(hr_sign_key_generate(&sign_key, row->alg, NULL), "generate");
        must(hr_sign_key_public(out, &len, &sign_key), "public key");
        len = sizeof out;
        must(hr_sign(out, &len, message, MESSAGE, &sign_key, NULL), "sign");
        must(hr_verify(out, len, message, MESSAGE, &sign_key, NULL), "verify");
    }
}

/* Runs a row with the best kernels for valgrind's CPU, and with those for a CPU without features.
 */
void ct_public_key(const struct hr_algorithm *row)
{
    const uint64_t have = hr_cpu_features();
    /* Lattices have keys of many KiB. */
    if (row->cls == HR_CLASS_KEM || hr_sign_key_size(row->alg) > 8192) {
        tap_skip("the test ct_lattice runs it", "%s", row->name);
        return;
    }
    if (signs_slowly(row)) {
        tap_skip("it signs slowly, by the code of a faster row", "%s", row->name);
        return;
    }
    for (int i = 0; i < 2; i++) {
        const unsigned before = VALGRIND_COUNT_ERRORS;
        cpu_override(i ? 0 : have);
        private_operations(row);
        cpu_override(have);
        if (VALGRIND_COUNT_ERRORS != before)
            complain("%u branches or addresses depend on a secret", VALGRIND_COUNT_ERRORS - before);
        tap(!complaints_so_far(), "%s, %s: ran", row->name, i ? "no CPU feature" : "best kernels");
    }
}
