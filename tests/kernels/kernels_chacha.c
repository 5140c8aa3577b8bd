/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a kernel of ChaCha20 with RFC 8439's definition. */
#include "bytes.h"
#include "kernels.h"

enum { MOST = 68 }; /* blocks: four times as many as the widest vectors hold, and some */

static void check_blocks(chacha_xor_fn *kernel, struct guarded in_page, struct guarded out_page,
                         size_t n)
{
    uint32_t state[CHACHA_WORDS] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 };
    uint8_t key[32], nonce[12], message[MOST * CHACHA_BLOCK], expected[MOST * CHACHA_BLOCK];
    const size_t len = n * CHACHA_BLOCK;
    const uint32_t number = n & 4 ? 0 - (uint32_t)n : random_below(1000); /* the last one is the
                                                                           * last that there is */
    uint8_t *const in = n & 1 ? in_page.end - len : in_page.start;
    uint8_t *const out = n % 3 == 0 ? in : n & 2 ? out_page.end - len : out_page.start;
    random_bytes(key, sizeof key);
    random_bytes(nonce, sizeof nonce);
    random_bytes(message, len);
    for (size_t i = 0; i < CHACHA_KEY_WORDS; i++)
        state[4 + i] = load_le32(key + 4 * i);
    state[12] = number;
    for (size_t i = 0; i < 3; i++)
        state[13 + i] = load_le32(nonce + 4 * i);
    memcpy(in, message, len);
    model_chacha(expected, message, len, key, number, nonce);
    const uintptr_t args[6] = { (uintptr_t)out, (uintptr_t)in, n, (uintptr_t)state };
    const int changed = checked_call((void (*)(void))kernel, args);
    if (changed)
        complain("%zu blocks: %d registers not kept", n, changed);
    differs(out, expected, len, "blocks (number, first)", n, number);
}

void check_chacha(chacha_xor_fn *kernel, struct guarded in, struct guarded out)
{
    for (size_t n = 0; n <= MOST; n++)
        check_blocks(kernel, in, out, n);
}
