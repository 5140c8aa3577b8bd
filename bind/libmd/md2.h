/* SPDX-License-Identifier: Apache-2.0 */
/* MD2, RFC 1319: broken, kept for programs that still identify data by it.  Its context has no
 * count of bits, and md2_transform_vartime works on the block that waits in the context.  MD2 by
 * definition looks up bytes of the message in a table: use it for public data only. */
#ifndef HR_LIBMD_MD2_H
#define HR_LIBMD_MD2_H

#include <stddef.h>
#include <stdint.h>

struct md2_ctx {
    uint32_t end;         /* index in x of the end of the waiting bytes, 16 to 31 */
    uint8_t checksum[16]; /* C of RFC 1319 */
    uint8_t x[48];        /* X of RFC 1319: the state, the block, their XOR */
};

void md2_init(void *ctx);
void md2_update_vartime(void *ctx, const uint8_t *in, size_t len);
void md2_transform_vartime(void *ctx);
void md2_final_vartime(uint8_t *out, void *ctx);

#endif
