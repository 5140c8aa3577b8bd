/* SPDX-License-Identifier: Apache-2.0 */
/* The class CMAC: layouts of keys and contexts. */
#ifndef HR_CMAC_H
#define HR_CMAC_H

#include "../des/des.h"
#include "../internal.h"

/* CMAC_... is the index in cmac_key.tweak of what is added to the last block. */
enum { CMAC_WHOLE, CMAC_PADDED };

/* The layout behind struct hr_cmac_key; alg 0 means not initialised. */
struct cmac_key {
    alignas(64) uint8_t schedule[CIPHER_SCHEDULE_LEN]; /* of the chain */
    struct des_key last; /* of the last block, if the row has another key for it */
    uint8_t tweak[2][HR_CMAC_MAX_OUT];
    const struct cipher_kernel *kernel; /* CBC encryption */
    uint32_t alg;
    uint8_t unit; /* length of a block */
};
static_assert(sizeof(struct cmac_key) <= sizeof(struct hr_cmac_key), "public size");

/* The layout behind struct hr_cmac_ctx; key NULL means not initialised.  Of the `len` bytes
 * absorbed the last `waiting` are in buf: a whole block too, as it may be the last. */
struct cmac_ctx {
    const struct cmac_key *key;
    uint64_t len;
    alignas(8) uint8_t y[HR_CMAC_MAX_OUT], buf[HR_CMAC_MAX_OUT];
    uint8_t waiting;
};
static_assert(sizeof(struct cmac_ctx) <= sizeof(struct hr_cmac_ctx), "public size");

#endif
