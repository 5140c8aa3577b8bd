/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_KERNELS_H
#define HR_KERNELS_H

#include "test.h"
#include <headrace/headrace.h>
#include <string.h>

/* How much is run; --quick (an emulated CPU) makes it smaller, never empty. */
/* Short messages, each of which is tried at so many alignments, the last one with its end against a
 * guard page. */
enum { MAX_SHORT = 512, NUM_SHORT_ALIGNMENTS = 16 };

struct effort {
    size_t max_len, len_step; /* lengths 0, step, ... up to max_len */
    size_t num_alignments;    /* of in and of out: 64 is all */
    size_t num_splits;        /* random splits of a stream */
    size_t short_step;        /* alignments of short messages before a page */
    size_t overlap_step;      /* distances of buffers that touch */
};

/* Set where a compiler was asked for more than the code that ships has, by a sanitizer: then what
 * it puts on a kernel's stack says nothing. */
extern int stack_is_not_ours;

/* Complain of an error, and of bytes that are not those wanted, which differs returns; a and b are
 * what the check told apart. */
static inline void must(int error, const char *what)
{
    if (error)
        complain("%s: %s", what, hr_strerror(error));
}

static inline int differs(const uint8_t *got, const uint8_t *want, size_t len, const char *what,
                          size_t a, size_t b)
{
    if (memcmp(got, want, len) == 0)
        return 0;
    return complain("%s: wrong bytes (%zu, %zu)", what, a, b);
}

/* Each runs one kernel of one row's operation through every check and returns 0, or complains. */
int check_digest_kernel(const struct hr_algorithm *row, size_t index, const struct effort *effort);
int check_digest_lanes_kernel(const struct hr_algorithm *row, size_t index);
int check_mac_kernel(const struct hr_algorithm *row, size_t index, const struct effort *effort);
int check_iterate_kernel(const struct hr_algorithm *row, size_t index);
int check_cipher_kernel(const struct hr_algorithm *row, enum hr_op op, size_t index,
                        const struct effort *effort);
int check_choice_of_kernels(const struct hr_algorithm *row, enum hr_op op,
                            const struct effort *effort);
int check_cipher_lanes_kernel(const struct hr_algorithm *row, size_t index);
int check_wide_lanes_kernel(const struct hr_algorithm *row, size_t index);
int check_aead_kernel(const struct hr_algorithm *row, enum hr_op op, size_t index,
                      const struct effort *effort);
int check_nmac_kernel(const struct hr_algorithm *row, size_t index, const struct effort *effort);
int check_xts_kernel(const struct hr_algorithm *row, enum hr_op op, size_t index,
                     const struct effort *effort);

#endif
