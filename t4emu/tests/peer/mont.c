/* SPDX-License-Identifier: Apache-2.0 */
/* Montgomery products that are multiples of the modulus, by OpenSSL's T4 assembly: n = p q, and
 * factors that are multiples of p and of q. Then the sum before the final subtraction is n itself,
 * and the result must be 0. No test of OpenSSL's own has such factors. */
#include "peer.h"
#include <openssl/bn.h>

enum { TIMES = 8 };

static void must(int good)
{
    if (!good)
        abort();
}

/* An odd number of so many bits; the two highest are set. */
static BIGNUM *odd(int bits)
{
    uint8_t bytes[256];
    random_bytes(bytes, sizeof bytes);
    BIGNUM *x = BN_bin2bn(bytes, bits / 8, NULL);
    must(x && BN_set_bit(x, bits - 1) && BN_set_bit(x, bits - 2) && BN_set_bit(x, 0));
    return x;
}

/* Returns a multiple of p that is less than n and has as many words. */
static BIGNUM *multiple(const BIGNUM *p, const BIGNUM *n)
{
    BIGNUM *x = BN_dup(p);
    must(x && BN_lshift(x, x, BN_num_bits(n) - BN_num_bits(p) - 1) && BN_add(x, x, p) &&
         BN_ucmp(x, n) < 0);
    return x;
}

/* Returns whether a product of multiples of p and q is 0 modulo n = p q of so many bits. */
static int is_zero(int bits, BN_CTX *ctx)
{
    BIGNUM *p = odd(bits / 2), *q = odd(bits / 2), *n = BN_new(), *out = BN_new();
    BN_MONT_CTX *mont = BN_MONT_CTX_new();
    must(n && out && mont && BN_mul(n, p, q, ctx) && BN_MONT_CTX_set(mont, n, ctx));
    BIGNUM *a = multiple(p, n), *b = multiple(q, n);
    must(BN_mod_mul_montgomery(out, a, b, mont, ctx));
    const int zero = BN_is_zero(out);
    BN_MONT_CTX_free(mont);
    for (BIGNUM **x = (BIGNUM *[]){ p, q, n, out, a, b, NULL }; *x; x++)
        BN_free(*x);
    return zero;
}

int main(void)
{
    BN_CTX *ctx = BN_CTX_new();
    must(ctx != NULL);
    for (int bits = 512; bits <= 2048; bits += 512) {
        unsigned wrong = 0;
        for (unsigned i = 0; i < TIMES; i++)
            wrong += !is_zero(bits, ctx);
        tap(!wrong, "%d bits: %u of %u products that are multiples of the modulus are not 0", bits,
            wrong, TIMES);
    }
    BN_CTX_free(ctx);
    return tap_done();
}
