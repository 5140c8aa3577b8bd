/* SPDX-License-Identifier: Apache-2.0 */
/* X25519 and Ed25519: every kernel against the portable one, on random operands and on edges;
 * mistakes in each call of a kernel, and changes of the key in memory, of which none lets a
 * signature out; and no secret left on the stack. */
#include "curve25519/ed25519.h"
#include "curve25519/x25519.h"
#include "pk/sign.h"
#include "test.h"
#include <headrace/algorithms.h>

static int quick;
static const uint64_t order[4] = { 0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0, UINT64_C(1) << 60 };

/* ---- operands ---- */

/* Words of any value: random, or zeros and ones in runs, or a number near 0, L, p or 2^256. */
static void any_words(uint64_t *out, size_t n)
{
    static const uint64_t words[] = { 0, 1, UINT64_MAX, UINT64_MAX - 18, UINT64_MAX >> 1 };
    const uint32_t kind = random_below(5);
    random_bytes(out, n * sizeof *out);
    for (size_t i = 0; kind == 1 && i < n; i++)
        out[i] = words[random_below(COUNT_OF(words))];
    if (kind > 1) {
        memset(out, kind == 2 ? 0xff : 0, n * sizeof *out);
        out[0] -= random_below(40);
        if (kind == 3 && n == 4)
            memcpy(out, order, sizeof order);
        if (kind == 3 && n == 4)
            out[0] += random_below(5) - UINT64_C(2);
    }
}

static void any_point(uint64_t out[8])
{
    uint64_t scalar[4];
    any_words(scalar, 4);
    ed25519_base_c(out, scalar);
}

static void same(const void *a, const void *b, size_t len, const char *kernel, const char *call)
{
    if (memcmp(a, b, len))
        complain("%s: %s is another than in portable C", kernel, call);
}

/* ---- kernels ---- */

static void compare_x25519(const struct x25519_kernel *kernel)
{
    uint64_t scalar[4], point[4], a[4], b[4];
    for (int i = 0; i < (quick ? 20 : 400); i++) {
        any_words(scalar, 4);
        any_words(point, 4);
        kernel->multiply(a, scalar, point);
        x25519_multiply_c(b, scalar, point);
        same(a, b, sizeof a, kernel->info.name, "multiply");
        kernel->base(a, scalar);
        x25519_base_c(b, scalar);
        same(a, b, sizeof a, kernel->info.name, "base");
    }
}

static void compare_points(const struct ed25519_kernel *kernel)
{
    uint64_t s[4], t[4], point[8], a[8], b[8];
    any_words(s, 4);
    kernel->base(a, s);
    ed25519_base_c(b, s);
    same(a, b, sizeof a, kernel->info.name, "base");
    if (kernel->differs && kernel->differs(b, s))
        complain("%s: a point differs from itself", kernel->info.name);
    b[random_below(8)] ^= UINT64_C(1) << random_below(60);
    if (kernel->differs && !kernel->differs(b, s))
        complain("%s: a changed point does not differ", kernel->info.name);
    any_words(t, 4);
    any_point(point);
    ed25519_reduce_c(s, 4, s);
    ed25519_reduce_c(t, 4, t);
    kernel->twice(a, s, point, t);
    ed25519_double_c_vartime(b, s, point, t);
    same(a, b, sizeof a, kernel->info.name, "twice");
}

/* Half of the bytes are the encoding of a point, of which some have one more bit changed. */
static void compare_decode(const struct ed25519_kernel *kernel)
{
    uint64_t y[4], point[8], a[8] = { 0 }, b[8] = { 0 };
    uint8_t bytes[32];
    any_words(y, 4);
    if (random_below(2)) {
        any_point(point);
        memcpy(y, point + 4, sizeof y);
        y[3] |= point[0] << 63;
    }
    if (random_below(4) == 0)
        y[random_below(4)] ^= UINT64_C(1) << random_below(64);
    for (int i = 0; i < 4; i++)
        store_le64(bytes + 8 * i, y[i]);
    const uint64_t bad_a = kernel->decode(a, bytes), bad_b = ed25519_decode_c(b, bytes);
    if (!bad_a != !bad_b)
        complain("%s: decode disagrees whether these bytes are a point", kernel->info.name);
    if (!bad_a && !bad_b)
        same(a, b, sizeof a, kernel->info.name, "decode");
}

