/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of every row, made from the registry, with their right results by direct calls. */
#ifndef HR_QUEUE_SHAPES_H
#define HR_QUEUE_SHAPES_H

#include "../test.h"
#include <headrace/classes.h>

enum { NUM_KEYS = 4, KEY_SIZE = 208, MAX_PARTS = 40, MAX_TAG = HR_DIGEST_MAX_OUT };

/* struct row_keys has keys of one row, in every form. */
struct row_keys {
    const struct hr_algorithm *row;
    uint8_t bytes[NUM_KEYS][KEY_SIZE];
    size_t len[NUM_KEYS];
    union hr_any_key object[NUM_KEYS];
    uint64_t handle[NUM_KEYS];
};

/* struct shape is one message with its right result. */
struct shape {
    const struct row_keys *keys;
    uint8_t op;
    unsigned key;
    size_t len, aad_len, iv_len, tag_len; /* tag_len 0: the row's */
    unsigned num_parts;                   /* 0: the text lies in one place */
    size_t parts[MAX_PARTS];              /* their lengths */
    int in_place;
    size_t cut;    /* if below len: the message comes in two jobs */
    uint8_t *text; /* len bytes */
    uint8_t iv[64], aad[256], tag[MAX_TAG];
    int want_result;
    uint8_t *want_out; /* NULL: no output */
    uint8_t want_tag[MAX_TAG];
};

/* struct message is a job of a shape, in memory of its own. */
struct message {
    const struct shape *shape;
    struct hr_job job;
    struct hr_segment parts[MAX_PARTS];
    uint8_t *in, *out;
    size_t size; /* of in and out each */
    uint8_t tag[MAX_TAG + 16], state[HR_DIGEST_MAX_EXPORT];
    int want_result;
};

/* row_keys_make makes keys for a row.  It returns 1, or 0 if the class has no jobs. */
int row_keys_make(struct row_keys *keys, const struct hr_algorithm *row);
/* row_num_ops returns the number of operations that jobs of a row have. */
int row_num_ops(const struct hr_algorithm *row);
int row_has_key(const struct hr_algorithm *row);

/* shape_make makes the i-th shape of a row's operation.  The first shapes have every short
 * length. */
void shape_make(struct shape *s, const struct row_keys *keys, int op, unsigned i);
void shape_free(struct shape *s);

void message_make(struct message *m, const struct shape *s, enum hr_key_form form);
/* message_continue makes m->job the message's second job and returns 1, or returns 0 at the
 * message's end. */
int message_continue(struct message *m);
/* message_check complains of all differences from the shape's result. */
void message_check(const struct message *m, const char *how);
void message_free(struct message *m);

#endif
