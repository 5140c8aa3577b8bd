/* SPDX-License-Identifier: Apache-2.0 */
/* MD2, RFC 1319: broken, kept for what still names things by it.  Its context has no count, and its
 * block function works in place on what the context keeps.  By its definition it looks bytes of the
 * message up in a table: for what is public only. */
#ifndef HR_LIBMD_MD2_H
#define HR_LIBMD_MD2_H

#include <stddef.h>
#include <stdint.h>

struct md2_ctx {
    uint32_t end;         /* of the waiting bytes in x: 16 to 31 */
    uint8_t checksum[16]; /* C */
    uint8_t x[48];        /* X: the state, the block, their sum */
};

void md2_init(void *ctx);
void md2_update_vartime(void *ctx, const uint8_t *in, size_t len);
void md2_transform_vartime(void *ctx);
void md2_final_vartime(uint8_t *out, void *ctx);

#endif
