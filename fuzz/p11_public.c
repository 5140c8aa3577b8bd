/* SPDX-License-Identifier: Apache-2.0 */
/* Public keys that a service sends to the PKCS#11 module: any bytes are refused, or say a key that
 * lies within them, of the row that was asked for; with a byte more or less they are none. */
#include "../bind/pkcs11/accel/public.h"
#include "fuzz.h"
#include <headrace/algorithms.h>

static const hr_alg algs[] = { HR_RSA2048, HR_ECDSA_P256, HR_ECDSA_P384, HR_ECDSA_P521,
                               HR_ED25519, HR_MLDSA44,    HR_SHA256 };

static void check_inside(struct bytes bytes, const uint8_t *der, size_t len)
{
    CHECK(!bytes.len || (bytes.at >= der && bytes.at + bytes.len <= der + len));
}

static void parse(hr_alg alg, const uint8_t *der, size_t len)
{
    struct public_key key;
    if (!public_parse(&key, alg, der, len))
        return;
    check_inside(key.bytes, der, len);
    check_inside(key.n, der, len);
    check_inside(key.e, der, len);
    CHECK(key.alg == alg && key.curve.len <= 21 && hr_algorithm(alg)->cls != HR_CLASS_DIGEST);
    CHECK((key.type == CKK_RSA) == (key.n.len && key.e.len && *key.n.at && *key.e.at));
    CHECK(key.type == CKK_RSA || key.bytes.len == hr_algorithm(alg)->public_len);
    CHECK(!public_parse(&key, alg, der, len - 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1); /* its exact size, so that a read behind its end is found */
    CHECK(copy != NULL);
    memcpy(copy + 1, data, size);
    for (size_t i = 0; i < COUNT(algs); i++)
        parse(algs[i], copy + 1, size);
    free(copy);
    return 0;
}
