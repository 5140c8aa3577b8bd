/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KASUMI with the parameters of 3GPP: f8 and f9 (TS 35.201; UEA1 and UIA1), A5/3, A5/4, GEA3 and
 * GEA4 (TS 55.216, 55.226), one message or many.  The conventions are those of headrace.h, which
 * includes this file.  Whole bytes also go through the rows HR_KASUMI_F8 and HR_KASUMI_F9: keys
 * kept, streams, queues.
 *
 * The first bit of a message or of keystream is the most significant one of its first byte.  Where
 * num_bits is no multiple of 8, the bits of the last byte after it are not looked at in an input,
 * and are zero in an output.  bearer is 0 to 31, direction 0 or 1; keys have 16 bytes.
 */
#ifndef HEADRACE_KASUMI_H
#define HEADRACE_KASUMI_H

#include <headrace/headrace.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HR_KASUMI_KEY_LEN 16
#define HR_KASUMI_MAC_LEN 4
#define HR_KASUMI_A53_LEN 15 /* 114 bits */

/* The IV of HR_KASUMI_F8: COUNT, BEARER, DIRECTION and 26 zeros; the nonce of HR_KASUMI_F9. */
HR_API void hr_kasumi_f8_iv(uint8_t iv[8], uint32_t count, unsigned bearer, unsigned direction);
HR_API void hr_kasumi_f9_iv(uint8_t iv[9], uint32_t count, uint32_t fresh, unsigned direction);

/* Encrypts or decrypts, which is the same; out is in or does not touch it.  HR_EINVAL (NULL, a
 * bearer or direction that is none), HR_EOVERLAP. */
HR_API HR_MUST_CHECK int hr_kasumi_f8_bits(uint8_t *out, const uint8_t *in, uint64_t num_bits,
                                           const uint8_t *key, uint32_t count, unsigned bearer,
                                           unsigned direction);
/* The MAC of 4 bytes, at any place.  HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_kasumi_f9_bits(uint8_t *mac, const uint8_t *in, uint64_t num_bits,
                                           const uint8_t *key, uint32_t count, uint32_t fresh,
                                           unsigned direction);

/* A5/3 (a key of 8 bytes and more; of 16 it is A5/4): both blocks of 114 bits of a frame's number
 * of 22 bits.  HR_EINVAL; HR_EKEYLEN: not 8 to 16 bytes. */
HR_API HR_MUST_CHECK int hr_kasumi_a53(uint8_t *block1, uint8_t *block2, const uint8_t *key,
                                       size_t key_len, uint32_t count);
/* GEA3 (GEA4 with 16 bytes of key): out_len bytes of keystream.  Errors as above. */
HR_API HR_MUST_CHECK int hr_kasumi_gea3(uint8_t *out, size_t out_len, const uint8_t *key,
                                        size_t key_len, uint32_t input, unsigned direction);

struct hr_kasumi_f8_message {
    uint8_t *out; /* in, or apart from every input and output of the call */
    const uint8_t *in;
    uint64_t num_bits;
    const uint8_t *key;
    uint32_t count;
    uint8_t bearer, direction;
};
struct hr_kasumi_f9_message {
    uint8_t *mac; /* apart from every input */
    const uint8_t *in;
    uint64_t num_bits;
    const uint8_t *key;
    uint32_t count, fresh;
    uint8_t direction;
};

/* Messages side by side, in any order: with AVX-512, 512 take the time of one or two dozen.  96
 * KiB of stack.  HR_EINVAL, and no message is done: one has a NULL, bearer or direction that is
 * none; overlap inside the call is the caller's error. */
HR_API HR_MUST_CHECK int hr_kasumi_f8_many(const struct hr_kasumi_f8_message *messages, size_t num);
HR_API HR_MUST_CHECK int hr_kasumi_f9_many(const struct hr_kasumi_f9_message *messages, size_t num);

#ifdef __cplusplus
}
#endif
#endif
