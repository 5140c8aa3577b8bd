/* SPDX-License-Identifier: Apache-2.0 */
/* Compares every kernel of every checksum row with the checksum's definition, through the direct
 * calls and the calls that take and return values as numbers (hr_crc32_update and the like).
 * checksums [--quick]: fewer lengths. */
#include "checksum/crc_k.h"
#include "internal.h"
#include "test.h"
#include <headrace/algorithms.h>

enum { MOST = 3000, LONG = 6 << 20 };

/* crc_model computes a CRC one bit at a time: the remainder by P, whose x^31 is bit 0, of a message
 * whose first bit is bit 0 of its first byte.  The value is complemented before and after. */
static uint32_t crc_model(uint32_t poly, uint32_t crc, const uint8_t *in, size_t len)
{
    crc = ~crc;
    for (size_t i = 0; i < 8 * len; i++) {
        const uint32_t out = (crc ^ in[i / 8] >> i % 8) & 1;
        crc = crc >> 1 ^ (out ? poly : 0);
    }
    return ~crc;
}

/* crc32_model: the polynomial of ISO/IEC 3309 section 3.6.3; crc32c_model: that of RFC 3720 section
 * 12.1. */
static uint32_t crc32_model(uint32_t value, const uint8_t *in, size_t len)
{
    return crc_model(0xedb88320, value, in, len);
}

static uint32_t crc32c_model(uint32_t value, const uint8_t *in, size_t len)
{
    return crc_model(0x82f63b78, value, in, len);
}

/* ipsum_model is RFC 1071 section 1: it adds 16 bits at a time, with each carry added at once. */
static uint32_t ipsum_model(uint32_t value, const uint8_t *in, size_t len)
{
    for (size_t i = 0; i < len; i += 2) {
        value += (uint32_t)in[i] << 8 | (i + 1 < len ? in[i + 1] : 0);
        value = (value & 0xffff) + (value >> 16);
    }
    return value;
}

static uint32_t ipsum_update(uint32_t value, const void *in, size_t len)
{
    return hr_ipsum_update((uint16_t)value, in, len);
}

static const struct checksum {
    hr_alg alg;
    uint32_t (*model)(uint32_t value, const uint8_t *in, size_t len);
    uint32_t (*update)(uint32_t value, const void *in, size_t len);
    uint32_t mask; /* the digest is value ^ mask */
} checksums[] = {
    { HR_CRC32, crc32_model, hr_crc32_update, 0 },
    { HR_CRC32C, crc32c_model, hr_crc32c_update, 0 },
    { HR_IPSUM, ipsum_model, ipsum_update, 0xffff },
};

static uint8_t message[MOST];

static void check_direct(const struct checksum *c, const uint8_t *in, size_t len)
{
    const size_t out_len = hr_algorithm(c->alg)->out_len;
    const uint32_t want = c->model(0, in, len) ^ c->mask;
    uint8_t out[4], bytes[4];
    direct_digest(c->alg)(out, in, len);
    store_be32(bytes, want);
    if (memcmp(out, bytes + 4 - out_len, out_len))
        complain("%zu bytes: not the definition's value %#x", len, want);
}

static void check_lengths(const struct checksum *c, size_t step)
{
    direct_digest(c->alg)(message, NULL, 0);
    if (c->update(0, NULL, 0))
        complain("nothing has a value");
    for (size_t len = 0; len <= MOST; len += len < 300 ? 1 : step) {
        random_bytes(message, sizeof message);
        check_direct(c, message + MOST - len, len);
    }
}

/* check_values continues from random values, in two pieces of which only the last may have an odd
 * length. */
static void check_values(const struct checksum *c)
{
    for (unsigned round = 0; round < 300; round++) {
        const size_t len = random_below(MOST), first = random_below((uint32_t)len + 1) & ~1u;
        uint32_t start;
        random_bytes(&start, sizeof start);
        start &= c->mask ? c->mask : UINT32_MAX;
        const uint32_t want = c->model(start, message, len);
        const uint32_t half = c->update(start, message, first);
        if (c->update(half, message + first, len - first) != want)
            complain("%zu and %zu bytes from %#x", first, len - first, start);
    }
}

/* check_blocks tries random messages of 4 to 40 KB: several of the longest blocks that a kernel
 * processes at once, and a rest. */
static void check_blocks(const struct checksum *c)
{
    static uint8_t in[40000];
    random_bytes(in, sizeof in);
    for (unsigned round = 0; round < 20; round++) {
        const size_t len = sizeof in - random_below(36000);
        check_direct(c, in + sizeof in - len, len);
    }
}

