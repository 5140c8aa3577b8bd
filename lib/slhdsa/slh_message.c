/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of SLH-DSA that hash messages: PRF_msg and H_msg, FIPS 205 section 11. */
#include "../keccak/keccak.h"
#include "slhdsa.h"
#include <headrace/algorithms.h>

enum { MAX_BLOCK = 128, MAX_OUT = 64 };

/* The digest of a set's messages (section 11.2). */
static hr_alg digest_of(const struct slh_key *key)
{
    return key->params->n > 16 ? HR_SHA512 : HR_SHA256;
}

struct part {
    const uint8_t *p;
    size_t len;
};

static void shake(uint8_t *out, size_t out_len, const struct part *parts, size_t num)
{
    struct keccak k;
    keccak_start(&k, KECCAK_RATE_256, KECCAK_SHAKE);
    for (size_t i = 0; i < num; i++)
        keccak_absorb(&k, parts[i].p, parts[i].len);
    keccak_squeeze(&k, out, out_len);
    WIPE(&k);
}

/* Digests parts that follow each other.  The calls cannot fail: the row exists, and lengths are
 * those of memory. */
static void sha2(uint8_t out[MAX_OUT], hr_alg alg, const struct part *parts, size_t num)
{
    struct hr_digest_ctx ctx;
    int error = hr_digest_init(&ctx, alg);
    for (size_t i = 0; i < num; i++)
        error |= hr_digest_update(&ctx, parts[i].p, parts[i].len);
    error |= hr_digest_final(&ctx, out);
    (void)error;
}

/* HMAC (FIPS 198-1) with a key that is shorter than a block. */
static void hmac(uint8_t out[MAX_OUT], hr_alg alg, const uint8_t *key, size_t key_len,
                 const struct part *message)
{
    const size_t block_len = hr_algorithm(alg)->block_len, out_len = hr_algorithm(alg)->out_len;
    uint8_t block[MAX_BLOCK], inner[MAX_OUT];
    memset(block, 0x36, sizeof block);
    for (size_t i = 0; i < key_len; i++)
        block[i] ^= key[i];
    sha2(inner, alg,
         (const struct part[]){ { block, block_len }, message[0], message[1], message[2] }, 4);
    for (size_t i = 0; i < sizeof block; i++)
        block[i] ^= 0x36 ^ 0x5c;
    sha2(out, alg, (const struct part[]){ { block, block_len }, { inner, out_len } }, 2);
    WIPE(&block);
    WIPE(&inner);
}

void slh_prf_msg(uint8_t *r, const struct slh_key *key, const uint8_t *opt_rand,
                 const struct slh_message *message)
{
    const size_t n = key->params->n;
    const struct part parts[] = { { slh_sk_prf(key), n },
                                  { opt_rand, n },
                                  { message->prefix, message->prefix_len },
                                  { message->in, message->in_len } };
    uint8_t out[MAX_OUT];
    if (key->params->shake)
        shake(out, n, parts, COUNT(parts));
    else
        hmac(out, digest_of(key), slh_sk_prf(key), n, parts + 1);
    memcpy(r, out, n);
    WIPE(&out);
}

/* MGF1 (RFC 8017 appendix B.2.1) of R || PK.seed || digest. */
static void mgf1(uint8_t *out, size_t out_len, hr_alg alg, const struct part seed[3])
{
    uint8_t counter[4], block[MAX_OUT];
    const size_t len = hr_algorithm(alg)->out_len;
    for (size_t at = 0; at < out_len; at += len) {
        store_be32(counter, (uint32_t)(at / len));
        sha2(block, alg,
             (const struct part[]){ seed[0], seed[1], seed[2], { counter, sizeof counter } }, 4);
        memcpy(out + at, block, out_len - at < len ? out_len - at : len);
    }
}

void slh_h_msg(uint8_t *digest, const struct slh_key *key, const uint8_t *r,
               const struct slh_message *message)
{
    const size_t n = key->params->n;
    const struct part parts[] = { { r, n },
                                  { slh_pk_seed(key), n },
                                  { slh_pk_root(key), n },
                                  { message->prefix, message->prefix_len },
                                  { message->in, message->in_len } };
    const hr_alg alg = digest_of(key);
    uint8_t inner[MAX_OUT];
    if (key->params->shake) {
        shake(digest, key->params->m, parts, COUNT(parts));
        return;
    }
    sha2(inner, alg, parts, COUNT(parts));
    mgf1(digest, key->params->m, alg,
         (const struct part[]){ parts[0], parts[1], { inner, hr_algorithm(alg)->out_len } });
}
