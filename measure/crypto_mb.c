/* SPDX-License-Identifier: Apache-2.0 */
/* Its calls are those of the reference of Intel's Cryptography Primitives Library, "Multi-buffer
 * cryptography": arrays have a pointer for each of eight lanes, numbers are words of 64 bits, the
 * least significant first, and the result has four bits of status for each lane. */
#include "crypto_mb.h"
#include "speed_numbers.h"
#include <dlfcn.h>
#include <headrace/algorithms.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 8, WORDS = 64, NUMBERS = 5, MOST = 8 * WORDS };

struct crypto_mb {
    const struct operation *op;
    const struct direct *direct;
    void *function;
    size_t num;
    int bits;
    const void *method; /* of RSA */
    uint8_t *memory;    /* for the function's own use */
    int memory_len;
    const uint8_t
        *expected; /* what each lane's output must be; NULL: no output, or any signature */
    size_t expected_len, half; /* half: of a signature, where its second part begins */
    uint64_t number[NUMBERS][WORDS];
    uint8_t in[MOST], sig[MOST], private[MOST], out[LANES][MOST];
    const uint64_t *numbers[NUMBERS][LANES];
    const uint8_t *ins[LANES], *firsts[LANES], *seconds[LANES], *privates[LANES], *publics[LANES];
    uint8_t *outs[LANES], *halves[LANES];
    uint32_t lens[LANES]; /* of messages */
    uint32_t status;
    bool failed;
};

typedef const uint8_t *const in_bytes[LANES];
typedef const uint64_t *const in_words[LANES];
typedef uint8_t *const out_bytes[LANES];

/* ---- the library ---- */