static void compare_scalars(const struct ed25519_kernel *kernel)
{
    uint64_t x[8], y[4], c[4], a[4], b[4];
    any_words(x, 8);
    kernel->reduce(a, 8, x);
    ed25519_reduce_c(b, 8, x);
    same(a, b, sizeof a, kernel->info.name, "reduce");
    any_words(x, 4);
    any_words(y, 4);
    any_words(c, 4);
    kernel->reduce(a, 4, x);
    ed25519_reduce_c(b, 4, x);
    same(a, b, sizeof a, kernel->info.name, "reduce of 4 words");
    ed25519_reduce_c(x, 4, x);
    ed25519_reduce_c(y, 4, y);
    ed25519_reduce_c(c, 4, c);
    kernel->madd(a, x, y, c);
    ed25519_madd_c(b, x, y, c);
    same(a, b, sizeof a, kernel->info.name, "madd");
}

/* Every encoding of a point of small order, and those y of p and more that 255 bits can hold. */
static void compare_small(const struct ed25519_kernel *kernel)
{
    for (unsigned i = 0; i < 4 * 20; i++) {
        uint64_t a[8] = { 0 }, b[8] = { 0 };
        uint8_t bytes[32] = { 0 };
        if (i & 1) {
            memset(bytes, 0xff, sizeof bytes);
            bytes[0] = (uint8_t)(0xed + i / 4 - 1);
            bytes[31] = 127;
        } else {
            bytes[0] = (uint8_t)(i / 4);
        }
        bytes[31] |= i & 2 ? 128 : 0;
        const uint64_t bad_a = kernel->decode(a, bytes), bad_b = ed25519_decode_c(b, bytes);
        if (!bad_a != !bad_b || (!bad_a && memcmp(a, b, sizeof a)))
            complain("%s: decode of %02x...%02x is another than in portable C", kernel->info.name,
                     bytes[0], bytes[31]);
    }
}

static int runs(const struct hr_kernel *kernel, const char *row)
{
    if (!(kernel->needs & ~hr_cpu_features()))
        return 1;
    tap_skip("this CPU lacks its instructions", "%s %s", row, kernel->name);
    return 0;
}

static void test_kernels(void)
{
    for (size_t i = 0; i < x25519_kernels.num_kernels; i++) {
        const struct x25519_kernel *kernel = &x25519_kernels.kernels[i];
        if (!runs(&kernel->info, "X25519"))
            continue;
        compare_x25519(kernel);
        tap(!complaints_so_far(), "X25519 %s is like portable C", kernel->info.name);
    }
    for (size_t i = 0; i < ed25519_kernels.num_kernels; i++) {
        const struct ed25519_kernel *kernel = &ed25519_kernels.kernels[i];
        if (!runs(&kernel->info, "Ed25519"))
            continue;
        compare_small(kernel);
        for (int n = 0; n < (quick ? 20 : 400); n++) {
            compare_points(kernel);
            compare_decode(kernel);
            compare_scalars(kernel);
        }
        tap(!complaints_so_far(), "Ed25519 %s is like portable C", kernel->info.name);
    }
}

/* ---- faults ---- */

/* `good` computes; the call of number `at` gets one bit of its result changed. */
static const struct ed25519_kernel *good;
static int calls, at;

static void disturb(uint64_t *out, size_t n)
{
    if (calls++ == at)
        out[random_below((uint32_t)n)] ^= UINT64_C(1) << random_below(60);
}

static void bad_base(uint64_t out[8], const uint64_t scalar[4])
{
    good->base(out, scalar);
    disturb(out, 8);
}

