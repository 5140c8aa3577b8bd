/* SPDX-License-Identifier: Apache-2.0 */
/* crypto_mb [TURNS]: powers in lanes alone, ours and those of crypto_mb of Intel's Cryptography
 * Primitives Library, which LD_LIBRARY_PATH finds, in turns: us of thread CPU time of eight numbers
 * at once, medians over TURNS (51), and the median of their ratios, above 1 in our favour.  A row
 * of RSA is both powers of eight private operations; crypto_mb's also joins them. */
#include "bignum/mont_lanes.h"
#include "bignum/mont_power.h"
#include "median.h"
#include <dlfcn.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LANES = 8, LIMBS = 64, MOST_TURNS = 1001 };

typedef uint64_t numbers[LANES][LIMBS];
typedef const uint64_t *const words[LANES];

static struct {
    uint32_t (*power)(uint64_t *const out[LANES], words base, words exponent, int exponent_bits,
                      words modulus, int bits, uint8_t *memory, int memory_len);
    int (*power_memory)(int bits);
    uint32_t (*rsa)(const uint8_t *const from[LANES], uint8_t *const to[LANES], words p, words q,
                    words dp, words dq, words iq, int bits, const void *method, uint8_t *memory);
    const void *(*rsa_method)(int bits);
    int (*rsa_memory)(const void *method);
} mb;

static numbers modulus[2], base[2], exponent[2], r2[2], ours[2], theirs;
static struct mont_lane lane[2][LANES];
static uint8_t input[LIMBS * 8], output[LANES][LIMBS * 8];
static uint64_t inverse[LIMBS];
static uint8_t *memory;
static int memory_len, bits;
static const void *method;

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "crypto_mb: %s failed\n", what);
        exit(1);
    }
}

