/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of classes.def, for code that takes any algorithm and knows none by name: queues,
 * services, bindings.  The conventions are those of headrace.h.
 */
#ifndef HEADRACE_CLASSES_H
#define HEADRACE_CLASSES_H

#include <headrace/headrace.h>
#include <headrace/queue.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a class has ---- */

enum hr_has {
    HR_HAS_KEY = 1,
    HR_HAS_ANY_KEY = 2, /* the key may have any length; else it has the row's key_len bytes */
    HR_HAS_IV = 4,
    HR_HAS_AAD = 8,
    HR_HAS_PARTS = 16,  /* the message may come in segments */
    HR_HAS_STATES = 32, /* the message may come in several jobs */
    HR_HAS_SHARED = 64, /* data may lie where others write meanwhile: no tag vouches for it */
};
enum hr_in {
    HR_IN_ANY,
    HR_IN_BLOCKS, /* multiples of the row's block_len */
    HR_IN_UNIT,   /* 16 bytes and more */
};
enum hr_out { HR_OUT_NONE, HR_OUT_SAME, HR_OUT_CIPHERTEXT };
enum hr_tag { HR_TAG_NONE, HR_TAG_GIVEN, HR_TAG_TAKEN };

/* Uses of a key, one bit each, such as HR_USE_VERIFY. */
enum hr_use {
#define HR_OPERATION(number, SYM, word, use) HR_USE_##SYM = use,
#include <headrace/classes.def>
    HR_USE_ALL = 0
#define HR_OPERATION(number, SYM, word, use) | use
#include <headrace/classes.def>
};

/* The index of an operation's word in hr_class_op_word's list. */
enum hr_word {
    HR_WORD_NONE,
#define HR_OPERATION(number, SYM, ...) HR_WORD_##SYM,
#include <headrace/classes.def>
};

struct hr_class_op {
    uint8_t word;         /* enum hr_word; HR_WORD_NONE: no job has such an operation */
    uint8_t use;          /* enum hr_use */
    uint8_t in, out, tag; /* enum hr_in, hr_out, hr_tag */
    const char *kernels;  /* "iterate", or NULL */
};

union hr_job_ops {
#define HR_OPERATION(number, SYM, ...) char SYM[number + 1];
#include <headrace/classes.def>
};
/* The most operations that the jobs of a class can have. */
#define HR_JOB_MAX_OPS sizeof(union hr_job_ops)

struct hr_class_info {
    unsigned has;                               /* enum hr_has */
    struct hr_class_op ops[HR_JOB_MAX_OPS + 1]; /* by enum hr_job_op */
    struct hr_class_op pk[HR_JOB_MAX_OPS + 1];  /* of public key, in the same way */
};

/* hr_class_info returns what classes.def says of a class; for a number that no class has, a row
 * that has nothing. */
