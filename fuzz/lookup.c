/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups by any name and any number find no row, or one that has that name or number. */
#include "fuzz.h"
#include <strings.h>

static int has_name(const struct hr_algorithm *row, const char *name)
{
    const size_t len = strlen(name);
    if (!strcasecmp(row->name, name) || !strcasecmp(row->symbol, name))
        return 1;
    for (const char *at = row->openssl_names; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL)
        if (!strncasecmp(at, name, len) && (at[len] == ':' || !at[len]))
            return 1;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hr_kernel kernel;
    char *name = malloc(size + 1);
    memcpy(name, data, size);
    name[size] = '\0';
    const struct hr_algorithm *row = hr_algorithm_by_name(name);
    CHECK(!row || (has_name(row, name) && hr_algorithm(row->alg) == row));
    free(name);

    uint32_t number = 0, index = 0;
    if (size >= 8) {
        memcpy(&number, data, 4);
        memcpy(&index, data + 4, 4);
    }
    row = hr_algorithm((hr_alg)number);
    CHECK(!row || row->alg == (hr_alg)number);
    CHECK(!hr_digest_size((hr_alg)number) == !(row && row->cls == HR_CLASS_DIGEST));
    CHECK(!hr_cipher_size((hr_alg)number) == !(row && row->cls == HR_CLASS_CIPHER));
    for (int op = HR_OP_ENCRYPT; op <= HR_OP_DECRYPT; op++)
        CHECK(hr_kernel_at(&kernel, (hr_alg)number, (enum hr_op)op, index) <= 0);
    CHECK(hr_kernel_chosen((hr_alg)number, HR_OP_ENCRYPT) >= 0 || hr_num_ops((hr_alg)number) <= 0);
    CHECK(hr_strerror((int)number) != NULL);
    return 0;
}
