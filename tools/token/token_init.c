/* SPDX-License-Identifier: Apache-2.0 */
/* headrace token init and pin. */
#include "token.h"
#include <stdlib.h>
#include <string.h>

/* ---- init ---- */

enum { LABEL = 32 };

static int make_label(CK_UTF8CHAR out[LABEL])
{
    const char *label = token_settings.label;
    const size_t len = label ? strlen(label) : 0;
    if (!len || len > LABEL)
        return tool_usage("token init: name the token by --label, in 1 to %d bytes", LABEL);
    memset(out, ' ', LABEL);
    memcpy(out, label, len);
    return EXIT_SUCCESS;
}

/* Gives the user a PIN, as the security officer. */
static int set_user_pin(CK_SLOT_ID slot, const struct token_pin *so, const struct token_pin *user)
{
    CK_SESSION_HANDLE session;
    const int code = token_begin_session(&session, slot, true);
    if (code)
        return code;
    CK_RV rv = token_module->C_Login(session, CKU_SO, so->bytes, so->len);
    if (rv != CKR_OK)
        return token_login_failed(slot, CKU_SO, rv);
    rv = token_module->C_InitPIN(session, user->bytes, user->len);
    token_module->C_Logout(session);
    return rv == CKR_OK ? EXIT_SUCCESS : token_says("user", rv);
}

static int say_done(CK_SLOT_ID slot)
{
    CK_TOKEN_INFO info;
    char label[65];
    const CK_RV rv = token_module->C_GetTokenInfo(slot, &info);
    if (rv != CKR_OK)
        return token_says("token", rv);
    tool_say("The token \"%s\" is ready.\n", TOKEN_TEXT(label, info.label));
    return EXIT_SUCCESS;
}

/* The slot may be another one afterwards, as SoftHSM numbers it by the token's serial number. */
static int find_again(CK_SLOT_ID *slot)
{
    CK_TOKEN_INFO info;
    if (token_module->C_GetTokenInfo(*slot, &info) == CKR_OK && info.flags & CKF_TOKEN_INITIALIZED)
        return EXIT_SUCCESS;
    token_settings.slot = NULL;
    token_settings.token = token_settings.label;
    return token_select(slot, &info, false);
}

static int init(CK_SLOT_ID slot, const CK_TOKEN_INFO *info, CK_UTF8CHAR *label)
{
    const bool is_new = !(info->flags & CKF_TOKEN_INITIALIZED);
    struct token_pin so, user;
    if (!is_new && !token_settings.replace)
        return tool_error("the token is initialised already; --replace deletes all its objects");
    int code = token_pin(&so, PIN_SO, info, is_new);
    if (!code)
        code = token_pin(&user, PIN_USER, info, true);
    if (code)
        return code;
    const CK_RV rv = token_module->C_InitToken(slot, so.bytes, so.len, label);
    if (rv != CKR_OK)
        return is_new ? token_says("token", rv) : token_login_failed(slot, CKU_SO, rv);
    code = find_again(&slot);
    if (!code)
        code = set_user_pin(slot, &so, &user);
    return code ? code : say_done(slot);
}

static int init_main(int argc, char **argv)
{
    CK_UTF8CHAR label[LABEL];
    CK_SLOT_ID slot;
    CK_TOKEN_INFO info;
    int code = make_label(label);
    if (!code)
        code = token_begin();
    if (!code)
        code = token_select(&slot, &info, true);
    return token_end(code ? code : init(slot, &info, label));
}

static const struct tool_option init_options[] = {
    { "label", 'l', "NAME", "the token's name", NULL, &token_settings.label },
    { "replace", 0, NULL, "makes it again, and deletes all its objects", &token_settings.replace,
      NULL },
    TOKEN_OPTIONS,
    TOKEN_PIN_OPTION,
    TOKEN_SO_PIN_OPTION,
    { .name = NULL },
};

const struct command token_init_command = {
    .name = "token init",
    .operands = "",
    .summary = "make a token, with PINs of its security officer and its user",
    .options = init_options,
    .main = init_main,
    .no_operands = true,
};

/* ---- pin ---- */

/* Whoever has the PIN changes it. */
static int change(CK_SLOT_ID slot, const CK_TOKEN_INFO *info, CK_USER_TYPE user)
{
    const bool is_so = user == CKU_SO;
    CK_SESSION_HANDLE session;
    struct token_pin old, new;
    int code = token_begin_session(&session, slot, true);
    if (!code)
        code = token_pin(&old, is_so ? PIN_SO : PIN_USER, info, false);
    if (code)
        return code;
    /* The PIN is tried first, so that a wrong one is told before two new ones are asked for. */
    CK_RV rv = token_module->C_Login(session, user, old.bytes, old.len);
    if (rv != CKR_OK)
        return token_login_failed(slot, user, rv);
    code = token_pin(&new, is_so ? PIN_NEW_SO : PIN_NEW_USER, info, true);
    if (code)
        return code;
    rv = token_module->C_SetPIN(session, old.bytes, old.len, new.bytes, new.len);
    return rv == CKR_OK ? EXIT_SUCCESS : token_says("PIN", rv);
}

/* The security officer gives the user a new one. */
static int reset(CK_SLOT_ID slot, const CK_TOKEN_INFO *info)
{
    CK_SESSION_HANDLE session;
    struct token_pin new;
    int code = token_begin_session(&session, slot, true);
    if (!code)
        code = token_login(session, slot, CKU_SO);
    if (!code)
        code = token_pin(&new, PIN_NEW_USER, info, true);
    if (code)
        return code;
    const CK_RV rv = token_module->C_InitPIN(session, new.bytes, new.len);
    return rv == CKR_OK ? EXIT_SUCCESS : token_says("user", rv);
}

static int pin_main(int argc, char **argv)
{
    CK_SLOT_ID slot;
    CK_TOKEN_INFO info;
    if (token_settings.so && token_settings.reset)
        return tool_usage("token pin: --so or --reset, not both");
    int code = token_begin();
    if (!code)
        code = token_select(&slot, &info, false);
    if (!code)
        code = token_settings.reset ? reset(slot, &info)
                                    : change(slot, &info, token_settings.so ? CKU_SO : CKU_USER);
    return token_end(code);
}

static const struct tool_option pin_options[] = {
    { "reset", 0, NULL, "the security officer gives the user a new PIN", &token_settings.reset,
      NULL },
    { "so", 0, NULL, "changes the PIN of the security officer", &token_settings.so, NULL },
    TOKEN_OPTIONS,
    TOKEN_PIN_OPTION,
    { "new-pin-file", 0, "FILE", "reads the new PIN from FILE", NULL,
      &token_settings.new_pin_file },
    TOKEN_SO_PIN_OPTION,
    { .name = NULL },
};

const struct command token_pin_command = {
    .name = "token pin",
    .operands = "",
    .summary = "change the PIN of the user, or of the security officer",
    .options = pin_options,
    .main = pin_main,
    .no_operands = true,
};
