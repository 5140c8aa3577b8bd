/* SPDX-License-Identifier: Apache-2.0 */
/* Objects in words.  What a module says of lengths is not believed. */
#include "../../accel/config/hex.h"
#include "token_sets.h"
#include <stdlib.h>
#include <string.h>

const struct token_use token_uses[TOKEN_USES] = {
    { "sign", CKA_SIGN },
    { "verify", CKA_VERIFY },
    { "encrypt", CKA_ENCRYPT },
    { "decrypt", CKA_DECRYPT },
    { "wrap", CKA_WRAP },
    { "unwrap", CKA_UNWRAP },
    { "derive", CKA_DERIVE },
    { "recover", CKA_SIGN_RECOVER },
    { "encapsulate", CKA_ENCAPSULATE },
    { "decapsulate", CKA_DECAPSULATE },
};

static const struct {
    const char *name;
    CK_OBJECT_CLASS cls;
} classes[] = {
    { "private", CKO_PRIVATE_KEY },     { "public", CKO_PUBLIC_KEY }, { "secret", CKO_SECRET_KEY },
    { "certificate", CKO_CERTIFICATE }, { "data", CKO_DATA },
};

const char *token_class_name(CK_OBJECT_CLASS cls)
{
    for (size_t i = 0; i < COUNT(classes); i++)
        if (classes[i].cls == cls)
            return classes[i].name;
    return "other";
}

bool token_class_of(CK_OBJECT_CLASS *out, const char *name)
{
    for (size_t i = 0; i < COUNT(classes); i++)
        if (!strcmp(classes[i].name, name)) {
            *out = classes[i].cls;
            return true;
        }
    return false;
}

void token_id_text(char out[129], const struct token_object *object)
{
    hex_write(out, object->id, object->id_len);
    out[2 * object->id_len] = '\0';
}

int token_id_parse(CK_BYTE out[64], CK_ULONG *len, const char *text)
{
    const size_t digits = strlen(text);
    *len = digits / 2;
    return digits % 2 || !digits || digits > 128 || !hex_read(out, *len, text)
               ? tool_usage("token: an id has up to 128 digits 0-9, a-f, two for each byte")
               : EXIT_SUCCESS;
}

/* ---- attributes ---- */

struct place {
    CK_SESSION_HANDLE session;
    CK_OBJECT_HANDLE handle;
};

/* Reads an attribute of at most `max` bytes; returns its length, 0 if there is none. */
static CK_ULONG get(const struct place *at, CK_ATTRIBUTE_TYPE type, void *out, CK_ULONG max)
{
    CK_ATTRIBUTE attribute = { type, out, max };
    const CK_RV rv = token_module->C_GetAttributeValue(at->session, at->handle, &attribute, 1);
    return rv == CKR_OK && attribute.ulValueLen <= max ? attribute.ulValueLen : 0;
}

static CK_ULONG get_number(const struct place *at, CK_ATTRIBUTE_TYPE type, CK_ULONG otherwise)
{
    CK_ULONG number;
    return get(at, type, &number, sizeof number) == sizeof number ? number : otherwise;
}

static bool get_bool(const struct place *at, CK_ATTRIBUTE_TYPE type)
{
    CK_BBOOL value;
    return get(at, type, &value, sizeof value) == sizeof value && value;
}

/* ---- algorithms ---- */

enum sizes { NO_SIZE, MODULUS, PRIME, VALUE_LEN, CURVE, SET };
static const struct {
    CK_KEY_TYPE type;
    const char *name;
    enum sizes size;
} key_types[] = {
    { CKK_RSA, "RSA", MODULUS },
    { CKK_DSA, "DSA", PRIME },
    { CKK_DH, "DH", PRIME },
    { CKK_EC, "EC", CURVE },
    { CKK_EC_EDWARDS, "Edwards", CURVE },
    { CKK_EC_MONTGOMERY, "Montgomery", CURVE },
    { CKK_ML_DSA, "ML-DSA", SET },
    { CKK_ML_KEM, "ML-KEM", SET },
    { CKK_SLH_DSA, "SLH-DSA", SET },
    { CKK_GENERIC_SECRET, "HMAC", VALUE_LEN },
    { CKK_HKDF, "HKDF", VALUE_LEN },
    { CKK_AES, "AES", VALUE_LEN },
    { CKK_AES_XTS, "AES-XTS", VALUE_LEN },
    { CKK_CAMELLIA, "Camellia", VALUE_LEN },
    { CKK_CHACHA20, "ChaCha20", NO_SIZE },
    { CKK_DES, "DES", NO_SIZE },
    { CKK_DES2, "DES-EDE2", NO_SIZE },
    { CKK_DES3, "DES-EDE3", NO_SIZE },
};

