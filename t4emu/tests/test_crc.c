/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C of whole messages, computed in one chain and in two. */
#include "../../lib/bytes.h"
#include "run.h"
#include <string.h>

/* The state register after the message. */
static uint64_t chain(uint64_t state, const uint8_t *message, size_t len)
{
    D(36) = state;
    for (; len; message += 8, len -= 8) {
        D(2) = load_be64(message);
        run(T4_CRC32C, F(36), F(36), F(2), 0);
    }
    return D(36);
}

/* RFC 3720, appendix B.4, whose CRCs are in memory order, as the register is. */
static void published(void)
{
    static const struct {
        const char *message;
        uint32_t crc;
    } cases[] = {
        { "0000000000000000000000000000000000000000000000000000000000000000", 0xaa36918a },
        { "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", 0x43aba862 },
        { "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", 0x4e79dd46 },
        { "1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100", 0x5cdb3f11 },
        { "01c000000000000000000000000000001400000000000400000000140000001828000000000000000200000"
          "000000000",
          0x563a96d9 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t message[64];
        const size_t len = from_hex(message, cases[i].message);
        reset();
        expect(chain(0xffffffff, message, len) ^ 0xffffffff, cases[i].crc, "CRC");
        const uint64_t middle = chain(0xffffffff, message, len / 2 & ~(size_t)7);
        const size_t done = len / 2 & ~(size_t)7;
        reset();
        expect(chain(middle, message + done, len - done) ^ 0xffffffff, cases[i].crc,
               "CRC of two pieces");
    }
}

static void upper_word(void)
{
    reset();
    D(0) = 0x55555555ffffffff;
    run(T4_CRC32C, F(2), F(0), F(4), 0);
    const uint64_t with = D(2);
    D(0) = 0xffffffff;
    run(T4_CRC32C, F(2), F(0), F(4), 0);
    expect(with, D(2), "state with an upper word");
}

const struct check crc_checks[] = {
    { "CRC-32C: RFC 3720 appendix B.4, whole and chained", published },
    { "CRC-32C: the state is 32 bits", upper_word },
    { 0 },
};
