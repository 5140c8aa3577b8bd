/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_QUEUE_CHAINS_H
#define HR_QUEUE_CHAINS_H

#include "queue_shapes.h"

/* struct way is a way of running jobs. */
struct way {
    const char *name;
    void (*run)(struct hr_job **jobs, size_t num_jobs);
    int remote; /* runs in the service, and so takes handles */
};

/* check_chains runs encrypt-then-MAC and MAC-then-encrypt, and both back again, with keys of this
 * form. */
void check_chains(const struct way *way, const struct row_keys *cipher, const struct row_keys *mac,
                  enum hr_key_form form);

/* check_pk runs jobs of every row of public key. */
void check_pk(const struct way *way);

#endif
