/* SPDX-License-Identifier: Apache-2.0 */
/* headrace token import: keys and certificates from files. */
#define _GNU_SOURCE
#include "../key_params.h"
#include "token_template.h"
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* ---- uses ---- */

/* What a key may do if --use does not say: one purpose, as SECURITY.md has it. */
static const struct {
    CK_OBJECT_CLASS cls;
    CK_KEY_TYPE type;
    const char *uses;
} defaults[] = {
    { CKO_PRIVATE_KEY, CKK_EC_MONTGOMERY, "derive" },
    { CKO_PRIVATE_KEY, CKK_ML_KEM, "decapsulate" },
    { CKO_PRIVATE_KEY, CK_UNAVAILABLE_INFORMATION, "sign" },
    { CKO_SECRET_KEY, CKK_GENERIC_SECRET, "sign,verify" },
    { CKO_SECRET_KEY, CK_UNAVAILABLE_INFORMATION, "encrypt,decrypt" },
};

static const char *default_uses(CK_OBJECT_CLASS cls, CK_KEY_TYPE type)
{
    for (size_t i = 0; i < COUNT(defaults); i++)
        if (defaults[i].cls == (cls == CKO_PUBLIC_KEY ? CKO_PRIVATE_KEY : cls) &&
            (defaults[i].type == type || defaults[i].type == CK_UNAVAILABLE_INFORMATION))
            return defaults[i].uses;
    return "";
}

/* What each class of keys can have, and what the public key does for the private one. */
static const struct {
    const char *use;
    CK_ATTRIBUTE_TYPE of_private, of_public;
    bool is_new; /* in 3.2: modules that know ML-KEM know it */
} pairs[] = {
    { "sign", CKA_SIGN, CKA_VERIFY, false },
    { "decrypt", CKA_DECRYPT, CKA_ENCRYPT, false },
    { "unwrap", CKA_UNWRAP, CKA_WRAP, false },
    { "derive", CKA_DERIVE, CKA_DERIVE, false },
    { "recover", CKA_SIGN_RECOVER, CKA_VERIFY_RECOVER, false },
    { "decapsulate", CKA_DECAPSULATE, CKA_ENCAPSULATE, true },
};

static bool has_word(const char *list, const char *word)
{
    const size_t len = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, word, len) && (at[len] == ',' || !at[len]))
            return true;
    return false;
}

static int check_uses(const char *list)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const int len = (int)strcspn(at, ",");
        bool known = false;
        for (size_t i = 0; i < TOKEN_USES; i++)
            known |= !strncmp(token_uses[i].name, at, (size_t)len) && !token_uses[i].name[len];
        if (!known)
            return tool_usage("token import: --use is a list of sign, verify, encrypt, decrypt, "
                              "wrap, unwrap, derive, recover and decapsulate, not %.*s",
                              len, at);
    }
    return EXIT_SUCCESS;
}

static void add_uses(struct token_template *t, CK_OBJECT_CLASS cls, CK_KEY_TYPE type)
{
    const char *uses = token_settings.uses ? token_settings.uses : default_uses(cls, type);
    if (cls == CKO_SECRET_KEY)
        for (size_t i = 0; i < TOKEN_SECRET_USES; i++)
            template_bool(t, token_uses[i].type, has_word(uses, token_uses[i].name));
    else
        for (size_t i = 0; i < COUNT(pairs); i++)
            if (!pairs[i].is_new || type == CKK_ML_KEM)
                template_bool(t, cls == CKO_PRIVATE_KEY ? pairs[i].of_private : pairs[i].of_public,
                              has_word(uses, pairs[i].use));
}

/* ---- objects ---- */

/* Adds all attributes that do not come from the file. */
static int complete(struct token_template *t, CK_OBJECT_CLASS cls, CK_KEY_TYPE type)
{
    const bool is_secret = cls == CKO_PRIVATE_KEY || cls == CKO_SECRET_KEY;
    CK_BYTE id[64];
    CK_ULONG id_len;
    if (token_settings.id) {
        const int code = token_id_parse(id, &id_len, token_settings.id);
        if (code)
            return code;
        for (CK_ULONG i = 0; i < t->num; i++) /* the file's own id is replaced */
            if (t->list[i].type == CKA_ID)
                t->list[i] = t->list[--t->num];
        template_add(t, CKA_ID, id, id_len);
    }
    template_bool(t, CKA_TOKEN, true);
    template_bool(t, CKA_PRIVATE, is_secret);
    template_add(t, CKA_LABEL, token_settings.label, strlen(token_settings.label));
    if (is_secret) {
        template_bool(t, CKA_SENSITIVE, true);
        template_bool(t, CKA_EXTRACTABLE, token_settings.extractable);
    }
    if (cls != CKO_CERTIFICATE)
        add_uses(t, cls, type);
    return t->is_full ? tool_error("the object is too long") : EXIT_SUCCESS;
}

