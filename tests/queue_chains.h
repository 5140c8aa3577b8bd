/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_QUEUE_CHAINS_H
#define HR_QUEUE_CHAINS_H

#include "queue_shapes.h"

/* A way of running jobs. */
struct way {
    const char *name;
    void (*run)(struct hr_job **jobs, size_t num_jobs);
    int remote; /* knows handles */
};

/* Encrypt-then-MAC and MAC-then-encrypt, there and back, under keys of this form. */
void check_chains(const struct way *way, const struct row_keys *cipher, const struct row_keys *mac,
                  enum hr_key_form form);

#endif
