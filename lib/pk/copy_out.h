/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HR_PK_COPY_OUT_H
#define HR_PK_COPY_OUT_H

#include <headrace/headrace.h>
#include <string.h>

/* copy_out copies bytes to a caller's buffer, whose size is *out_len, which becomes `len`.  Returns
 * HR_EBUFFER if they do not fit. */
static inline int copy_out(uint8_t *out, size_t *out_len, const void *bytes, size_t len)
{
    if (*out_len < len)
        return HR_EBUFFER;
    memcpy(out, bytes, len);
    *out_len = len;
    return 0;
}

#endif
