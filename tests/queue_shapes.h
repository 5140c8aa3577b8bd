/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of every row, made from the registry, and what they must give by direct calls. */
#ifndef HR_QUEUE_SHAPES_H
#define HR_QUEUE_SHAPES_H

#include "test.h"
#include <headrace/queue.h>

enum { NUM_KEYS = 4, KEY_SIZE = 208, MAX_PARTS = 5, MAX_TAG = HR_DIGEST_MAX_OUT };

/* Keys of one row, in every form. */
struct row_keys {
    const struct hr_algorithm *row;
    uint8_t bytes[NUM_KEYS][KEY_SIZE];
    size_t len[NUM_KEYS];
    union {
        struct hr_hmac_key hmac;
        struct hr_cipher_key cipher;
        struct hr_aead_key aead;
        struct hr_nmac_key nmac;
        struct hr_xts_key xts;
    } object[NUM_KEYS];
    uint64_t handle[NUM_KEYS];
};

/* One message, and what it must become. */
struct shape {
    const struct row_keys *keys;
    uint8_t op;
    unsigned key;
    size_t len, aad_len, iv_len, tag_len; /* tag_len 0: the row's */
    unsigned num_parts;                   /* 0: it lies in one place */
    size_t parts[MAX_PARTS];              /* their lengths */
    int in_place;
    size_t cut;    /* below len: the message comes in two jobs */
    uint8_t *text; /* len bytes */
    uint8_t iv[64], aad[256], tag[MAX_TAG];
    int want_result;
    uint8_t *want_out; /* NULL: none */
    uint8_t want_tag[MAX_TAG];
};

/* A job of such a shape, in memory of its own. */
struct message {
    const struct shape *shape;
    struct hr_job job;
    struct hr_segment parts[MAX_PARTS];
    uint8_t *in, *out;
    size_t size; /* of in and out each */
    uint8_t tag[MAX_TAG + 16], state[HR_DIGEST_MAX_EXPORT];
    int want_result;
};

/* 0: the class is not for jobs. */
int row_keys_make(struct row_keys *keys, const struct hr_algorithm *row);
/* How many operations jobs of a row have. */
int row_num_ops(const struct hr_algorithm *row);
int row_has_key(const struct hr_algorithm *row);

/* The i-th shape of a row's operation: the first ones have every short length. */
void shape_make(struct shape *s, const struct row_keys *keys, int op, unsigned i);
void shape_free(struct shape *s);

void message_make(struct message *m, const struct shape *s, enum hr_key_form form);
/* Where the message is not yet at its end: makes m->job its second job and returns 1. */
int message_continue(struct message *m);
/* Complains of all that differs from what the shape wants. */
void message_check(const struct message *m, const char *how);
void message_free(struct message *m);

#endif
