/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "pin.h"
#include <argon2.h>
#include <errno.h>
#include <sys/mman.h>

/* allocate gets memory that no dump and no child contains. */
static int allocate(uint8_t **memory, size_t len)
{
    void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return ARGON2_MEMORY_ALLOCATION_ERROR;
    (void)!madvise(p, len, MADV_DONTDUMP);
    (void)!madvise(p, len, MADV_WIPEONFORK);
    *memory = p;
    return ARGON2_OK;
}

static void deallocate(uint8_t *memory, size_t len)
{
    munmap(memory, len);
}

int pin_stretch(uint8_t out[32], const struct format_pin *seal, const void *pin, size_t pin_len)
{
    uint8_t salt[FORMAT_SALT];
    if (!pin_len || pin_len > STORE_MAX_PIN)
        return STORE_TOO_LONG;
    for (size_t i = 0; i < sizeof salt; i++)
        salt[i] = seal->salt[i]; /* the interface takes no constant bytes */
    argon2_context context = {
        .out = out,
        .outlen = 32,
        .pwd = (uint8_t *)(uintptr_t)pin, /* only read, without ARGON2_FLAG_CLEAR_PASSWORD */
        .pwdlen = (uint32_t)pin_len,
        .salt = salt,
        .saltlen = sizeof salt,
        .t_cost = seal->costs.passes,
        .m_cost = seal->costs.memory,
        .lanes = seal->costs.lanes,
        .threads = 1, /* a module makes no threads in the programs that load it */
        .version = ARGON2_VERSION_13,
        .allocate_cbk = allocate,
        .free_cbk = deallocate,
    };
    const int error = argon2_ctx(&context, Argon2_id);
    if (error == ARGON2_MEMORY_ALLOCATION_ERROR)
        errno = ENOMEM;
    else if (error)
        errno = EINVAL;
    return error ? STORE_SYSTEM : 0;
}