static void bad_reduce(uint64_t out[4], uint64_t n, const uint64_t *in)
{
    good->reduce(out, n, in);
    disturb(out, 4);
}

static uint64_t bad_differs(const uint64_t point[8], const uint64_t scalar[4])
{
    uint64_t changed[4];
    memcpy(changed, scalar, sizeof changed);
    disturb(changed, 4);
    return good->differs(point, changed);
}

static void bad_madd(uint64_t out[4], const uint64_t x[4], const uint64_t y[4], const uint64_t c[4])
{
    good->madd(out, x, y, c);
    disturb(out, 4);
}

struct job {
    struct hr_sign_key *key;
    uint8_t message[100], sig[64];
};

static int sign_job(struct job *job)
{
    size_t len = sizeof job->sig;
    return hr_sign(job->sig, &len, job->message, sizeof job->message, job->key, NULL);
}

static void make_job(struct job *job)
{
    job->key = aligned_alloc(64, (hr_sign_key_size(HR_ED25519) + 63) & ~(size_t)63);
    random_bytes(job->message, sizeof job->message);
    if (hr_sign_key_generate(job->key, HR_ED25519, NULL))
        complain("no key");
}

static void test_mistakes(void)
{
    struct job job;
    int released = 0, num;
    make_job(&job);
    good = atomic_load(ed25519_kernels.chosen);
    struct ed25519_kernel bad = *good;
    bad.base = bad_base;
    bad.reduce = bad_reduce;
    bad.madd = bad_madd;
    bad.differs = good->differs ? bad_differs : NULL;
    atomic_store(ed25519_kernels.chosen, &bad);
    calls = 0;
    at = -1;
    if (sign_job(&job))
        complain("no signature without a mistake");
    num = calls;
    for (at = 0; at < num; at++)
        for (int i = 0; i < (quick ? 10 : 100); i++) {
            calls = 0;
            memset(job.sig, 0, sizeof job.sig);
            const int error = sign_job(&job);
            static const uint8_t nothing[64];
            if (error != HR_EFAULT || memcmp(job.sig, nothing, sizeof nothing))
                released++;
        }
    atomic_store(ed25519_kernels.chosen, good);
    if (released)
        complain("%d signatures of %d calls were released", released, num);
    tap(!complaints_so_far() && num >= 8,
        "a mistake in any of %d calls of a kernel lets no signature out", num);
    free(job.key);
}

/* Every bit of the key is changed once: no signature leaves, unless it is a right one of another
 * nonce (the prefix), or the bit is not of use (the seed, and x of the public key). */
static void test_memory(void)
{
    struct job job;
    struct hr_sign_key *public =
        aligned_alloc(64, (hr_sign_key_size(HR_ED25519) + 63) & ~(size_t)63);
    uint8_t bytes[32], right[64];
    size_t len = sizeof bytes;
    unsigned refused = 0, wrong = 0;
    make_job(&job);
    if (hr_sign_key_public(bytes, &len, job.key) ||
        hr_sign_key_init_public(public, HR_ED25519, bytes, len) || sign_job(&job))
        complain("no key or signature");
    memcpy(right, job.sig, sizeof right);
    struct sign_key *key = (struct sign_key *)job.key;
    const size_t bits = 8 * (hr_sign_key_size(HR_ED25519) - offsetof(struct sign_key, part));
    for (size_t i = 0; i < bits; i += quick ? 7 : 1) {
        key->part[i / 8] ^= (uint8_t)(1 << i % 8);
        const int error = sign_job(&job);
        key->part[i / 8] ^= (uint8_t)(1 << i % 8);
        refused += error == HR_EFAULT;
        wrong += !error && hr_verify(job.sig, 64, job.message, sizeof job.message, public, NULL);
        wrong += !error && !memcmp(job.sig, right, 32) && memcmp(job.sig, right, 64);
    }
    tap(!complaints_so_far() && !wrong && refused >= bits / 3 / (quick ? 7 : 1),
        "a changed bit of the key lets no wrong signature out: %u of %zu are refused", refused,
        bits);
    free(job.key);
    free(public);
}

