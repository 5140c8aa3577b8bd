/* SPDX-License-Identifier: Apache-2.0 */
/* The library's knowledge of a class of algorithms: each row of headrace/classes.def has a struct
 * class_calls of its own, <symbol>_class, which <symbol>_class.c defines (copy_class: job.c;
 * kdf_class: pbkdf2.c; public key: pk/<symbol>.c, mlkem/kem.c). */
#ifndef HR_CLASS_CALLS_H
#define HR_CLASS_CALLS_H

#include "internal.h"
#include <headrace/classes.h>

struct class_calls {
    /* Runs a job, without those behind `next`, and returns its result.  The caller has checked that
     * the class has the job's operation and states, and that `key` is a key of the job's row (not
     * used by classes without keys).  NULL: the class has no jobs. */
    int (*run)(struct hr_job *job, const void *key);
    /* Returns the row that a key object is for.  NULL: the class has no keys. */
    hr_alg (*key_alg)(const void *key);
    /* Returns a number, at most 255, that the jobs of public key have in common which share lanes;
     * 0: the job runs alone.  The caller has checked that it has a key object of its row, and no
     * segments.  NULL: no jobs share lanes. */
    unsigned (*kind)(const struct hr_job *job);
    /* Runs up to PK_MANY jobs of one kind, as `run` does, and sets their results. */
    void (*run_many)(struct hr_job *const *jobs, size_t num);
    /* Gets the i-th kernel of a row's operation; HR_EINVAL past the end.  NULL: the class has no
     * kernels. */
    int (*kernel_at)(struct hr_kernel *out, const struct hr_algorithm *row, enum hr_op op,
                     size_t i);
    /* Forgets which kernels were chosen, as another CPU may choose others.  NULL: it keeps none. */
    void (*forget)(void);
};

#define HR_CLASS(number, SYM, sym, ...) extern const struct class_calls sym##_class;
#include <headrace/classes.def>

const struct class_calls *class_calls(enum hr_class cls); /* registry.c */

/* Returns the class's row of the least size, in bytes of the modulus, that a key does not exceed;
 * the largest has all that do.  registry.c */
hr_alg class_row_of_size(enum hr_class cls, size_t bytes);

/* KERNEL_AT is the body of a kernel_at: it copies the description of kernel i of a list to *out and
 * is 0, or HR_EINVAL past the end. */
#define KERNEL_AT(list) (i < (list)->num_kernels ? (*out = (list)->kernels[i].info, 0) : HR_EINVAL)

/* ---- job.c: what the classes' jobs share ---- */

/* The parts that a job reads and writes, as a list: its segments or, if it has none, one part made
 * of its in, out and len. */
struct parts {
    const struct hr_segment *parts;
    size_t num;
    struct hr_segment whole;
};
void job_parts(struct parts *p, const struct hr_job *job);

static inline size_t job_tag_len(const struct hr_job *job, size_t out_len)
{
    return job->tag_len ? job->tag_len : out_len;
}
/* Writes the first bytes of a whole tag to job->tag, or compares them with job->tag, as the job's
 * operation says.  Returns 0, HR_EMAC, HR_ETAGLEN, or HR_EINVAL if job->tag is NULL. */
int job_tag_done(const struct hr_job *job, const uint8_t *tag);

#endif
