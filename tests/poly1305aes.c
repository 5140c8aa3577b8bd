/* SPDX-License-Identifier: Apache-2.0 */
/* <headrace/poly1305aes.h>: the vectors of the paper, the test procedure of Bernstein's package,
 * every flipped bit, every alignment.  The kernels' results are checked in kernels_nmac.c. */
#include "test.h"

#include <headrace/algorithms.h>
#include <headrace/poly1305aes.h>

enum { MAX_LEN = 1000 };

static void model(uint8_t out[16], const uint8_t *m, size_t l, const uint8_t kr[32],
                  const uint8_t s[16])
{
    model_poly1305(out, m, l, kr + 16, s);
}

static void aes(uint8_t s[16], const uint8_t kr[32], const uint8_t n[16])
{
    struct hr_cipher_key key;
    if (hr_cipher_key_init(&key, HR_AES_128_ECB, kr, 16) ||
        hr_aes_128_ecb_encrypt(s, n, 16, &key, NULL))
        complain("AES");
}

/* ---- the functions of the header ---- */

static int raw_agrees(const uint8_t want[16], const uint8_t *kr, const uint8_t *n, const uint8_t *m,
                      size_t l)
{
    uint8_t out[16];
    poly1305aes_authenticate(out, kr, n, m, l);
    return !memcmp(out, want, 16) && poly1305aes_verify(out, kr, n, m, l);
}

static int kept_agrees(const uint8_t want[16], const struct hr_poly1305_aes_key *key,
                       const uint8_t *n, const uint8_t *m, size_t l)
{
    uint8_t out[16], pieces[16];
    hr_poly1305_aes_authenticate(out, key, n, m, l);
    struct hr_poly1305_aes_ctx ctx;
    hr_poly1305_aes_init(&ctx, key, n);
    for (size_t at = 0; at < l;) {
        const size_t piece = 1 + random_below((uint32_t)(l - at));
        hr_poly1305_aes_update(&ctx, m + at, piece);
        hr_poly1305_aes_update(&ctx, NULL, 0);
        at += piece;
    }
    hr_poly1305_aes_final(&ctx, pieces);
    return !memcmp(out, want, 16) && !memcmp(pieces, want, 16) && is_zero(&ctx, sizeof ctx) &&
           hr_poly1305_aes_verify(out, key, n, m, l);
}

