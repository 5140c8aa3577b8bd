/* SPDX-License-Identifier: Apache-2.0 */
/* Compares hr_tls_cbc_pad and hr_tls_cbc_unpad with RFC 5246 section 6.2.3.2 written plainly: every
 * padding length, every MAC length in use, short and long records, spoilt padding. */
#include <headrace/headrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                      \
    do {                                                                     \
        if (!(condition)) {                                                  \
            printf("Bail out! %s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

enum { MAX_RECORD = 640 };

static const size_t mac_lens[] = { 0, 16, 20, 28, 32, 48, 64 };

/* plain_unpad returns 0 and sets *content_len, or returns -1 if the padding is bad. */
static int plain_unpad(size_t *content_len, const uint8_t *rec, size_t len, size_t mac_len)
{
    const size_t pad = rec[len - 1];
    if (pad + 1 + mac_len > len)
        return -1;
    for (size_t i = 0; i <= pad; i++)
        if (rec[len - 1 - i] != pad)
            return -1;
    *content_len = len - mac_len - pad - 1;
    return 0;
}

static void check(const uint8_t *rec, size_t len, size_t mac_len, size_t block)
{
    static const uint8_t zero[64];
    uint8_t mac[64];
    size_t got = 0, want = 0;
    const int bad = plain_unpad(&want, rec, len, mac_len);
    const int error = hr_tls_cbc_unpad(mac, mac_len, &got, rec, len, block);
    if (!bad) {
        MUST(!error && got == want && !memcmp(mac, rec + want, mac_len));
    } else {
        MUST(error == (mac_len ? 0 : HR_EPADDING));
        MUST(got == len - mac_len - 1 && !memcmp(mac, zero, mac_len));
    }
}

/* check_length tries records of `len` bytes with every value of the padding bytes, also values that
 * do not fit, then with single bytes of the last 300 changed. */
static void check_length(uint8_t *rec, size_t len, size_t mac_len, size_t block)
{
    for (size_t pad = 0; pad < 256; pad++) {
        for (size_t i = 0; i < len; i++)
            rec[i] = (uint8_t)(i * 7 + len);
        memset(rec + len - (pad < len ? pad + 1 : len), (int)pad, pad < len ? pad + 1 : len);
        check(rec, len, mac_len, block);
        for (size_t i = 0; i < len && i < 300; i += pad % 5 + 1) {
            rec[len - 1 - i] ^= 0x10;
            check(rec, len, mac_len, block);
            rec[len - 1 - i] ^= 0x10;
        }
    }
}

static void check_padding(uint8_t *rec, size_t block)
{
    for (size_t len = 0; len < MAX_RECORD - 16; len++) {
        size_t padded = len, content;
        memset(rec, 0xee, MAX_RECORD);
        MUST(!hr_tls_cbc_pad(rec, MAX_RECORD, &padded, block));
        MUST(padded > len && padded - len <= block && padded % block == 0);
        MUST(!plain_unpad(&content, rec, padded, 0) && content == len);
    }
}

static void check_refusals(uint8_t *rec)
{
    uint8_t mac[64];
    size_t len;
    MUST(hr_tls_cbc_unpad(mac, 20, &len, rec, 0, 16) == HR_ELENGTH);
    MUST(hr_tls_cbc_unpad(mac, 20, &len, rec, 16, 16) == HR_ELENGTH);
    MUST(hr_tls_cbc_unpad(mac, 20, &len, rec, 33, 16) == HR_ELENGTH);
    MUST(hr_tls_cbc_unpad(mac, 65, &len, rec, 160, 16) == HR_EINVAL);
    MUST(hr_tls_cbc_unpad(mac, 20, &len, rec, 24, 16) == HR_ELENGTH);
    MUST(hr_tls_cbc_unpad(mac, 20, &len, rec, 28, 8) == HR_ELENGTH);
    MUST(hr_tls_cbc_unpad(mac, 20, &len, rec, 160, 12) == HR_EINVAL);
    MUST(hr_tls_cbc_unpad(NULL, 20, &len, rec, 160, 16) == HR_EINVAL);
    MUST(hr_tls_cbc_unpad(mac, 20, NULL, rec, 160, 16) == HR_EINVAL);
    len = 100;
    MUST(hr_tls_cbc_pad(rec, 111, &len, 16) == HR_EBUFFER && len == 100);
    len = 96;
    MUST(hr_tls_cbc_pad(rec, 111, &len, 16) == HR_EBUFFER);
    MUST(hr_tls_cbc_pad(rec, 111, &len, 8) == 0 && len == 104);
    MUST(hr_tls_cbc_pad(rec, 111, &len, 0) == HR_EINVAL);
    MUST(hr_tls_cbc_pad(NULL, 111, &len, 16) == HR_EINVAL);
}

int main(void)
{
    uint8_t *rec = malloc(MAX_RECORD);
    int point = 0;
    MUST(rec);
    for (size_t block = 8; block <= 16; block += 8)
        check_padding(rec, block);
    printf("ok %d - padding\n", ++point);
    for (size_t m = 0; m < sizeof mac_lens / sizeof mac_lens[0]; m++) {
        const size_t mac_len = mac_lens[m];
        for (size_t len = 8; len <= MAX_RECORD; len += len < 128 ? 8 : 88)
            if (len > mac_len)
                check_length(rec, len, mac_len, len % 16 ? 8 : 16);
        printf("ok %d - records with a MAC of %zu bytes\n", ++point, mac_len);
    }
    check_refusals(rec);
    printf("ok %d - refusals\n1..%d\n", point + 1, point + 1);
    free(rec);
    return 0;
}