/* ---- what is left ---- */

enum { STACK = 16384 };
#if defined(__SANITIZE_ADDRESS__)
enum { STACK_IS_SEEN = 0 }; /* its frames are no plain part of the stack */
#else
enum { STACK_IS_SEEN = 1 };
#endif

/* Fills the stack below its caller, or looks there for the 16 bytes at `wanted`, which are the
 * middle of a secret: kernels change its ends. */
static __attribute__((noinline)) int stack(const uint8_t *wanted)
{
    volatile uint8_t below[STACK];
    int found = 0;
    if (!wanted)
        for (size_t i = 0; i < sizeof below; i++)
            below[i] = 0xa5;
    __asm__ volatile("" : : "r"(below) : "memory");
    for (size_t i = 0; wanted && i + 16 <= sizeof below; i++) {
        size_t n = 0;
        while (n < 16 && below[i + n] == wanted[n])
            n++;
        found += n == 16;
    }
    return found;
}

struct parts {
    uint8_t seed[32], prefix[32], public[32];
    uint64_t s[4];
};

/* The nonce of a message, as the signature computes it. */
static void nonce_of(uint64_t out[4], const struct job *job, const struct parts *parts)
{
    uint8_t in[32 + sizeof job->message], digest[64];
    uint64_t words[8];
    memcpy(in, parts->prefix, 32);
    memcpy(in + 32, job->message, sizeof job->message);
    hr_sha512(digest, in, sizeof in);
    for (int i = 0; i < 8; i++)
        words[i] = load_le64(digest + 8 * i);
    ed25519_reduce_c(out, 8, words);
}

/* A secret that is put on the stack on purpose, so that the search is seen to find one. */
static __attribute__((noinline)) void leave(const uint8_t *secret)
{
    uint8_t copy[512]; /* its begin lies below what stack() saves */
    memcpy(copy, secret, 32);
    __asm__ volatile("" : : "r"(copy) : "memory");
}

static void test_left(void)
{
    static struct job job;
    static uint64_t nonce[4];
    make_job(&job);
    const struct parts *parts = (const struct parts *)((const struct sign_key *)job.key)->part;
    nonce_of(nonce, &job, parts);
    (void)stack(NULL);
    leave(parts->prefix);
    const int seen = stack(parts->prefix);
    (void)stack(NULL);
    const int error = sign_job(&job), scalars = stack((const uint8_t *)(parts->s + 1)),
              prefixes = stack(parts->prefix), nonces = stack((const uint8_t *)(nonce + 1));
    if (STACK_IS_SEEN)
        tap(seen && !error && !scalars && !prefixes && !nonces,
            "a signature leaves no scalar (%d), prefix (%d), nonce (%d) on the stack", scalars,
            prefixes, nonces);
    else
        tap_skip("AddressSanitizer", "a signature leaves no secret on the stack");
    hr_sign_key_wipe(job.key);
    tap(is_zero(job.key, hr_sign_key_size(HR_ED25519)), "a wiped key is zero");
    free(job.key);
}

static void test_left_x25519(void)
{
    static struct hr_agree_key key;
    static uint8_t scalar[32], peer[32], secret[32];
    size_t len = sizeof scalar;
    random_bytes(peer, sizeof peer);
    if (hr_agree_key_generate(&key, HR_X25519, NULL) || hr_agree_key_private(scalar, &len, &key))
        complain("no key");
    (void)stack(NULL);
    const int error = hr_agree(secret, &len, peer, sizeof peer, &key), scalars = stack(scalar + 8),
              secrets = stack(secret);
    tap(!error && !scalars && !secrets,
        "key agreement leaves no scalar (%d) and no secret (%d) on the stack", scalars, secrets);
    hr_agree_key_wipe(&key);
}

/* ---- what calls refuse ---- */

static void wants(int wanted, int error, const char *what)
{
    if (error != wanted)
        complain("%s: %s", what, hr_strerror(error));
}