/* Curves by their object identifiers in DER. */
static const struct {
    const char *name;
    CK_BYTE len, oid[12];
} curves[] = {
    { "P-256", 10, { 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7 } },
    { "P-384", 7, { 6, 5, 0x2b, 0x81, 4, 0, 0x22 } },
    { "P-521", 7, { 6, 5, 0x2b, 0x81, 4, 0, 0x23 } },
    { "Ed25519", 5, { 6, 3, 0x2b, 0x65, 0x70 } },
    { "X25519", 5, { 6, 3, 0x2b, 0x65, 0x6e } },
};

static const char *curve_of(const struct place *at)
{
    CK_BYTE params[64];
    const CK_ULONG len = get(at, CKA_EC_PARAMS, params, sizeof params);
    for (size_t i = 0; i < COUNT(curves); i++)
        if (curves[i].len == len && !memcmp(curves[i].oid, params, len))
            return curves[i].name;
    return NULL;
}

static CK_ULONG bits_of(const struct place *at, enum sizes size)
{
    CK_BYTE number[2048];
    if (size == VALUE_LEN)
        return 8 * get_number(at, CKA_VALUE_LEN, 0);
    return size == MODULUS ? 8 * get(at, CKA_MODULUS, number, sizeof number)
           : size == PRIME ? 8 * get(at, CKA_PRIME, number, sizeof number)
                           : 0;
}

/* name_of names the curve or parameter set of a key; NULL: it has none that has a name. */
static const char *name_of(const struct place *at, CK_KEY_TYPE type, enum sizes size)
{
    return size == CURVE ? curve_of(at)
           : size == SET ? token_set_name(type, get_number(at, CKA_PARAMETER_SET, 0))
                         : NULL;
}

static void name_algorithm(char out[40], const struct place *at)
{
    const CK_KEY_TYPE type = get_number(at, CKA_KEY_TYPE, CK_UNAVAILABLE_INFORMATION);
    for (size_t i = 0; i < COUNT(key_types); i++)
        if (key_types[i].type == type) {
            const char *name = name_of(at, type, key_types[i].size);
            const CK_ULONG bits = bits_of(at, key_types[i].size);
            if (bits)
                snprintf(out, 40, "%s-%lu", key_types[i].name, bits);
            else
                snprintf(out, 40, "%s", name ? name : key_types[i].name);
            return;
        }
    snprintf(out, 40, "key type 0x%lx", type);
}

/* ---- objects ---- */

static void describe(struct token_object *out, const struct place *at)
{
    memset(out, 0, sizeof *out);
    out->handle = at->handle;
    out->cls = get_number(at, CKA_CLASS, CK_UNAVAILABLE_INFORMATION);
    get(at, CKA_LABEL, out->label, sizeof out->label - 1);
    out->id_len = get(at, CKA_ID, out->id, sizeof out->id);
    out->is_private = get_bool(at, CKA_PRIVATE);
    const bool is_key = out->cls == CKO_PRIVATE_KEY || out->cls == CKO_SECRET_KEY;
    if (is_key || out->cls == CKO_PUBLIC_KEY)
        name_algorithm(out->algorithm, at);
    else
        strcpy(out->algorithm, out->cls == CKO_CERTIFICATE ? "X.509" : "-");
    for (unsigned i = 0; i < TOKEN_USES && out->cls != CKO_CERTIFICATE && out->cls != CKO_DATA; i++)
        out->uses |= (unsigned)get_bool(at, token_uses[i].type) << i;
    out->is_sensitive = is_key && get_bool(at, CKA_SENSITIVE);
    out->is_extractable = is_key && get_bool(at, CKA_EXTRACTABLE);
}

enum { MOST = 1 << 20 };

/* All handles come before an object is looked at, as some modules do not search and look at once.
 */
static int find_handles(CK_OBJECT_HANDLE **out, size_t *num, CK_SESSION_HANDLE session)
{
    enum { PART = 64 };
    CK_ULONG got = 0;
    CK_RV rv;
    do {
        CK_OBJECT_HANDLE *more = realloc(*out, (*num + PART) * sizeof *more);
        if (!more)
            return tool_error("not enough memory");
        *out = more;
        rv = token_module->C_FindObjects(session, more + *num, PART, &got);
        *num += rv == CKR_OK && got <= PART ? got : 0;
    } while (rv == CKR_OK && got && got <= PART && *num < MOST);
    return rv == CKR_OK ? EXIT_SUCCESS : token_says("objects", rv);
}

int token_find(CK_SESSION_HANDLE session, CK_ATTRIBUTE *template, CK_ULONG num,
               token_object_fn *each, void *arg)
{
    CK_OBJECT_HANDLE *handles = NULL;
    size_t found = 0;
    const CK_RV rv = token_module->C_FindObjectsInit(session, template, num);
    int code = rv == CKR_OK ? find_handles(&handles, &found, session) : token_says("objects", rv);
    if (rv == CKR_OK)
        token_module->C_FindObjectsFinal(session);
    for (size_t i = 0; i < found && !code; i++) {
        struct token_object object;
        describe(&object, &(struct place){ session, handles[i] });
        code = each(&object, arg);
    }
    free(handles);
    return code;
}
