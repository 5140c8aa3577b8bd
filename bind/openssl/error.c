/* SPDX-License-Identifier: Apache-2.0 */
/* Errors go to OpenSSL's error queue with the reasons of its own providers and their library number
 * (ERR_LIB_PROV): only for these does every release from 3.0 on print text. */
#include "provider.h"
#include <openssl/err.h>
#include <stdarg.h>

static void vset(const struct provider *provider, uint32_t reason, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    provider->vset_error(provider->core, reason, format, args);
    va_end(args);
}

static int raise_packed(const struct provider *provider, unsigned long packed, const char *text,
                        const char *file, int line, const char *function)
{
    if (provider->new_error && provider->set_error_debug && provider->vset_error) {
        provider->new_error(provider->core);
        provider->set_error_debug(provider->core, file, line, function);
        vset(provider, (uint32_t)packed, text ? "%s" : NULL, text);
    }
    return 0;
}

int error_raise_packed(const struct provider *provider, unsigned long packed, const char *file,
                       int line, const char *function)
{
    return raise_packed(provider, packed, NULL, file, line, function);
}

int error_raise_text(const struct provider *provider, uint32_t reason, const char *text,
                     const char *file, int line, const char *function)
{
    return raise_packed(provider, ERR_PACK(ERR_LIB_PROV, 0, reason), text, file, line, function);
}

int error_raise_reason(const struct provider *provider, uint32_t reason, const char *file, int line,
                       const char *function)
{
    return error_raise_text(provider, reason, NULL, file, line, function);
}

uint32_t error_reason(int error)
{
    static const uint32_t reasons[] = {
        [-HR_EINVAL] = PROV_R_CIPHER_OPERATION_FAILED,
        [-HR_EALG] = PROV_R_NOT_SUPPORTED,
        [-HR_EKEYLEN] = PROV_R_INVALID_KEY_LENGTH,
        [-HR_EIVLEN] = PROV_R_INVALID_IV_LENGTH,
        [-HR_ELENGTH] = PROV_R_WRONG_FINAL_BLOCK_LENGTH,
        [-HR_EOVERLAP] = PROV_R_CIPHER_OPERATION_FAILED,
        [-HR_ESTATE] = PROV_R_INVALID_STATE,
        [-HR_EBUFFER] = PROV_R_OUTPUT_BUFFER_TOO_SMALL,
        [-HR_EPADDING] = PROV_R_BAD_DECRYPT,
        [-HR_EFORMAT] = PROV_R_INVALID_DATA,
        [-HR_ECPU] = PROV_R_NOT_SUPPORTED,
        [-HR_EKEY] = PROV_R_INVALID_KEY,
        [-HR_EHANDLE] = PROV_R_INVALID_KEY,
    };
    const unsigned index = 0u - (unsigned)error;
    return index < COUNT(reasons) && reasons[index] ? reasons[index]
                                                    : PROV_R_CIPHER_OPERATION_FAILED;
}

int error_raise(const struct provider *provider, int error, const char *file, int line,
                const char *function)
{
    /* OpenSSL has no reasons for the accelerator's errors, so Headrace's text is added */
    const char *text = error <= HR_EPENDING ? hr_strerror(error) : NULL;
    return error_raise_text(provider, error_reason(error), text, file, line, function);
}
