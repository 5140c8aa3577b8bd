/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KASUMI with the parameters of 3GPP: f8 and f9 (TS 35.201; UEA1 and UIA1), A5/3, A5/4, GEA3 and
 * GEA4 (TS 55.216, 55.226), one message or many.  The conventions are those of headrace.h. Messages
 * of whole bytes can also use the rows HR_KASUMI_F8 and HR_KASUMI_F9, with expanded keys, streams
 * and queues.
 *
 * The first bit of a message or of keystream is the most significant one of its first byte.  If
 * num_bits is not a multiple of 8, the unused bits of the last byte are ignored in an input and
 * zero in an output.  bearer is 0 to 31, direction 0 or 1; keys have 16 bytes.
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

/* hr_kasumi_f8_iv makes the IV of HR_KASUMI_F8 from COUNT, BEARER, DIRECTION and 26 zero bits;
 * hr_kasumi_f9_iv makes the nonce of HR_KASUMI_F9. */
HR_API void hr_kasumi_f8_iv(uint8_t iv[8], uint32_t count, unsigned bearer, unsigned direction);
HR_API void hr_kasumi_f9_iv(uint8_t iv[9], uint32_t count, uint32_t fresh, unsigned direction);

/* hr_kasumi_f8_bits encrypts or decrypts, which is the same operation; `out` is `in` or does not
 * touch it.  HR_EINVAL (NULL, or an impossible bearer or direction), HR_EOVERLAP. */
HR_API HR_MUST_CHECK int hr_kasumi_f8_bits(uint8_t *out, const uint8_t *in, uint64_t num_bits,
                                           const uint8_t *key, uint32_t count, unsigned bearer,
                                           unsigned direction);
/* hr_kasumi_f9_bits writes a MAC of 4 bytes; `mac` may lie anywhere.  HR_EINVAL. */
HR_API HR_MUST_CHECK int hr_kasumi_f9_bits(uint8_t *mac, const uint8_t *in, uint64_t num_bits,
                                           const uint8_t *key, uint32_t count, uint32_t fresh,
                                           unsigned direction);

/* hr_kasumi_a53 writes both keystream blocks, of 114 bits each, for a frame number of 22 bits: A5/3
 * with a key of 8 to 15 bytes, A5/4 with 16.  HR_EINVAL; HR_EKEYLEN: not 8 to 16 bytes. */
HR_API HR_MUST_CHECK int hr_kasumi_a53(uint8_t *block1, uint8_t *block2, const uint8_t *key,
                                       size_t key_len, uint32_t count);
/* hr_kasumi_gea3 writes out_len bytes of keystream of GEA3, or of GEA4 with a key of 16 bytes.
 * Errors are those of hr_kasumi_a53. */
HR_API HR_MUST_CHECK int hr_kasumi_gea3(uint8_t *out, size_t out_len, const uint8_t *key,
                                        size_t key_len, uint32_t input, unsigned direction);

struct hr_kasumi_f8_message {
    uint8_t *out; /* is `in`, or touches no input or output of the call */
    const uint8_t *in;
    uint64_t num_bits;
    const uint8_t *key;
    uint32_t count;
    uint8_t bearer, direction;
};
struct hr_kasumi_f9_message {
    uint8_t *mac; /* touches no input of the call */
    const uint8_t *in;
    uint64_t num_bits;
    const uint8_t *key;
    uint32_t count, fresh;
    uint8_t direction;
};

/* hr_kasumi_f8_many and hr_kasumi_f9_many process messages side by side, in any order: with
 * AVX-512, 512 take the time of one or two dozen.  They use 96 KiB of stack.  Overlap between
 * messages is not checked.  HR_EINVAL (NULL, or an impossible bearer or direction), HR_EOVERLAP
 * (the out and in of one message of f8): no message has been processed. */
HR_API HR_MUST_CHECK int hr_kasumi_f8_many(const struct hr_kasumi_f8_message *messages, size_t num);
HR_API HR_MUST_CHECK int hr_kasumi_f9_many(const struct hr_kasumi_f9_message *messages, size_t num);

#ifdef __cplusplus
}
#endif
#endif
