/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of `headrace token`: tokens of any PKCS#11 module.  Each has a row in token.c and a
 * file of its own. */
#ifndef TOOLS_TOKEN_H
#define TOOLS_TOKEN_H

#include "../../cli/tool.h"
#include <pkcs11.h>

/* clang-format off */
#define TOKEN_COMMANDS(X) \
    X(init)               \
    X(pin)                \
    X(list)               \
    X(import)             \
    X(delete)
/* clang-format on */

#define X(name) extern const struct command token_##name##_command;
TOKEN_COMMANDS(X)
#undef X

/* The options of all commands; each lists those that it takes. */
struct token_settings {
    const char *module, *token, *slot, *pin_file, *new_pin_file, *so_pin_file;
    const char *label, *id, *type, *uses, *algorithm;
    bool json, login, replace, all, so, reset, extractable;
};
extern struct token_settings token_settings;

/* Rows of a command's options. */
/* clang-format off */
#define TOKEN_OPTIONS \
    { "module", 'm', "PATH", "the PKCS#11 module [headrace-pkcs11.so]", NULL, \
      &token_settings.module }, \
    { "token", 't', "LABEL", "the token, if there are several", NULL, &token_settings.token }, \
    { "slot", 's', "N", "the token in slot N", NULL, &token_settings.slot }
#define TOKEN_PIN_OPTION \
    { "pin-file", 'p', "FILE", "reads the user's PIN from FILE", NULL, &token_settings.pin_file }
#define TOKEN_SO_PIN_OPTION \
    { "so-pin-file", 0, "FILE", "reads the security officer's PIN from FILE", NULL, \
      &token_settings.so_pin_file }
/* clang-format on */

/* ---- token_module.c ---- */

/* The functions of the module, from token_begin on. */
extern CK_FUNCTION_LIST *token_module;

/* Each function returns an exit code; after another one than EXIT_SUCCESS an error is printed. */

/* token_begin loads and initialises the module; token_end ends it, whether it began or not, and
 * returns the code that the command ends with. */
int token_begin(void);
int token_end(int code);

/* token_says prints what a module's call returned. */
int token_says(const char *what, CK_RV rv);

/* Texts of the module, which are padded by spaces, as they are shown. */
#define TOKEN_TEXT(out, field) token_text(out, field, sizeof(field))
char *token_text(char out[65], const CK_UTF8CHAR *field, size_t len);

/* The slots with a token, in `out`, which the caller frees. */
int token_slots(CK_SLOT_ID **out, CK_ULONG *num);
/* token_select finds the token that the options mean: for `is_new` also one that is not
 * initialised. */
int token_select(CK_SLOT_ID *slot, CK_TOKEN_INFO *info, bool is_new);
int token_begin_session(CK_SESSION_HANDLE *session, CK_SLOT_ID slot, bool writes);

/* ---- token_pin.c ---- */

/* A PIN in locked memory, of which there are a few; token_wipe_pins wipes them all. */
struct token_pin {
    CK_UTF8CHAR *bytes;
    CK_ULONG len;
};
enum token_pin_kind { PIN_USER, PIN_NEW_USER, PIN_SO, PIN_NEW_SO, NUM_PINS };
int token_pin(struct token_pin *out, enum token_pin_kind kind, const CK_TOKEN_INFO *info,
              bool twice);
void token_wipe_pins(void);
/* token_login logs in the user, or the security officer. */
int token_login(CK_SESSION_HANDLE session, CK_SLOT_ID slot, CK_USER_TYPE user);
/* token_login_failed prints why a PIN is refused, and how many tries are left. */
int token_login_failed(CK_SLOT_ID slot, CK_USER_TYPE user, CK_RV rv);

/* ---- token_object.c: objects in words ---- */

enum { TOKEN_SECRET_USES = 7, TOKEN_USES = 10 }; /* those of secret keys come first */
extern const struct token_use {
    const char *name;
    CK_ATTRIBUTE_TYPE type;
} token_uses[TOKEN_USES];

/* What is shown of an object. */
struct token_object {
    CK_OBJECT_HANDLE handle;
    CK_OBJECT_CLASS cls;
    char algorithm[40], label[257];
    CK_BYTE id[64];
    CK_ULONG id_len;
    unsigned uses; /* bit i: token_uses[i] */
    bool is_private, is_sensitive, is_extractable;
};
const char *token_class_name(CK_OBJECT_CLASS cls);
/* token_class_of finds a name: "private", "public", "secret", "certificate", "data". */
bool token_class_of(CK_OBJECT_CLASS *out, const char *name);
void token_id_text(char out[129], const struct token_object *object);
/* token_id_parse reads digits of --id. */
int token_id_parse(CK_BYTE out[64], CK_ULONG *len, const char *text);

/* token_find calls `each` for each object of the token that the template selects, until one does
 * not return EXIT_SUCCESS. */
typedef int token_object_fn(const struct token_object *object, void *arg);
int token_find(CK_SESSION_HANDLE session, CK_ATTRIBUTE *template, CK_ULONG num,
               token_object_fn *each, void *arg);

#endif