static void test_refusals(void)
{
    static struct hr_sign_key key, public;
    static struct hr_agree_key agree;
    static uint8_t bytes[64] = { 9 }, sig[64], context[256];
    static const uint8_t seed[32] = { 9 };
    const struct hr_sign_options unknown = { .flags = HR_SIGN_MU },
                                 prehash = { .flags = HR_SIGN_PREHASH },
                                 longer = { .context = context, .context_len = 256 },
                                 random = { .random = bytes };
    size_t len = 64, less = 63;
    wants(HR_EALG, hr_sign_key_init(&key, HR_SHA256, bytes, 32), "a digest's key");
    wants(HR_EALG, hr_agree_key_init(&agree, HR_ED25519, bytes, 32), "a signature's key");
    wants(HR_EKEYLEN, hr_sign_key_init(&key, HR_ED25519, bytes, 33), "a seed of 33 bytes");
    wants(HR_EKEYLEN, hr_agree_key_init(&agree, HR_X25519, bytes, 31), "a key of 31 bytes");
    wants(HR_ESTATE, hr_sign(sig, &len, bytes, 1, &key, NULL), "no key");
    wants(HR_ESTATE, hr_agree(sig, &len, bytes, 32, &agree), "no key");
    wants(0, hr_sign_key_init(&key, HR_ED25519, bytes, 32), "a key");
    wants(0, hr_sign_key_public(bytes, &len, &key), "its public key");
    wants(0, hr_sign_key_init_public(&public, HR_ED25519, bytes, len), "a public key");
    wants(HR_ESTATE, hr_sign(sig, &len, bytes, 1, &public, NULL), "a public key that signs");
    wants(0, hr_sign_key_init_pair(&key, HR_ED25519, seed, 32, bytes, len), "a key of both parts");
    wants(HR_EKEY, hr_sign_key_init_pair(&key, HR_ED25519, seed, 32, seed, 32), "parts apart");
    wants(HR_ESTATE, hr_sign(sig, &len, bytes, 1, &key, NULL), "the key of parts apart");
    wants(HR_EKEYLEN, hr_sign_key_init_pair(&key, HR_ED25519, seed, 32, bytes, 31), "31 bytes");
    wants(0, hr_sign_key_init(&key, HR_ED25519, seed, 32), "a key");
    wants(HR_ESTATE, hr_sign_key_private(sig, &len, &public), "the private bytes of a public key");
    wants(HR_EBUFFER, hr_sign(sig, &less, bytes, 1, &key, NULL), "63 bytes for a signature");
    len = 64;
    wants(HR_EOVERLAP, hr_sign(sig, &len, sig + 63, 1, &key, NULL), "a message in the signature");
    wants(HR_EINVAL, hr_sign(sig, &len, bytes, 1, &key, &unknown), "another row's flag");
    wants(HR_EINVAL, hr_sign(sig, &len, bytes, 1, &key, &random), "randomness");
    wants(HR_ELENGTH, hr_sign(sig, &len, bytes, 1, &key, &longer), "a context of 256 bytes");
    wants(HR_ELENGTH, hr_sign(sig, &len, bytes, 63, &key, &prehash), "a digest of 63 bytes");
    wants(HR_EMAC, hr_verify(sig, 63, bytes, 1, &key, NULL), "a signature of 63 bytes");
    wants(0, hr_agree_key_init(&agree, HR_X25519, bytes, 32), "a key");
    wants(HR_EKEYLEN, hr_agree(sig, &len, bytes, 31, &agree), "a public key of 31 bytes");
    wants(HR_EKEYLEN, hr_agree_check(HR_X25519, bytes, 33), "a public key of 33 bytes");
    tap(!complaints_so_far(), "calls refuse what they cannot take");
}

int main(int argc, char **argv)
{
    quick = argc > 1 && !strcmp(argv[1], "--quick");
    test_kernels();
    test_mistakes();
    test_memory();
    test_left();
    test_left_x25519();
    test_refusals();
    return tap_done();
}