static void *symbol(const char *name)
{
    static const char *const names[] = { "libcrypto_mb.so.13", "libcrypto_mb.so.12",
                                         "libcrypto_mb.so.11", "libcrypto_mb.so" };
    static void *library;
    for (size_t i = 0; !library && i < COUNT(names); i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : NULL;
}

/* Whether this CPU has what it needs, and HEADRACE_CPU lets us use that. */
static bool fits(void)
{
    int (*const applicable)(uint64_t features) =
        (int (*)(uint64_t))symbol("mbx_is_crypto_mb_applicable");
    const struct hr_cpu_feature *f;
    for (size_t i = 0; (f = hr_cpu_feature_at(i)); i++)
        if (!strcmp(f->name, "avx512ifma"))
            return hr_cpu_features() & f->bit && applicable && applicable(0);
    return false;
}

const char *crypto_mb_version(const char **reason)
{
    static char version[32];
    const int *(*const get)(void) = (const int *(*)(void))symbol("mbx_getversion");
    const int *const numbers = get ? get() : NULL; /* it begins with them */
    *reason = !numbers ? "is not installed" : !fits() ? "is not for this CPU" : NULL;
    if (*reason)
        return NULL;
    snprintf(version, sizeof version, "%d.%d.%d", numbers[0], numbers[1], numbers[2]);
    return version;
}

/* ---- numbers ---- */

static void words_of_bytes(uint64_t out[WORDS], const uint8_t *in, size_t len)
{
    memset(out, 0, WORDS * sizeof *out);
    for (size_t i = 0; i < len; i++)
        out[i / 8] |= (uint64_t)in[len - 1 - i] << i % 8 * 8;
}

/* Reads a parameter's number, which has the machine's byte order, as this library's numbers do. */
static bool words_of_pair(uint64_t out[WORDS], const OSSL_PARAM *pair, const char *name)
{
    memset(out, 0, WORDS * sizeof *out);
    while (pair && pair->key && strcmp(pair->key, name))
        pair++;
    if (!pair || !pair->key || pair->data_size > WORDS * sizeof *out)
        return false;
    memcpy(out, pair->data, pair->data_size);
    return true;
}

static bool words_of_names(struct crypto_mb *mb, const OSSL_PARAM *pair, const char *const names[],
                           size_t num)
{
    for (size_t i = 0; i < num; i++)
        if (!words_of_pair(mb->number[i], pair, names[i]))
            return false;
    return true;
}

/* ---- RSA: the input is a number as long as n ---- */

typedef uint32_t rsa_private_fn(in_bytes from, out_bytes to, in_words p, in_words q, in_words dp,
                                in_words dq, in_words iq, int bits, const void *method,
                                uint8_t *memory);
typedef uint32_t rsa_public_fn(in_bytes from, out_bytes to, in_words n, int bits,
                               const void *method, uint8_t *memory);

static bool rsa_open(struct crypto_mb *mb, const char *method_name)
{
    static const struct hr_rsa_options plain = { .padding = HR_RSA_NONE };
    const void *(*const method)(int bits) = (const void *(*)(int))symbol(method_name);
    int (*const size)(const void *method) = (int (*)(const void *))symbol("mbx_RSA_Method_BufSize");
    size_t len = MOST;
    mb->bits = 8 * mb->direct->row->public_len;
    mb->method = method ? method(mb->bits) : NULL;
    mb->memory_len = mb->method && size ? size(mb->method) : 0;
    memcpy(mb->sig, mb->direct->sig, mb->direct->sig_len);
    return !hr_rsa_encrypt(mb->in, &len, mb->sig, mb->direct->sig_len, mb->direct->rsa_key, &plain);
}

static bool rsa_private_open(struct crypto_mb *mb, const OSSL_PARAM *pair)
{
    static const char *const names[] = { "rsa-factor1", "rsa-factor2", "rsa-exponent1",
                                         "rsa-exponent2", "rsa-coefficient1" };
    mb->expected = mb->sig;
    mb->expected_len = mb->direct->sig_len;
    return rsa_open(mb, "mbx_RSA_private_crt_Method") &&
           words_of_names(mb, pair, names, COUNT(names));
}

static uint32_t rsa_private(struct crypto_mb *mb)
{
    return ((rsa_private_fn *)mb->function)(mb->ins, mb->outs, mb->numbers[0], mb->numbers[1],
                                            mb->numbers[2], mb->numbers[3], mb->numbers[4],
                                            mb->bits, mb->method, mb->memory);
}

static bool rsa_public_open(struct crypto_mb *mb, const OSSL_PARAM *pair)
{
    static const char *const names[] = { "n" };
    mb->expected = mb->in;
    mb->expected_len = mb->direct->sig_len;
    return rsa_open(mb, "mbx_RSA_pub65537_Method") && words_of_names(mb, pair, names, COUNT(names));
}

static uint32_t rsa_public(struct crypto_mb *mb)
{
    return ((rsa_public_fn *)mb->function)(mb->firsts, mb->outs, mb->numbers[0], mb->bits,
                                           mb->method, mb->memory);
}

/* ---- DH ---- */

typedef uint32_t power_fn(out_bytes out, in_words base, in_words exponent, int exponent_bits,
                          in_words modulus, int bits, uint8_t *memory, int memory_len);

static int num_bits(const uint64_t x[WORDS])
{
    int bits = 64 * WORDS;
    while (bits && !(x[(bits - 1) / 64] >> (bits - 1) % 64 & 1))
        bits--;
    return bits;
}

static bool dh_open(struct crypto_mb *mb, const OSSL_PARAM *pair)
{
    static const char *const names[] = { "p", "priv" };
    int (*const size)(int bits) = (int (*)(int))symbol("mbx_exp_BufferSize");
    const struct direct *const d = mb->direct;
    mb->bits = 8 * d->row->public_len;
    mb->memory_len = size ? size(mb->bits) : 0;
    words_of_bytes(mb->number[2], d->public, d->public_len);
    words_of_bytes(mb->number[3], d->out, d->out_len);
    mb->expected = (const uint8_t *)mb->number[3];
    mb->expected_len = d->out_len;
    return size && words_of_names(mb, pair, names, COUNT(names));
}

static uint32_t dh_power(struct crypto_mb *mb)
{
    return ((power_fn *)mb->function)(mb->outs, mb->numbers[2], mb->numbers[1],
                                      num_bits(mb->number[1]), mb->numbers[0], mb->bits, mb->memory,
                                      mb->memory_len);
}

/* ---- the NIST curves: z NULL is 1 ---- */

typedef uint32_t ecdh_fn(out_bytes secret, in_words key, in_words x, in_words y, const void *z,
                         uint8_t *memory);
typedef uint32_t ecdsa_sign_fn(out_bytes r, out_bytes s, in_bytes digest, in_words nonce,
                               in_words key, uint8_t *memory);
typedef uint32_t ecdsa_verify_fn(in_bytes r, in_bytes s, in_bytes digest, in_words x, in_words y,
                                 const void *z, uint8_t *memory);

/* Reads the private key's bytes, and the public point 04 || x || y. */
static bool point_open(struct crypto_mb *mb, const uint8_t *private, size_t len)
{
    const uint8_t *const public = mb->direct->public;
    words_of_bytes(mb->number[0], private, len);
    words_of_bytes(mb->number[1], public + 1, len);
    words_of_bytes(mb->number[2], public + 1 + len, len);
    return mb->direct->public_len == 1 + 2 * len;
}

static bool ecdh_open(struct crypto_mb *mb, const OSSL_PARAM *pair)
{
    (void)pair;
    size_t len = MOST;
    mb->expected = mb->direct->out;
    mb->expected_len = mb->direct->out_len;
    return !hr_agree_key_private(mb->private, &len, mb->direct->agree_key) &&
           point_open(mb, mb->private, len);
}

static uint32_t ecdh(struct crypto_mb *mb)
{
    return ((ecdh_fn *)mb->function)(mb->outs, mb->numbers[0], mb->numbers[1], mb->numbers[2], NULL,
                                     NULL);
}

/* A message is the digest, whose leftmost bits are signed; the nonce may be any number here. */
static bool ecdsa_open(struct crypto_mb *mb, const OSSL_PARAM *pair)
{
    (void)pair;
    size_t len = MOST;
    if (hr_sign_key_private(mb->private, &len, mb->direct->sign_key) ||
        !point_open(mb, mb->private, len))
        return false;
    memcpy(mb->sig, mb->direct->sig, mb->direct->sig_len);
    memset(mb->in, 0, sizeof mb->in);
    if (len < PK_MESSAGE)
        memcpy(mb->in, mb->direct->message, len);
    else
        memcpy(mb->in + len - PK_MESSAGE, mb->direct->message, PK_MESSAGE);
    mb->half = len;
    memcpy(mb->number[3], mb->number[0], sizeof mb->number[3]);
    mb->number[3][0] ^= 1;
    return true;
}

static uint32_t ecdsa_sign(struct crypto_mb *mb)
{
    return ((ecdsa_sign_fn *)mb->function)(mb->outs, mb->halves, mb->ins, mb->numbers[3],
                                           mb->numbers[0], NULL);
}

static uint32_t ecdsa_verify(struct crypto_mb *mb)
{
    return ((ecdsa_verify_fn *)mb->function)(mb->firsts, mb->seconds, mb->ins, mb->numbers[1],
                                             mb->numbers[2], NULL, NULL);
}

/* ---- X25519, Ed25519 ---- */

typedef uint32_t x25519_fn(out_bytes secret, in_bytes key, in_bytes public);
typedef uint32_t ed25519_sign_fn(out_bytes r, out_bytes s, in_bytes message,
                                 const uint32_t len[LANES], in_bytes key, in_bytes public);
typedef uint32_t ed25519_verify_fn(in_bytes r, in_bytes s, in_bytes message,
                                   const uint32_t len[LANES], in_bytes public);

static bool x25519_open(struct crypto_mb *mb, const OSSL_PARAM *pair)
{
    (void)pair;
    size_t len = MOST;
    mb->expected = mb->direct->out;
    mb->expected_len = mb->direct->out_len;
    return !hr_agree_key_private(mb->private, &len, mb->direct->agree_key);
}

static uint32_t x25519(struct crypto_mb *mb)
{
    return ((x25519_fn *)mb->function)(mb->outs, mb->privates, mb->publics);
}

static bool ed25519_open(struct crypto_mb *mb, const OSSL_PARAM *pair)
{
    (void)pair;
    size_t len = MOST;
    memcpy(mb->in, mb->direct->message, PK_MESSAGE);
    memcpy(mb->sig, mb->direct->sig, mb->direct->sig_len);
    mb->half = mb->direct->sig_len / 2;
    return !hr_sign_key_private(mb->private, &len, mb->direct->sign_key);
}

static bool ed25519_sign_open(struct crypto_mb *mb, const OSSL_PARAM *pair)
{
    mb->expected = mb->sig;
    mb->expected_len = mb->direct->sig_len;
    return ed25519_open(mb, pair);
}

static uint32_t ed25519_sign(struct crypto_mb *mb)
{
    return ((ed25519_sign_fn *)mb->function)(mb->outs, mb->halves, mb->ins, mb->lens, mb->privates,
                                             mb->publics);
}

static uint32_t ed25519_verify(struct crypto_mb *mb)
{
    return ((ed25519_verify_fn *)mb->function)(mb->firsts, mb->seconds, mb->ins, mb->lens,
                                               mb->publics);
}

/* ---- operations ---- */

#define OF_CURVE(ecdsa_row, ecdh_row, curve)                                                 \
    { ecdsa_row, "sign", "mbx_" curve "_ecdsa_sign_mb8", ecdsa_open, ecdsa_sign },           \
        { ecdsa_row, "verify", "mbx_" curve "_ecdsa_verify_mb8", ecdsa_open, ecdsa_verify }, \
    {                                                                                        \
        ecdh_row, "derive", "mbx_" curve "_ecdh_mb8", ecdh_open, ecdh                        \
    }
#define OF_RSA(row)                                                            \
    { row, "sign", "mbx_rsa_private_crt_mb8", rsa_private_open, rsa_private }, \
    {                                                                          \
        row, "verify", "mbx_rsa_public_mb8", rsa_public_open, rsa_public       \
    }
#define OF_DH(row)                                      \
    {                                                   \
        row, "derive", "mbx_exp_mb8", dh_open, dh_power \
    }

static const struct operation {
    hr_alg alg;
    const char *name, *symbol;
    bool (*open)(struct crypto_mb *mb, const OSSL_PARAM *pair);
    uint32_t (*run)(struct crypto_mb *mb);
} operations[] = {
    OF_RSA(HR_RSA1024),
    OF_RSA(HR_RSA2048),
    OF_RSA(HR_RSA3072),
    OF_RSA(HR_RSA4096),
    OF_DH(HR_DH2048),
    OF_DH(HR_DH3072),
    OF_DH(HR_DH4096),
    OF_CURVE(HR_ECDSA_P256, HR_ECDH_P256, "nistp256"),
    OF_CURVE(HR_ECDSA_P384, HR_ECDH_P384, "nistp384"),
    OF_CURVE(HR_ECDSA_P521, HR_ECDH_P521, "nistp521"),
    { HR_X25519, "derive", "mbx_x25519_mb8", x25519_open, x25519 },
    { HR_ED25519, "sign", "mbx_ed25519_sign_mb8", ed25519_sign_open, ed25519_sign },
    { HR_ED25519, "verify", "mbx_ed25519_verify_mb8", ed25519_open, ed25519_verify },
};

static const struct operation *operation(const struct hr_algorithm *row, const char *name)
{
    for (size_t i = 0; i < COUNT(operations); i++)
        if (operations[i].alg == row->alg && !strcmp(operations[i].name, name))
            return &operations[i];
    return NULL;
}

bool crypto_mb_has(const struct hr_algorithm *row, const char *name)
{
    const char *reason;
    const struct operation *const op = operation(row, name);
    return op && crypto_mb_version(&reason) && symbol(op->symbol);
}

static void point_lanes(struct crypto_mb *mb)
{
    for (size_t i = 0; i < LANES; i++) {
        for (size_t n = 0; n < NUMBERS; n++)
            mb->numbers[n][i] = mb->number[n];
        mb->ins[i] = mb->in;
        mb->lens[i] = PK_MESSAGE;
        mb->firsts[i] = mb->sig;
        mb->seconds[i] = mb->sig + mb->half;
        mb->privates[i] = mb->private;
        mb->publics[i] = mb->direct->public;
        mb->outs[i] = mb->out[i];
        mb->halves[i] = mb->out[i] + mb->half;
    }
}

/* ---- results ---- */

static bool is_verification(const struct crypto_mb *mb)
{
    return !mb->expected && !strcmp(mb->op->name, "verify");
}

/* Whether each lane refuses another signature. */
static bool refuses(struct crypto_mb *mb)
{
    bool good = true;
    mb->sig[mb->half] ^= 1;
    const uint32_t status = mb->op->run(mb);
    for (size_t i = 0; i < LANES; i++)
        good &= (status >> 4 * i & 15) != 0;
    mb->sig[mb->half] ^= 1;
    return good;
}

static bool is_right(struct crypto_mb *mb)
{
    bool good = !mb->op->run(mb);
    for (size_t i = 0; good && i < LANES; i++)
        if (mb->expected)
            good = !memcmp(mb->out[i], mb->expected, mb->expected_len);
        else if (!is_verification(mb))
            good = !hr_verify(mb->out[i], mb->direct->sig_len, mb->direct->message, PK_MESSAGE,
                              mb->direct->sign_key, NULL);
    return good && (!is_verification(mb) || refuses(mb));
}

static void say_once(const struct crypto_mb *mb)
{
    static const struct operation *said;
    if (said != mb->op)
        (void)tool_error("crypto_mb's %s %s differs from Headrace's and is not timed",
                         mb->direct->row->name, mb->op->name);
    said = mb->op;
}

struct crypto_mb *crypto_mb_open(const struct direct *direct, const char *name,
                                 const OSSL_PARAM *pair, size_t num)
{
    struct crypto_mb *const mb = aligned_alloc(64, (sizeof *mb + 63) & ~(size_t)63);
    if (!mb)
        return NULL;
    *mb = (struct crypto_mb){ .op = operation(direct->row, name), .direct = direct };
    mb->function = symbol(mb->op->symbol);
    mb->num = num;
    bool good = mb->op->open(mb, pair);
    point_lanes(mb);
    mb->memory = mb->memory_len ? malloc((size_t)mb->memory_len) : NULL;
    good = good && (!mb->memory_len || mb->memory) && is_right(mb);
    if (good)
        return mb;
    say_once(mb);
    crypto_mb_close(mb);
    return NULL;
}

void crypto_mb_run(void *ctx, uint64_t n)
{
    struct crypto_mb *const mb = ctx;
    while (n--)
        for (size_t i = 0; i < mb->num; i += LANES)
            mb->failed |= mb->op->run(mb) != 0;
}

bool crypto_mb_failed(const struct crypto_mb *mb)
{
    return mb && mb->failed;
}

void crypto_mb_close(struct crypto_mb *mb)
{
    if (!mb)
        return;
    free(mb->memory);
    free(mb);
}