static inline const struct hr_class_info *hr_class_info(unsigned cls)
{
    enum {
#define HR_CLASS(number, SYM, ...) PLACE_##SYM,
#include <headrace/classes.def>
        NUM_PLACES
    };
#define HR_CLASS_NO_OP      \
    {                       \
        0, 0, 0, 0, 0, NULL \
    }
#define HR_CLASS_OP(CLASS, OP, kernels, in, out, tag) \
    { HR_WORD_##OP, HR_USE_##OP, HR_IN_##in, HR_OUT_##out, HR_TAG_##tag, kernels },
#define HR_CLASS_KERNELS(kernels) { HR_WORD_NONE, 0, 0, 0, 0, kernels },
#define HR_PK_OP(CLASS, OP, in, out, tag) HR_CLASS_OP(CLASS, OP, NULL, in, out, tag)
    static const struct hr_class_info infos[NUM_PLACES + 1] = {
#define HR_CLASS(number, SYM, sym, has, operations) \
    { has, { operations HR_CLASS_NO_OP }, { HR_CLASS_NO_OP } },
#define HR_KEYED_CLASS(number, SYM, sym, has, operations, kernels) \
    { (has) | HR_HAS_KEY, { operations HR_CLASS_NO_OP }, { HR_CLASS_NO_OP } },
#define HR_PK_CLASS(number, SYM, sym, operations) \
    { 0, { HR_CLASS_NO_OP }, { operations HR_CLASS_NO_OP } },
#include <headrace/classes.def>
        { 0, { HR_CLASS_NO_OP }, { HR_CLASS_NO_OP } },
    };
#undef HR_PK_OP
#undef HR_CLASS_KERNELS
#undef HR_CLASS_OP
#undef HR_CLASS_NO_OP
    switch (cls) {
#define HR_CLASS(number, SYM, ...) \
    case number:                   \
        return &infos[PLACE_##SYM];
#include <headrace/classes.def>
    default:
        return &infos[NUM_PLACES];
    }
}

/* hr_class_of returns what classes.def says of the class of an algorithm's row; for NULL, of the
 * class of jobs that copy. */
static inline const struct hr_class_info *hr_class_of(const struct hr_algorithm *row)
{
    return hr_class_info(row ? row->cls : HR_CLASS_COPY);
}

/* hr_class_op returns operation `op` of a class's jobs, or NULL if the class lacks it; hr_class_pk
 * does so for the operations of public key. */
static inline const struct hr_class_op *hr_class_op(const struct hr_class_info *info, unsigned op)
{
    return op < HR_JOB_MAX_OPS && info->ops[op].word ? &info->ops[op] : NULL;
}
static inline const struct hr_class_op *hr_class_pk(const struct hr_class_info *info, unsigned op)
{
    return op < HR_JOB_MAX_OPS && info->pk[op].word ? &info->pk[op] : NULL;
}

/* hr_class_op_word returns the word for an operation, such as "verify"; "?" for NULL. */
static inline const char *hr_class_op_word(const struct hr_class_op *op)
{
    static const char *const words[] = {
        "?",
#define HR_OPERATION(number, SYM, word, use) word,
#include <headrace/classes.def>
    };
    return words[op ? op->word : 0];
}

/* ---- keys of any class ---- */

union hr_any_key {
#define HR_KEYED_CLASS(number, SYM, sym, ...) struct hr_##sym##_key sym;
#include <headrace/classes.def>
};

/* hr_any_key_init initialises a key by the call of the row's class, such as hr_cipher_key_init.
 * HR_EALG (no row, or one without keys), and the errors of that call. */
static inline HR_MUST_CHECK int hr_any_key_init(union hr_any_key *key, hr_alg alg,
                                                const uint8_t *bytes, size_t bytes_len)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    switch ((unsigned)(row ? row->cls : HR_CLASS_COPY)) {
#define HR_KEYED_CLASS(number, SYM, sym, ...) \
    case number:                              \
        return hr_##sym##_key_init(&key->sym, alg, bytes, bytes_len);
#include <headrace/classes.def>
    default:
        return HR_EALG;
    }
}

#define HR_KEY_KERNEL_OF_EACH(sym) \
    hr_##sym##_key_init_kernel(&key->sym, alg, op, i, bytes, bytes_len)
#define HR_KEY_KERNEL_OF_ALL(sym) hr_##sym##_key_init_kernel(&key->sym, alg, i, bytes, bytes_len)

/* hr_any_key_init_kernel does so with the i-th kernel of operation `op`; classes whose kernels
 * serve all operations ignore `op`. */
static inline HR_MUST_CHECK int hr_any_key_init_kernel(union hr_any_key *key, hr_alg alg,
                                                       enum hr_op op, size_t i,
                                                       const uint8_t *bytes, size_t bytes_len)
{
    const struct hr_algorithm *row = hr_algorithm(alg);
    switch ((unsigned)(row ? row->cls : HR_CLASS_COPY)) {
#define HR_KEYED_CLASS(number, SYM, sym, has, operations, kernels) \
    case number:                                                   \
        return HR_KEY_KERNEL_OF_##kernels(sym);
#include <headrace/classes.def>
    default:
        return HR_EALG;
    }
}

#ifdef __cplusplus
}
#endif
#endif