static const struct {
    const char *name;
    CK_KEY_TYPE type;
} raw_types[] = {
    { "aes", CKK_AES },           { "hmac", CKK_GENERIC_SECRET }, { "chacha20", CKK_CHACHA20 },
    { "camellia", CKK_CAMELLIA }, { "des-ede3", CKK_DES3 },
};

/* Takes the bytes of a secret key as they are; its id is random. */
static int take_raw(struct token_file *f, const char *path, const char *text, size_t len)
{
    uint8_t id[8];
    for (size_t i = 0; i < COUNT(raw_types); i++) {
        if (strcasecmp(raw_types[i].name, token_settings.algorithm) != 0)
            continue;
        struct token_template *t = token_file_add(f, CKO_SECRET_KEY, raw_types[i].type);
        if (!t || !len)
            return len ? EXIT_FAILURE : tool_error("%s: empty", path);
        if (getrandom(id, sizeof id, 0) != sizeof id)
            return tool_error("no random bytes");
        template_add(t, CKA_VALUE, text, len);
        template_add(t, CKA_ID, id, sizeof id);
        return EXIT_SUCCESS;
    }
    return tool_usage("token import: --algorithm is aes, hmac, chacha20, camellia or des-ede3");
}

static int read_objects(struct token_file *f, const char *path)
{
    static char text[KEY_PARAMS_FILE];
    size_t len;
    int code = key_params_read(text, &len, path);
    if (!code)
        code = token_settings.algorithm ? take_raw(f, path, text, len)
                                        : token_file_parse(f, path, text, len);
    explicit_bzero(text, sizeof text);
    for (unsigned i = 0; i < f->num && !code; i++)
        code = complete(f->objects[i], f->classes[i], f->key_types[i]);
    return code;
}

/* ---- the command ---- */

/* Removes what was made before an object that the token does not take. */
static int create(CK_SESSION_HANDLE session, const struct token_file *f)
{
    CK_OBJECT_HANDLE made[TOKEN_MOST_OBJECTS];
    for (unsigned i = 0; i < f->num; i++) {
        struct token_template *t = f->objects[i];
        const CK_RV rv = token_module->C_CreateObject(session, t->list, t->num, &made[i]);
        if (rv == CKR_OK)
            continue;
        token_says(token_class_name(f->classes[i]), rv);
        while (i--)
            token_module->C_DestroyObject(session, made[i]);
        return EXIT_FAILURE;
    }
    for (unsigned i = 0; i < f->num; i++)
        tool_say("imported: %s \"%s\"\n", token_class_name(f->classes[i]), token_settings.label);
    return EXIT_SUCCESS;
}

static int import(struct token_file *f, const char *path)
{
    CK_SLOT_ID slot;
    CK_TOKEN_INFO info;
    CK_SESSION_HANDLE session;
    int code = read_objects(f, path);
    if (!code)
        code = token_begin();
    if (!code)
        code = token_select(&slot, &info, false);
    if (!code)
        code = token_begin_session(&session, slot, true);
    if (!code)
        code = token_login(session, slot, CKU_USER);
    return code ? code : create(session, f);
}

static int import_main(int argc, char **argv)
{
    struct token_file f = { .num = 0 };
    if (argc != 1)
        return tool_usage("token import: name one file, or - for standard input");
    if (!token_settings.label || !*token_settings.label)
        return tool_usage("token import: name the object by --label");
    int code = token_settings.uses ? check_uses(token_settings.uses) : EXIT_SUCCESS;
    if (!code)
        code = import(&f, argv[0]);
    token_file_free(&f);
    return token_end(code);
}

static const struct tool_option options[] = {
    { "label", 'l', "NAME", "the label of the new objects", NULL, &token_settings.label },
    { "id", 'i', "HEX", "their id [of the public key]", NULL, &token_settings.id },
    { "use", 'u', "LIST", "what they do: sign, encrypt, wrap ...", NULL, &token_settings.uses },
    { "algorithm", 'a', "NAME", "FILE is the bytes of a key: aes, hmac ...", NULL,
      &token_settings.algorithm },
    { "extractable", 0, NULL, "the key may leave the token again, wrapped",
      &token_settings.extractable, NULL },
    TOKEN_OPTIONS,
    TOKEN_PIN_OPTION,
    { .name = NULL },
};

const struct command token_import_command = {
    .name = "token import",
    .operands = "FILE",
    .summary = "put the keys and certificates of a file into a token",
    .options = options,
    .main = import_main,
};
