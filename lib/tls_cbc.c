/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a TLS 1.0-1.2 CBC record, RFC 5246 section 6.2.3.2, without telling by time, branch
 * or address where the MAC lies: the attack is Lucky Thirteen (AlFardan and Paterson, 2013).
 * Theory: the padding's last byte p says that the p bytes before it are p too.  The MAC then
 * starts at rec_len - 1 - p - mac_len; it is gathered by reading each place that it can be at. */
#include "internal.h"

enum { MAX_MAC = 64, MAX_PADDING = 256 };

int hr_tls_cbc_unpad(uint8_t *mac, size_t mac_len, size_t *content_len, const uint8_t *rec,
                     size_t rec_len)
{
    if (!mac || !content_len || !rec || mac_len == 0 || mac_len > MAX_MAC)
        return HR_EINVAL;
    if (rec_len == 0 || rec_len % 16 || rec_len < mac_len + 1 || rec_len >= 1u << 24)
        return HR_ELENGTH;

    const uint32_t len = (uint32_t)rec_len, want = (uint32_t)mac_len;
    const uint32_t pad = rec[len - 1];
    uint32_t good = ~ct_lt(len, pad + 1 + want);
    const uint32_t look = len < MAX_PADDING ? len : MAX_PADDING;
    for (uint32_t i = 0; i < look; i++)
        good &= ~ct_lt(i, pad + 1) | ct_eq(rec[len - 1 - i], pad);

    const uint32_t content = len - want - ct_select(good, pad + 1, 1);
    const uint32_t first = len > want + MAX_PADDING ? len - want - MAX_PADDING : 0;
    memset(mac, 0, mac_len);
    for (uint32_t i = first; i < len - 1; i++)
        for (uint32_t k = 0; k < want; k++)
            mac[k] |= (uint8_t)(rec[i] & ct_eq(i, content + k) & good);
    *content_len = content;
    return 0;
}
