/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_KERNELS_H
#define HR_KERNELS_H

#include "../test.h"
#include "chacha/chacha.h"
#include <headrace/headrace.h>
#include <string.h>

/* struct effort says how much is run; --quick, for emulated CPUs, makes it smaller, but never
 * empty. */
/* Messages of up to MAX_SHORT bytes are tried at NUM_SHORT_ALIGNMENTS alignments each, the last one
 * with its end at a guard page. */
enum { MAX_SHORT = 512, NUM_SHORT_ALIGNMENTS = 16 };

struct effort {
    size_t max_len, len_step; /* lengths 0, step, ... up to max_len */
    size_t num_alignments;    /* of input and of output; 64 are all */
    size_t num_splits;        /* random splits of a stream */
    size_t short_step;        /* short messages: 1 tries every alignment before a page, n every
                               * n-th */
    size_t overlap_step;      /* overlapping buffers: 1 tries every distance, n every n-th */
};

/* stack_is_not_ours is set in builds with a sanitizer, whose code leaves other data on a kernel's
 * stack than the code that ships. */
extern int stack_is_not_ours;

/* must complains of an error. differs complains of bytes that are not the wanted ones, and returns
 * 1 then; a and b are the parameters of the check. */
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

/* Each of these functions runs one kernel of one row's operation through all checks of its class,
 * and returns the number of complaints. */
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
/* check_chacha uses two pages of guarded_new, each with room for 68 blocks. */
void check_chacha(chacha_xor_fn *kernel, struct guarded in, struct guarded out);
int check_aead_kernel(const struct hr_algorithm *row, enum hr_op op, size_t index,
                      const struct effort *effort);
int check_nmac_kernel(const struct hr_algorithm *row, size_t index, const struct effort *effort);
int check_cmac_kernel(const struct hr_algorithm *row, size_t index, const struct effort *effort);
int check_xts_kernel(const struct hr_algorithm *row, enum hr_op op, size_t index,
                     const struct effort *effort);
int check_wrap_kernel(const struct hr_algorithm *row, enum hr_op op, size_t index,
                      const struct effort *effort);
/* check_job_kernel compares a kernel of any other class with its portable kernel. */
int check_job_kernel(const struct hr_algorithm *row, enum hr_op op, size_t index,
                     const struct effort *effort);

#endif
