/* SPDX-License-Identifier: Apache-2.0 */
/* code_structure: finds bitsliced code and carry-less multiplication as this compiler writes them,
 * not code that only looks so; and functions of installed libraries. */
#include "object/object.h"
#include "test.h"
#include <fcntl.h>
#include <unistd.h>

/* Without optimisation every value goes through memory, and the structure cannot be found. */
#if !defined(__OPTIMIZE__)
#define THIS_ARCH ARCH_NONE
#elif defined(__x86_64__)
#define THIS_ARCH ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH ARCH_ARM64
#else
#define THIS_ARCH ARCH_NONE
#endif

/* OWN puts a function into a section of its own, so that the linker defines symbols for its
 * ends. */
#define OWN(name)                                           \
    extern const uint8_t __start_##name[], __stop_##name[]; \
    __attribute__((section(#name), noinline, used))         \
    __attribute__((no_sanitize("address", "undefined")))

/* ---- what it is ---- */

/* SWAP swaps bits of a with bits of b, n places higher (Knuth 7.1.3: delta swap). */
#define SWAP(a, b, n, mask)                             \
    do {                                                \
        const uint64_t t = ((a) >> (n) ^ (b)) & (mask); \
        (b) ^= t;                                       \
        (a) ^= t << (n);                                \
    } while (0)

/* planes_of turns eight words into eight bit planes. */
OWN(planes) static void planes_of(uint64_t q[8])
{
    const uint64_t m1 = 0x5555555555555555, m2 = 0x3333333333333333, m4 = 0x0f0f0f0f0f0f0f0f;
    SWAP(q[0], q[1], 1, m1);
    SWAP(q[2], q[3], 1, m1);
    SWAP(q[4], q[5], 1, m1);
    SWAP(q[6], q[7], 1, m1);
    SWAP(q[0], q[2], 2, m2);
    SWAP(q[1], q[3], 2, m2);
    SWAP(q[4], q[6], 2, m2);
    SWAP(q[5], q[7], 2, m2);
    SWAP(q[0], q[4], 4, m4);
    SWAP(q[1], q[5], 4, m4);
    SWAP(q[2], q[6], 4, m4);
    SWAP(q[3], q[7], 4, m4);
}

/* A circuit of the size of an S-box: the inversion of GF(2^4) over and over, by its formulas of
 * degree three, on planes. */
#define GATES(a, b, c, d)             \
    do {                              \
        const uint64_t t = (a) & (b); \
        (c) ^= t ^ (d);               \
        (d) ^= (c) & (a);             \
        (a) ^= (b) ^ (t & (d));       \
        (b) ^= ~(c);                  \
    } while (0)

OWN(circuit) static void circuit_of(uint64_t q[8])
{
    uint64_t a = q[0], b = q[1], c = q[2], d = q[3], e = q[4], f = q[5], g = q[6], h = q[7];
    GATES(a, b, c, d);
    GATES(e, f, g, h);
    GATES(b, e, h, c);
    GATES(d, g, a, f);
    GATES(h, c, b, e);
    GATES(f, a, d, g);
    GATES(c, h, e, b);
    GATES(g, d, f, a);
    GATES(a, e, d, h);
    GATES(b, f, c, g);
    GATES(d, c, a, e);
    GATES(h, g, b, f);
    GATES(a, c, e, g);
    GATES(b, d, f, h);
    q[0] = a, q[1] = b, q[2] = c, q[3] = d, q[4] = e, q[5] = f, q[6] = g, q[7] = h;
}

/* clmul_of computes the low half of a carry-less product: bits four apart leave room for the
 * carries of fifteen additions (Pornin, "Constant-Time Mul"). */
OWN(clmul) static uint64_t clmul_of(uint64_t x, uint64_t y)
{
    const uint64_t m0 = 0x1111111111111111, m1 = 0x2222222222222222, m2 = 0x4444444444444444,
                   m3 = 0x8888888888888888;
    const uint64_t x0 = x & m0, x1 = x & m1, x2 = x & m2, x3 = x & m3;
    const uint64_t y0 = y & m0, y1 = y & m1, y2 = y & m2, y3 = y & m3;
    const uint64_t z0 = x0 * y0 ^ x1 * y3 ^ x2 * y2 ^ x3 * y1;
    const uint64_t z1 = x0 * y1 ^ x1 * y0 ^ x2 * y3 ^ x3 * y2;
    const uint64_t z2 = x0 * y2 ^ x1 * y1 ^ x2 * y0 ^ x3 * y3;
    const uint64_t z3 = x0 * y3 ^ x1 * y2 ^ x2 * y1 ^ x3 * y0;
    return (z0 & m0) | (z1 & m1) | (z2 & m2) | (z3 & m3);
}

/* ---- what it is not ---- */

OWN(popcount) static unsigned popcount_of(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555;
    x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (unsigned)(x * 0x0101010101010101 >> 56);
}

OWN(reverse) static uint64_t reverse_of(uint64_t x)
{
    x = (x & 0x5555555555555555) << 1 | (x >> 1 & 0x5555555555555555);
    x = (x & 0x3333333333333333) << 2 | (x >> 2 & 0x3333333333333333);
    x = (x & 0x0f0f0f0f0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f0f0f0f0f);
    return __builtin_bswap64(x);
}

/* des_of is DES with tables: the initial permutation (FIPS 46-3), and rounds that look tables
 * up. */
OWN(des)
static void des_of(uint32_t *left, uint32_t *right, const uint32_t *keys, const uint32_t *boxes)
{
    uint32_t l = *left, r = *right;
    for (int twice = 0; twice < 2; twice++) {
        SWAP(l, r, 4, 0x0f0f0f0f);
        SWAP(l, r, 16, 0x0000ffff);
        SWAP(r, l, 2, 0x33333333);
        SWAP(r, l, 8, 0x00ff00ff);
        SWAP(l, r, 1, 0x55555555);
        for (int i = 0; i < 16; i++) {
            const uint32_t x = r ^ keys[i];
            const uint32_t f = boxes[x & 63] ^ boxes[x >> 8 & 63] ^ boxes[x >> 16 & 63];
            r = l ^ f;
            l = r ^ f;
        }
    }
    *left = l;
    *right = r;
}

OWN(cswap) static void cswap_of(uint64_t a[40], uint64_t b[40], uint64_t mask)
{
#pragma GCC unroll 40
    for (int i = 0; i < 40; i++) {
        const uint64_t t = (a[i] ^ b[i]) & mask;
        a[i] ^= t;
        b[i] ^= t;
    }
}

OWN(xors) static void xors_of(uint64_t *out, const uint64_t *a, const uint64_t *b)
{
#pragma GCC unroll 64
    for (int i = 0; i < 64; i++)
        out[i] = a[i] ^ b[i] ^ out[i];
}

/* own_data returns the bytes of this program at an address, where the functions above have
 * constants. ld defines the symbols of the program's ends. */
extern const uint8_t __executable_start[], _end[];

static const uint8_t *own_data(const void *ctx, uint64_t address, size_t len)
{
    const uint64_t start = (uintptr_t)__executable_start, end = (uintptr_t)_end;
    return address >= start && address < end && len <= end - address
               ? (const uint8_t *)(uintptr_t)address
               : NULL;
}

static void wants(const uint8_t *start, const uint8_t *stop, unsigned want, const char *name)
{
    const struct code code = { .bytes = start,
                               .len = (size_t)(stop - start),
                               .address = (uintptr_t)start,
                               .arch = THIS_ARCH,
                               .data = own_data };
    if (code_structure(&code) != want || code_is_bitsliced(&code) != !!(want & CODE_BITSLICED) ||
        code_is_software_clmul(&code) != !!(want & CODE_CLMUL))
        complain("%s: %u instead of %u, %zu bytes", name, code_structure(&code), want, code.len);
}
#define WANTS(name, want) wants(__start_##name, __stop_##name, want, #name)

/* ---- libraries ---- */

/* functions_of returns how many functions of a library have the structure of crypto without tables,
 * or -1 if the library is not installed. It complains unless those with the given names are among
 * them. */
static int functions_of(const char *path, const char *const *names, size_t num_names)
{
    const struct object_options options = { .use_cache = false };
    const char *why = "";
    const int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    struct object *object = object_open(fd, path, &options, &why);
    int num = 0;
    size_t met = 0;
    for (size_t i = 0; object && i < object->num_functions; i++) {
        const struct function *f = &object->functions[i];
        const struct code code = object_code(object, f);
        const unsigned structure = code_structure(&code);
        if (structure != f->structure)
            complain("%#llx: %u, and %u in the inventory", (unsigned long long)f->start, structure,
                     f->structure);
        num += structure != 0;
        for (size_t k = 0; structure && f->name && k < num_names; k++)
            met += !strcmp(f->name, names[k]);
    }
    if (!object || met != num_names)
        complain("%s: %zu of %zu functions%s", path, met, num_names, object ? "" : ", not read");
    object_free(object);
    close(fd);
    return num;
}

static void check_libraries(void)
{
    static const char *const bearssl[] = {
        "br_aes_ct_bitslice_Sbox", "br_aes_ct_ortho", "br_aes_ct64_bitslice_Sbox",
        "br_aes_ct64_ortho",       "br_ghash_ctmul",  "br_ghash_ctmul32"
    };
    static const char *const places[] = { "/usr/lib/x86_64-linux-gnu/",
                                          "/usr/lib/aarch64-linux-gnu/" };
    int found = -1, none = -1;
    char path[64];
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        snprintf(path, sizeof path, "%slibbearssl.so.0", places[i]);
        if (found < 0)
            found = functions_of(path, bearssl, COUNT_OF(bearssl));
        snprintf(path, sizeof path, "%slibc.so.6", places[i]);
        if (none < 0)
            none = functions_of(path, NULL, 0);
    }
    if (found < 0)
        tap_skip("libbearssl0 is not installed", "BearSSL: bitsliced AES, GHASH by multiplication");
    else
        tap(!complaints_so_far(), "BearSSL: bitsliced AES, GHASH by multiplication: %d functions",
            found);
    if (none < 0)
        tap_skip("no libc.so.6 where Debian has it", "the C library has neither");
    else
        tap(none == 0, "the C library has neither");
}

int main(void)
{
    if (THIS_ARCH == ARCH_NONE) {
        tap_skip("built without optimisation, or neither for x86-64 nor arm64", "structure");
        return tap_done();
    }
    WANTS(planes, CODE_BITSLICED);
    WANTS(circuit, CODE_BITSLICED);
    tap(!complaints_so_far(), "bit planes and circuits are bitsliced code");
    WANTS(clmul, CODE_CLMUL);
    tap(!complaints_so_far(), "masked multiplications are carry-less multiplication");
    WANTS(popcount, 0);
    WANTS(reverse, 0);
    WANTS(des, 0);
    WANTS(cswap, 0);
    WANTS(xors, 0);
    tap(!complaints_so_far(),
        "counting and reversing bits, DES, swaps by a mask, XOR of buffers are neither");
    check_libraries();
    const struct code none = { .bytes = NULL, .len = 0, .arch = ARCH_X86_64 };
    const struct code other = { .bytes = __start_planes,
                                .len = (size_t)(__stop_planes - __start_planes),
                                .arch = ARCH_S390X };
    tap(!code_structure(&none) && !code_structure(&other), "nothing in nothing, nor elsewhere");
    return tap_done();
}
