/* SPDX-License-Identifier: Apache-2.0 */
/* Implicit rejection: bad padding gives a message that nobody can tell from one that was encrypted
 * (draft-irtf-cfrg-rsa-guidance, section 7).  It is made of d and the ciphertext, so that the same
 * ciphertext always gives the same message; OpenSSL 3.2 and later make the same bytes. */
#include "rsa.h"
#include <headrace/algorithms.h>

enum { NUM_LENGTHS = 128, LEAST_PADDING = 10, MAC_LEN = 32, MOST_LABEL = 7 };

/* Blocks of HMAC-SHA-256 over counter || label || number of bits, both numbers of 16 bits. */
static int expand(uint8_t *out, size_t out_len, const char *label, const struct hr_hmac_key *key)
{
    uint8_t in[2 + MOST_LABEL + 2], block[MAC_LEN];
    const size_t label_len = strlen(label), bits = 8 * out_len;
    int error = 0;
    memcpy(in + 2, label, label_len);
    store_be16(in + 2 + label_len, (uint16_t)bits);
    for (uint16_t i = 0; !error && out_len; i++) {
        const size_t part = out_len < MAC_LEN ? out_len : MAC_LEN;
        store_be16(in, i);
        error = hr_hmac(block, in, label_len + 4, key);
        memcpy(out, block, part);
        out += part;
        out_len -= part;
    }
    WIPE(&block);
    return error;
}

/* The last of the candidates that is not too long; they are cut to as many bits as the longest
 * message has. */
static uint32_t choose_length(const uint8_t *candidates, uint32_t most)
{
    uint32_t mask = most, len = 0;
    for (int shift = 1; shift < 16; shift *= 2)
        mask |= mask >> shift;
    for (size_t i = 0; i < NUM_LENGTHS; i++) {
        const uint32_t candidate = load_be16(candidates + 2 * i) & mask;
        len = ct_select(ct_lt(candidate, most), candidate, len);
    }
    return len;
}

int rsa_reject(uint8_t *out, uint32_t *len, const uint8_t *in, const struct rsa_key *key)
{
    struct hr_hmac_key hmac;
    uint8_t lengths[2 * NUM_LENGTHS], derived[MAC_LEN];
    int error =
        hr_hmac_once(derived, HR_HMAC_SHA256, in, key->bytes, key->d_digest, sizeof key->d_digest);
    if (!error)
        error = hr_hmac_key_init(&hmac, HR_HMAC_SHA256, derived, sizeof derived);
    if (!error)
        error = expand(lengths, sizeof lengths, "length", &hmac);
    if (!error)
        error = expand(out, key->bytes, "message", &hmac);
    if (!error)
        *len = choose_length(lengths, key->bytes - LEAST_PADDING);
    WIPE(&hmac);
    WIPE(&lengths);
    WIPE(&derived);
    return error;
}