static void open_library(void)
{
    static const struct {
        const char *name;
        void *to;
    } functions[] = { { "mbx_exp_mb8", &mb.power },
                      { "mbx_exp_BufferSize", &mb.power_memory },
                      { "mbx_rsa_private_crt_mb8", &mb.rsa },
                      { "mbx_RSA_private_crt_Method", &mb.rsa_method },
                      { "mbx_RSA_Method_BufSize", &mb.rsa_memory } };
    void *library = dlopen("libcrypto_mb.so.13", RTLD_NOW);
    if (!library)
        library = dlopen("libcrypto_mb.so.11", RTLD_NOW);
    must(library != NULL, "opening libcrypto_mb");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(library, functions[i].name);
        must(found != NULL, functions[i].name);
        memcpy(functions[i].to, &found, sizeof found);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void point(const uint64_t *to[LANES], numbers from)
{
    for (size_t l = 0; l < LANES; l++)
        to[l] = from[l];
}

/* ---- numbers ---- */

static void put(uint64_t *to, const BIGNUM *x)
{
    must(BN_bn2lebinpad(x, (uint8_t *)to, LIMBS * 8) > 0, "a number");
}

static void set_lane(size_t half, size_t l, size_t limbs)
{
    mont_init(&lane[half][l].m, modulus[half][l], limbs, r2[half][l]);
    lane[half][l].z = ours[half][l];
    lane[half][l].x = base[half][l];
    lane[half][l].e = exponent[half][l];
    lane[half][l].e_bits = 64 * limbs;
}

static void set_powers(int num_bits)
{
    BIGNUM *x = BN_new();
    for (size_t l = 0; l < LANES; l++) {
        must(BN_rand(x, num_bits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD), "BN_rand");
        put(modulus[0][l], x);
        must(BN_rand(x, num_bits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY), "BN_rand");
        put(exponent[0][l], x);
        must(BN_rand(x, num_bits - 1, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY), "BN_rand");
        put(base[0][l], x);
        set_lane(0, l, (size_t)num_bits / 64);
    }
    BN_free(x);
    bits = num_bits;
    memory_len = mb.power_memory(bits);
}

static void set_key(int num_bits)
{
    static const char *const names[] = { "rsa-factor1", "rsa-exponent1", "rsa-factor2",
                                         "rsa-exponent2", "rsa-coefficient1" };
    BIGNUM *part[5] = { NULL }, *x = BN_new(), *rest = BN_new();
    BN_CTX *ctx = BN_CTX_new();
    EVP_PKEY *key = EVP_RSA_gen((unsigned)num_bits);
    for (size_t i = 0; i < 5; i++)
        must(key && EVP_PKEY_get_bn_param(key, names[i], &part[i]), names[i]);
    must(BN_rand(x, num_bits - 1, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) &&
             BN_bn2binpad(x, input, num_bits / 8) > 0,
         "BN_rand");
    put(inverse, part[4]);
    for (size_t half = 0; half < 2; half++)
        for (size_t l = 0; l < LANES; l++) {
            put(modulus[half][l], part[2 * half]);
            put(exponent[half][l], part[2 * half + 1]);
            must(BN_mod(rest, x, part[2 * half], ctx), "BN_mod");
            put(base[half][l], rest);
            set_lane(half, l, (size_t)num_bits / 128);
        }
    for (size_t i = 0; i < 5; i++)
        BN_free(part[i]);
    BN_free(x);
    BN_free(rest);
    BN_CTX_free(ctx);
    EVP_PKEY_free(key);
    bits = num_bits;
    method = mb.rsa_method(bits);
    memory_len = mb.rsa_memory(method);
}

/* ---- what is timed ---- */

static void our_powers(int halves)
{
    const size_t limbs = lane[0][0].m.num;
    const struct mont_lanes_kernel *const kernel = mont_lanes_kernel(limbs, LANES, 0);
    for (int half = 0; half < halves; half++)
        for (size_t l = 0; l < LANES; l += kernel->lanes)
            mont_lanes_run(kernel, lane[half] + l, kernel->lanes);
}

static void their_powers(void)
{
    const uint64_t *x[LANES], *e[LANES], *m[LANES];
    uint64_t *z[LANES];
    point(x, base[0]);
    point(e, exponent[0]);
    point(m, modulus[0]);
    for (size_t l = 0; l < LANES; l++)
        z[l] = theirs[l];
    must(!mb.power(z, x, e, bits, m, bits, memory, memory_len), "mbx_exp_mb8");
}

static void their_rsa(void)
{
    const uint64_t *p[LANES], *q[LANES], *dp[LANES], *dq[LANES], *iq[LANES];
    const uint8_t *from[LANES];
    uint8_t *to[LANES];
    point(p, modulus[0]);
    point(dp, exponent[0]);
    point(q, modulus[1]);
    point(dq, exponent[1]);
    for (size_t l = 0; l < LANES; l++) {
        iq[l] = inverse;
        from[l] = input;
        to[l] = output[l];
    }
    must(!mb.rsa(from, to, p, q, dp, dq, iq, bits, method, memory), "mbx_rsa_private_crt_mb8");
}

static void compare(int halves)
{
    BIGNUM *x = BN_new(), *m = BN_new(), *rest = BN_new();
    BN_CTX *ctx = BN_CTX_new();
    for (int half = 0; half < halves; half++)
        for (size_t l = 0; l < LANES; l++) {
            const size_t len = 8 * lane[half][l].m.num;
            must(halves == 2 || !memcmp(ours[0][l], theirs[l], len), "a comparison");
            BN_bin2bn(output[l], bits / 8, x);
            BN_lebin2bn((uint8_t *)modulus[half][l], (int)len, m);
            BN_mod(rest, x, m, ctx);
            BN_lebin2bn((uint8_t *)ours[half][l], (int)len, m);
            must(halves == 1 || !BN_cmp(rest, m), "a comparison");
        }
    BN_free(x);
    BN_free(m);
    BN_free(rest);
    BN_CTX_free(ctx);
}

static void line(const char *name, int halves, size_t turns)
{
    static double a[MOST_TURNS], b[MOST_TURNS], ratio[MOST_TURNS];
    memory = malloc((size_t)memory_len);
    must(memory != NULL, "memory");
    for (size_t t = 0; t < turns; t++) {
        double before = now();
        our_powers(halves);
        a[t] = now() - before;
        before = now();
        halves == 1 ? their_powers() : their_rsa();
        b[t] = now() - before;
        ratio[t] = b[t] / a[t];
    }
    compare(halves);
    printf("%5s %4d %9.1f %9.1f %7.2f\n", name, bits, median(a, turns), median(b, turns),
           median(ratio, turns));
    fflush(stdout);
    free(memory);
}

int main(int argc, char **argv)
{
    const int asked = argc > 1 ? atoi(argv[1]) : 51;
    const size_t turns = asked < 1 ? 1 : asked > MOST_TURNS ? MOST_TURNS : (size_t)asked;
    open_library();
    printf("%10s %9s %9s %7s\n", "bits", "ours", "theirs", "ratio");
    for (int i = 1; i <= 4; i++) {
        set_powers(1024 * i);
        line("power", 1, turns);
    }
    for (int i = 1; i <= 4; i++) {
        set_key(1024 * i);
        line("RSA", 2, turns);
    }
    return 0;
}