/* check_long tries a very long message of equal bytes, such as 0xff, which could overflow an
 * accumulator or lose a carry. */
static void check_long(const struct checksum *c, uint8_t fill)
{
    uint8_t *in = malloc(LONG);
    memset(in, fill, LONG);
    in[LONG / 3] ^= 0x10;
    check_direct(c, in, LONG - 1);
    free(in);
}

static void run_kernel(const struct checksum *c, const struct hr_kernel *kernel, size_t step)
{
    const char *name = hr_algorithm(c->alg)->name, *reason = cannot_run(kernel->needs);
    const uint64_t have = hr_cpu_features();
    if (reason) {
        tap_skip(reason, "%s %s", name, kernel->name);
        return;
    }
    cpu_override(kernel->needs);
    check_lengths(c, step);
    check_values(c);
    check_blocks(c);
    check_long(c, 0x00);
    check_long(c, 0xff);
    cpu_override(have);
    tap(!complaints_so_far(), "%s %s is what its definition says", name, kernel->name);
}

/* ---- the constants of folding, as crc_k.h defines them ---- */

/* power returns x^n mod P, reflected: x^31 is bit 0. */
static uint32_t power(uint32_t poly, unsigned n)
{
    uint32_t r = 0x80000000;
    while (n--)
        r = r >> 1 ^ (r & 1 ? poly : 0);
    return r;
}

/* quotient returns the quotient of x^96 by P, reflected: x^64 is bit 0, and x^0 falls off. */
static uint64_t quotient(uint32_t poly)
{
    uint64_t q = 0;
    uint32_t r = 0x80000000;
    for (unsigned n = 1; n <= 95; n++) { /* r is x^(n-1) mod P; bit 0 is the coefficient of x^31 */
        if (r & 1)
            q |= UINT64_C(1) << (n - 32);
        r = r >> 1 ^ (r & 1 ? poly : 0);
    }
    return q;
}

static void check_constants(const char *name, const struct crc_k *k, uint32_t poly)
{
    for (unsigned i = 0; i < COUNT_OF(k->fold); i++) {
        const unsigned bits = 128u << i;
        if (k->fold[i][0] != (uint64_t)power(poly, bits + 63) << 32 ||
            k->fold[i][1] != (uint64_t)power(poly, bits - 1) << 32)
            complain("fold[%u]", i);
    }
    for (unsigned i = 0; i < COUNT_OF(k->join) && k->join[i].fold[0]; i++) {
        const unsigned chain = 8 * 16 * CRC_JOIN_STEPS(i);
        if (k->join[i].fold[0] != (uint64_t)power(poly, 4 * chain + 63) << 32 ||
            k->join[i].fold[1] != (uint64_t)power(poly, 4 * chain - 1) << 32)
            complain("join[%u].fold", i);
        for (unsigned j = 0; j < COUNT_OF(k->join[0].chain); j++)
            if (k->join[i].chain[j] != (uint64_t)power(poly, (3 - j) * chain - 65) << 32)
                complain("join[%u].chain[%u]", i, j);
    }
    if (k->last != power(poly, 95))
        complain("last");
    if (k->mu != quotient(poly))
        complain("mu is not %#llx", (unsigned long long)quotient(poly));
    if (k->p != ((uint64_t)poly << 1 | 1))
        complain("p");
    tap(!complaints_so_far(), "the constants of %s are what crc_k.h says", name);
}

static void check_all_are_here(void)
{
    const struct hr_algorithm *row;
    size_t rows = 0;
    for (size_t i = 0; (row = hr_algorithm_at(i)); i++)
        rows += (row->flags & HR_CHECKSUM_ONLY) != 0;
    tap(rows == COUNT_OF(checksums), "%zu checksums of the registry have a definition here", rows);
}

int main(int argc, char **argv)
{
    const size_t step = argc > 1 && !strcmp(argv[1], "--quick") ? 97 : 1;
    struct hr_kernel kernel;
    check_all_are_here();
    check_constants("CRC-32", &crc32_k, 0xedb88320);
    check_constants("CRC-32C", &crc32c_k, 0x82f63b78);
    for (size_t k = 0; k < COUNT_OF(checksums); k++)
        for (size_t i = 0; !hr_kernel_at(&kernel, checksums[k].alg, HR_OP_DIGEST, i); i++)
            run_kernel(&checksums[k], &kernel, step);
    return tap_done();
}
