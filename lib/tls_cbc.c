/* SPDX-License-Identifier: Apache-2.0 */
/* Removes padding and MAC from a TLS 1.0-1.2 CBC record (RFC 5246 section 6.2.3.2) so that neither
 * time, branches nor addresses reveal where the MAC lies.  This prevents the attack Lucky Thirteen
 * (AlFardan and Paterson, 2013).
 * Theory: the last byte p says that the p bytes before it are p too, so the MAC starts at one of
 * 256 places.  All bytes that can belong to it are copied once; the copy is then moved down by the
 * secret distance, by a power of two at a time, and each move takes effect or not as a mask says.
 */
#include "internal.h"

enum { MAX_MAC = 64, MAX_PADDING = 256 };

static int good_block(size_t block_len)
{
    return block_len == 8 || block_len == 16;
}

int hr_tls_cbc_pad(uint8_t *rec, size_t rec_size, size_t *rec_len, size_t block_len)
{
    if (!rec || !rec_len || !good_block(block_len))
        return HR_EINVAL;
    const size_t len = *rec_len, num = block_len - (len & (block_len - 1));
    if (rec_size < num || len > rec_size - num)
        return HR_EBUFFER;
    memset(rec + len, (int)num - 1, num);
    *rec_len = len + num;
    return 0;
}

/* Returns all ones if each of the last pad + 1 bytes is `pad` and the rest has room for the MAC. */
static uint32_t padding_is_good(const uint8_t *rec, uint32_t len, uint32_t pad, uint32_t mac_len)
{
    const uint32_t look = len < MAX_PADDING ? len : MAX_PADDING;
    uint32_t differ = 0;
    for (uint32_t i = 0; i < look; i++) {
        const uint32_t inside = 0 - ((i - pad - 1) >> 31); /* all ones if i <= pad */
        differ |= inside & (rec[len - 1 - i] ^ pad);
    }
    return ct_is_zero(differ) & ~ct_lt(len, pad + 1 + mac_len);
}

/* mac = window[distance .. distance + mac_len), where distance < 256 is secret. */
static void gather(uint8_t *mac, uint32_t mac_len, uint8_t window[MAX_MAC + MAX_PADDING],
                   uint32_t distance)
{
    for (uint32_t step = MAX_PADDING / 2; step; step >>= 1) {
        const uint8_t move = (uint8_t)~ct_is_zero(distance & step);
        for (uint32_t k = 0; k < mac_len + step; k++)
            window[k] = (uint8_t)((window[k + step] & move) | (window[k] & ~move));
    }
    memcpy(mac, window, mac_len);
}

int hr_tls_cbc_unpad(uint8_t *mac, size_t mac_len, size_t *content_len, const uint8_t *rec,
                     size_t rec_len, size_t block_len)
{
    if ((!mac && mac_len) || !content_len || !rec || mac_len > MAX_MAC || !good_block(block_len))
        return HR_EINVAL;
    if (rec_len == 0 || rec_len & (block_len - 1) || rec_len < mac_len + 1 || rec_len >= 1u << 24)
        return HR_ELENGTH;

    const uint32_t len = (uint32_t)rec_len, want = (uint32_t)mac_len;
    const uint32_t pad = rec[len - 1];
    uint32_t good = padding_is_good(rec, len, pad, want);
    const uint32_t content = len - want - ct_select(good, pad + 1, 1);
    *content_len = content;
    if (!want) {
        CT_PUBLIC(&good, sizeof good); /* no MAC: the caller has authenticated the record, so the
                                        * result helps no forger */
        return good ? 0 : HR_EPADDING;
    }

    const uint32_t first = len > want + MAX_PADDING ? len - want - MAX_PADDING : 0;
    uint8_t window[MAX_MAC + MAX_PADDING] = { 0 };
    memcpy(window, rec + first, len - first);
    gather(mac, want, window, content - first);
    for (uint32_t k = 0; k < want; k++)
        mac[k] &= (uint8_t)good;
    WIPE(&window);
    return 0;
}
