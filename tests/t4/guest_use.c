/* SPDX-License-Identifier: Apache-2.0 */
/* Runs guest_use.S, which uses the T4's instructions as other projects' code does, on published
 * values. */
#include "bytes.h"
#include "test.h"
#include <sys/auxv.h>

struct md5_ctx {
    uint32_t state[4], total[2];
};
void guest_crc32c(uint32_t *crc, const uint64_t *data, unsigned len);
void guest_md5_process_block(const void *buffer, size_t len, struct md5_ctx *ctx);

/* ---- CRC-32C: RFC 3720 appendix B.4 ---- */

static uint32_t crc_of(const uint8_t *bytes, unsigned len, unsigned first)
{
    uint64_t data[8];
    uint32_t crc = UINT32_MAX;
    memcpy(data, bytes, len);
    if (first)
        guest_crc32c(&crc, data, first);
    if (len > first)
        guest_crc32c(&crc, data + first / 8, len - first);
    return ~crc;
}

static void check_crc(const uint8_t *bytes, unsigned len, uint32_t want, const char *what)
{
    for (unsigned first = 0; first <= len; first += 8)
        if (crc_of(bytes, len, first) != want)
            complain("%u and %u bytes: %#x", first, len - first, crc_of(bytes, len, first));
    tap(!complaints_so_far(), "a kernel's CRC-32C of %s", what);
}

static void check_crcs(void)
{
    static const uint8_t read_command[48] = {
        [0] = 0x01,  [1] = 0xc0,  [16] = 0x14, [22] = 0x04,
        [27] = 0x14, [31] = 0x18, [32] = 0x28, [40] = 0x02,
    };
    uint8_t bytes[32] = { 0 };
    check_crc(bytes, 32, 0x8a9136aa, "zeros");
    memset(bytes, 0xff, 32);
    check_crc(bytes, 32, 0x62a8ab43, "ones");
    for (uint8_t i = 0; i < 32; i++)
        bytes[i] = i;
    check_crc(bytes, 32, 0x46dd794e, "a count up");
    for (uint8_t i = 0; i < 32; i++)
        bytes[i] = (uint8_t)(31 - i);
    check_crc(bytes, 32, 0x113fdb5c, "a count down");
    check_crc(read_command, 48, 0xd9963a56, "an iSCSI Read command");
}

/* ---- MD5: RFC 1321 appendix A.5 ---- */

/* md5 computes the MD5 of a short text, padded here, from an address that is `align` modulo 8, in
 * one call or with one call for each block. */
static void md5(uint8_t out[16], const char *text, unsigned align, int block_by_block)
{
    static _Alignas(8) uint8_t bytes[8 + 2 * 64];
    struct md5_ctx ctx = { { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 }, { 0, 0 } };
    const size_t len = strlen(text), padded = (len + 9 + 63) / 64 * 64;
    uint8_t *at = bytes + align;
    memset(bytes, 0, sizeof bytes);
    memcpy(at, text, len);
    at[len] = 0x80;
    store_le64(at + padded - 8, 8 * (uint64_t)len);
    const size_t step = block_by_block ? 64 : padded;
    for (size_t done = 0; done < padded; done += step)
        guest_md5_process_block(at + done, step, &ctx);
    if (ctx.total[0] != padded || ctx.total[1])
        complain("%zu bytes were counted as %u, %u", padded, ctx.total[0], ctx.total[1]);
    for (unsigned i = 0; i < 4; i++)
        store_le32(out + 4 * i, ctx.state[i]);
}

static void check_md5(const char *text, const char *want)
{
    uint8_t out[16];
    char got[33];
    for (unsigned i = 0; i < 16; i++) {
        md5(out, text, i % 8, i / 8);
        for (unsigned k = 0; k < 16; k++)
            snprintf(got + 2 * k, 3, "%02x", out[k]);
        if (strcmp(got, want))
            complain("at %u: %s", i % 8, got);
    }
    tap(!complaints_so_far(), "a C library's MD5 of \"%s\"", text);
}

static void check_md5_count(void)
{
    static const uint8_t block[64];
    struct md5_ctx ctx = { .total = { UINT32_MAX - 63, 7 } };
    guest_md5_process_block(block, sizeof block, &ctx);
    tap(!ctx.total[0] && ctx.total[1] == 8, "and its count's carry");
}

int main(void)
{
    if (!(getauxval(AT_HWCAP) & HWCAP_SPARC_CRYPTO)) {
        printf("1..0 # SKIP no crypto instructions: run it by headrace-t4emu\n");
        return 0;
    }
    check_crcs();
    check_md5("", "d41d8cd98f00b204e9800998ecf8427e");
    check_md5("a", "0cc175b9c0f1b6a831c399e269772661");
    check_md5("abc", "900150983cd24fb0d6963f7d28e17f72");
    check_md5("message digest", "f96b697d7cb7938d525a2f31aaf161d0");
    check_md5("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b");
    check_md5("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
              "d174ab98d277d9f5a5611c2c9f419d9f");
    check_md5("1234567890123456789012345678901234567890"
              "1234567890123456789012345678901234567890",
              "57edf4a22be3c955ac49da2e2107b67a");
    check_md5_count();
    return tap_done();
}