static void check_paper(void)
{
    static const struct {
        const char *kr, *n, *m, *mac;
    } cases[] = {
        /* appendix B */
        { "ec074c835580741701425b623235add6851fc40c3467ac0be05cc20404f3f700",
          "fb447350c4e868c52ac3275cf9d4327e", "f3f6", "f4c633c3044fc145f84f335cb81953de" },
        { "75deaa25c09f208e1dc4ce6b5cad3fbfa0f3080000f46400d0c7e9076c834403",
          "61ee09218d29b0aaed7e154a2c5509cc", "", "dd3fab2251f11ac759f0887129cc2ee7" },
        { "6acb5f61a7176dd320c5c1eb2edcdc7448443d0bb0d21109c89a100b5ce2c208",
          "ae212a55399729595dea458bc621ff0e",
          "663cea190ffb83d89593f3f476b6bc24d7e679107ea26adb8caf6652d0656136",
          "0ee1c16bb73f0f4fd19881753c01cdbe" },
        { "e1a5668a4d5b66a5f68cc5424ed5982d12976a08c4426d0ce8a82407c4f48207",
          "9ae831e743978d3a23527c7128149e3a",
          "ab0812724a7f1e342742cbed374d94d136c6b8795d45b3819830f2c04491faf0990c62e48b8018b2c3e4a0fa"
          "3134cb67fa83e158c994d961c4cb21095c1bf9",
          "5154ad0d2cb26e01274fc51148491f1b" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *text[4] = { cases[i].kr, cases[i].n, cases[i].m, cases[i].mac };
        uint8_t bytes[4][64];
        size_t len[4];
        for (int j = 0; j < 4; j++) {
            len[j] = strlen(text[j]) / 2;
            for (size_t k = 0; k < len[j]; k++)
                sscanf(text[j] + 2 * k, "%2hhx", &bytes[j][k]);
        }
        struct hr_poly1305_aes_key key;
        hr_poly1305_aes_key_init(&key, bytes[0]);
        if (!raw_agrees(bytes[3], bytes[0], bytes[1], bytes[2], len[2]) ||
            !kept_agrees(bytes[3], &key, bytes[1], bytes[2], len[2]))
            complain("case %zu", i);
        hr_poly1305_aes_key_wipe(&key);
        if (!is_zero(&key, sizeof key))
            complain("a wiped key is not zero");
    }
    hr_poly1305_aes_key_wipe(NULL);
    tap(!complaints_so_far(), "appendix B of the paper");
}

/* check_procedure makes the input of each length from the MAC before, so that the last MAC shows an
 * error in any of the 1,000. */
static void check_procedure(void)
{
    static const uint8_t last[16] = { 0x59, 0x63, 0x82, 0xb2, 0xc3, 0x47, 0x04, 0xb8,
                                      0x7e, 0x29, 0x12, 0x50, 0xfc, 0xb9, 0x27, 0xfd };
    uint8_t kr[32] = { 0 }, n[16] = { 0 }, m[MAX_LEN] = { 0 }, out[16];
    for (size_t len = 0;; len++) {
        uint8_t s[16], want[16];
        poly1305aes_authenticate(out, kr, n, m, len);
        aes(s, kr, n);
        model(want, m, len, kr, s);
        struct hr_poly1305_aes_key key;
        hr_poly1305_aes_key_init(&key, kr);
        if (!raw_agrees(want, kr, n, m, len) || !kept_agrees(want, &key, n, m, len))
            complain("%zu bytes", len);
        const uint32_t x = random_below(16);
        const uint8_t forged = (uint8_t)(1 + random_below(255));
        out[x] ^= forged;
        if (poly1305aes_verify(out, kr, n, m, len) || hr_poly1305_aes_verify(out, &key, n, m, len))
            complain("%zu bytes, forged", len);
        out[x] ^= forged;
        if (len == MAX_LEN)
            break;
        for (int i = 0; i < 16; i++) {
            n[i] ^= out[i];
            if (len % 2)
                kr[i] ^= out[i];
            if (len % 3)
                kr[16 + i] ^= out[i];
        }
        poly1305aes_clamp(kr);
        m[len] ^= out[0];
    }
    if (memcmp(out, last, 16))
        complain("the last MAC is another than the package's");
    tap(!complaints_so_far(), "the test procedure of Bernstein's package, 0 to %d bytes", MAX_LEN);
}

static void check_bits(void)
{
    uint8_t kr[32], n[16], m[100], mac[16];
    random_bytes(kr, 32);
    poly1305aes_clamp(kr);
    random_bytes(n, 16);
    random_bytes(m, sizeof m);
    struct hr_poly1305_aes_key key;
    hr_poly1305_aes_key_init(&key, kr);
    poly1305aes_authenticate(mac, kr, n, m, sizeof m);
    const struct {
        uint8_t *bytes;
        size_t len;
    } flipped[] = { { mac, 16 }, { m, sizeof m }, { n, 16 }, { kr, 32 } };
    for (size_t i = 0; i < COUNT_OF(flipped); i++) {
        for (size_t bit = 0; bit < 8 * flipped[i].len; bit++) {
            uint8_t clamped[32];
            flipped[i].bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            memcpy(clamped, kr, 32);
            poly1305aes_clamp(clamped);
            /* a flipped bit of r that clamping clears changes no MAC */
            const int same = i == 3 && memcmp(clamped, kr, 32);
            if (!!poly1305aes_verify(mac, kr, n, m, sizeof m) != same ||
                (i < 3 && hr_poly1305_aes_verify(mac, &key, n, m, sizeof m)))
                complain("bit %zu of %s", bit, ((const char *[]){ "a", "m", "n", "kr" })[i]);
            flipped[i].bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    tap(!complaints_so_far(), "every flipped bit is noticed, but those that clamping clears");
}

/* check_places puts key, nonce and message at every address modulo 16, shortly before a page that
 * cannot be read, and the output at every address modulo 16 and inside the message. */
static void check_places(void)
{
    struct guarded memory[4];
    for (size_t i = 0; i < COUNT_OF(memory); i++)
        memory[i] = guarded_new(4096);
    for (size_t place = 0; place < 64; place++) {
        const size_t len = 16 + random_below(600);
        uint8_t *kr = memory[0].end - 32 - place % 16, *n = memory[1].end - 16 - place / 4;
        uint8_t *m = memory[2].end - len - place % 32, *out = memory[3].start + place % 16;
        uint8_t s[16], want[16];
        random_bytes(kr, 32);
        random_bytes(n, 16);
        random_bytes(m, len);
        aes(s, kr, n);
        model(want, m, len, kr, s);
        struct hr_poly1305_aes_key key;
        hr_poly1305_aes_key_init(&key, kr);
        if (!raw_agrees(want, kr, n, m, len) || !kept_agrees(want, &key, n, m, len))
            complain("place %zu, %zu bytes", place, len);
        poly1305aes_authenticate(out, kr, n, m, len);
        if (memcmp(out, want, 16) || !poly1305aes_verify(out, kr, n, m, len))
            complain("place %zu, out at the start of a page", place);
        out = m + random_below((uint32_t)len - 15);
        hr_poly1305_aes_authenticate(out, &key, n, m, len);
        if (memcmp(out, want, 16))
            complain("place %zu, out inside the message", place);
    }
    tap(!complaints_so_far(), "no alignment is needed");
}

int main(void)
{
    check_paper();
    check_procedure();
    check_bits();
    check_places();
    return tap_done();
}
