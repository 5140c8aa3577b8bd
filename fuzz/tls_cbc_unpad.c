/* SPDX-License-Identifier: Apache-2.0 */
/* Compares hr_tls_cbc_unpad() with a literal implementation of RFC 5246 section 6.2.3.2. */
#include "fuzz.h"

/* The standard's rules; returns 0 if the padding is wrong. */
static int unpad(const uint8_t **mac, size_t *content_len, size_t mac_len, const uint8_t *rec,
                 size_t rec_len)
{
    const size_t pad = rec[rec_len - 1];
    if (pad + 1 + mac_len > rec_len)
        return 0;
    for (size_t i = rec_len - 1 - pad; i < rec_len; i++)
        if (rec[i] != pad)
            return 0;
    *content_len = rec_len - 1 - pad - mac_len;
    *mac = rec + *content_len;
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t got[HR_DIGEST_MAX_OUT];
    const uint8_t *mac = NULL;
    size_t got_len = 0, content_len = 0;
    if (size < 2)
        return 0;
    const size_t mac_len = data[0] % 70, block_len = data[0] & 0x40 ? 8 : 16;
    const uint8_t *rec = data + 1;
    size_t rec_len = data[0] & 0x80 ? size - 1 : (size - 1) & ~(block_len - 1);
    int error = hr_tls_cbc_unpad(got, mac_len, &got_len, rec, rec_len, block_len);
    if (mac_len > sizeof got) {
        CHECK(error == HR_EINVAL);
        return 0;
    }
    if (rec_len == 0 || rec_len % block_len || rec_len < mac_len + 1) {
        CHECK(error == HR_ELENGTH);
        return 0;
    }
    /* Without a MAC (encrypt-then-MAC, RFC 7366) the record has been authenticated before, so bad
     * padding is reported. */
    const int good = unpad(&mac, &content_len, mac_len, rec, rec_len);
    CHECK(error == (good || mac_len ? 0 : HR_EPADDING));
    if (good) {
        CHECK(got_len == content_len && !memcmp(got, mac, mac_len));
        return 0;
    }
    CHECK(got_len == rec_len - mac_len - 1);
    for (size_t i = 0; i < mac_len; i++)
        CHECK(got[i] == 0);
    return 0;
}
