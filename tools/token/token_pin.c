/* SPDX-License-Identifier: Apache-2.0 */
/* PINs, from a file or the terminal, and logins. */
#define _GNU_SOURCE
#include "../encrypt/encrypt_key.h"
#include "token.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static CK_UTF8CHAR pins[NUM_PINS][MAX_SECRET];

static const struct {
    const char *name, *option;
    const char **file;
} kinds[NUM_PINS] = {
    [PIN_USER] = { "PIN of the user", "--pin-file", &token_settings.pin_file },
    [PIN_NEW_USER] = { "new PIN of the user", "--new-pin-file", &token_settings.new_pin_file },
    [PIN_SO] = { "PIN of the security officer", "--so-pin-file", &token_settings.so_pin_file },
    [PIN_NEW_SO] = { "new PIN of the security officer", "--new-pin-file",
                     &token_settings.new_pin_file },
};

/* Tokens say which lengths they take, or nothing that makes sense. */
static int check_len(CK_ULONG len, const char *name, const CK_TOKEN_INFO *info)
{
    const bool is_sane = info->ulMinPinLen <= info->ulMaxPinLen && info->ulMaxPinLen <= MAX_SECRET;
    return !is_sane || (len >= info->ulMinPinLen && len <= info->ulMaxPinLen)
               ? EXIT_SUCCESS
               : tool_error("the %s must have %lu to %lu bytes", name, info->ulMinPinLen,
                            info->ulMaxPinLen);
}

int token_pin(struct token_pin *out, enum token_pin_kind kind, const CK_TOKEN_INFO *info,
              bool twice)
{
    const struct key_source source = { .passphrase_file = *kinds[kind].file,
                                       .name = kinds[kind].name,
                                       .option = kinds[kind].option };
    struct secrets *s = key_secrets_begin();
    (void)!mlock(pins, sizeof pins);
    *out = (struct token_pin){ NULL, 0 };
    if (info->flags & CKF_PROTECTED_AUTHENTICATION_PATH)
        return EXIT_SUCCESS; /* the token asks by itself */
    int code = key_passphrase(s, &source, twice) ? EXIT_FAILURE : EXIT_SUCCESS;
    if (!code)
        code = check_len(s->input_len, source.name, info);
    if (!code) {
        memcpy(pins[kind], s->input, s->input_len);
        *out = (struct token_pin){ pins[kind], s->input_len };
    }
    key_secrets_wipe();
    return code;
}

void token_wipe_pins(void)
{
    explicit_bzero(pins, sizeof pins);
}

int token_login_failed(CK_SLOT_ID slot, CK_USER_TYPE user, CK_RV rv)
{
    CK_TOKEN_INFO info;
    const char *who = user == CKU_SO ? "security officer" : "user";
    if (rv != CKR_PIN_INCORRECT || token_module->C_GetTokenInfo(slot, &info) != CKR_OK)
        return token_says(who, rv);
    if (info.flags & (user == CKU_SO ? CKF_SO_PIN_LOCKED : CKF_USER_PIN_LOCKED))
        return tool_error("%s: wrong PIN, and it is locked now", who);
    if (info.flags & (user == CKU_SO ? CKF_SO_PIN_FINAL_TRY : CKF_USER_PIN_FINAL_TRY))
        return tool_error("%s: wrong PIN; the next wrong one locks it", who);
    return token_says(who, rv);
}

int token_login(CK_SESSION_HANDLE session, CK_SLOT_ID slot, CK_USER_TYPE user)
{
    struct token_pin pin;
    CK_TOKEN_INFO info;
    CK_RV rv = token_module->C_GetTokenInfo(slot, &info);
    if (rv != CKR_OK)
        return token_says("token", rv);
    if (!(info.flags & CKF_LOGIN_REQUIRED) && user == CKU_USER)
        return EXIT_SUCCESS;
    if (user == CKU_USER && !(info.flags & CKF_USER_PIN_INITIALIZED))
        return token_says("user", CKR_USER_PIN_NOT_INITIALIZED);
    const int code = token_pin(&pin, user == CKU_SO ? PIN_SO : PIN_USER, &info, false);
    if (code)
        return code;
    rv = token_module->C_Login(session, user, pin.bytes, pin.len);
    return rv == CKR_OK ? EXIT_SUCCESS : token_login_failed(slot, user, rv);
}
