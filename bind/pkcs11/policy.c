/* SPDX-License-Identifier: Apache-2.0 */
/* What keys may do, and how objects may come to be and change: SECURITY.md, "PKCS#11". */
#include "mechanism.h"
#include "object.h"
#include "session.h"

enum {
    USES_SHIFT = BIT_NUMBER_ENCRYPT, /* the uses of keys are the last bits of attributes.def */
    LEAST_DERIVED = 16,              /* bytes of what is derived of a hidden key */
};
#define USES (~UINT64_C(0) << USES_SHIFT)
/* What a session's key may be made for, and then does one of. */
#define EITHER (P11_BIT(WRAP) | P11_BIT(DECRYPT))
#define HIDDEN (P11_BIT(SENSITIVE) | P11_BIT(EXTRACTABLE))

static enum who who_is(const struct session *session)
{
    return (enum who)atomic_load(&session->module->slots[session->slot].who);
}

/* ---- a new object ---- */

/* default_uses returns what a key of a type does if its template asks for nothing: one purpose. */
static uint64_t default_uses(const struct draft *draft)
{
    static const struct {
        CK_KEY_TYPE type;
        uint64_t secret, public, private;
    } uses[] = {
        { CKK_RSA, 0, P11_BIT(VERIFY), P11_BIT(SIGN) },
        { CKK_EC, 0, P11_BIT(VERIFY), P11_BIT(SIGN) },
        { CKK_EC_EDWARDS, 0, P11_BIT(VERIFY), P11_BIT(SIGN) },
        { CKK_EC_MONTGOMERY, 0, 0, P11_BIT(DERIVE) },
        { CKK_DSA, 0, P11_BIT(VERIFY), P11_BIT(SIGN) },
        { CKK_DH, 0, 0, P11_BIT(DERIVE) },
        { CKK_ML_DSA, 0, P11_BIT(VERIFY), P11_BIT(SIGN) },
        { CKK_SLH_DSA, 0, P11_BIT(VERIFY), P11_BIT(SIGN) },
        { CKK_ML_KEM, 0, P11_BIT(ENCAPSULATE), P11_BIT(DECAPSULATE) },
        { CKK_GENERIC_SECRET, P11_BIT(SIGN) | P11_BIT(VERIFY), 0, 0 },
        { CKK_HKDF, P11_BIT(DERIVE), 0, 0 },
    };
    for (size_t i = 0; i < COUNT(uses); i++)
        if (uses[i].type == draft->key_type)
            return draft->cls == CKO_SECRET_KEY   ? uses[i].secret
                   : draft->cls == CKO_PUBLIC_KEY ? uses[i].public
                                                  : uses[i].private;
    return draft->cls == CKO_SECRET_KEY ? P11_BIT(ENCRYPT) | P11_BIT(DECRYPT) : 0;
}

static void default_bits(const struct session *session, struct draft *draft)
{
    const unsigned cls = class_bit(draft->cls);
    const bool is_secret = cls & (CLASS_SECRET | CLASS_PRIVATE);
    uint64_t bits = P11_BIT(MODIFIABLE) | P11_BIT(COPYABLE) | P11_BIT(DESTROYABLE);
    if (is_secret && (draft->bits & P11_BIT(TOKEN) || who_is(session) == USER))
        bits |= P11_BIT(PRIVATE);
    if (is_secret && draft->bits & P11_BIT(TOKEN))
        bits |= P11_BIT(SENSITIVE);
    if (cls == CLASS_PRIVATE)
        bits |= P11_BIT(SENSITIVE);
    /* What a template asks for it gets, and nothing beside it. */
    if (cls & CLASS_KEYS && !(draft->given & draft->bits & USES))
        bits |= default_uses(draft);
    draft->bits |= bits & ~draft->given;
}

RV policy_types(const struct draft *draft, CK_OBJECT_CLASS object_class)
{
    const unsigned cls = class_bit(object_class);
    for (size_t i = 0; i < draft->num; i++)
        if (!(attribute_info(draft->list[i].type)->classes & cls))
            return CKR_ATTRIBUTE_TYPE_INVALID;
#define P11_BOOL(type, SYM, classes, flags)                \
    if (draft->given & P11_BIT(SYM) && !(cls & (classes))) \
        return CKR_ATTRIBUTE_TYPE_INVALID;
#include "attributes.def"
    return CKR_OK;
}

static RV check_template(const struct session *session, const struct draft *draft,
                         enum origin origin)
{
    const CK_RV rv = policy_types(draft, draft->cls);
    if (rv != CKR_OK)
        return rv;
    for (size_t i = 0; i < draft->num; i++) {
        const struct attribute_info *info = attribute_info(draft->list[i].type);
        if (info->type == CKA_UNIQUE_ID) /* as 3.0 has it */
            return CKR_ATTRIBUTE_TYPE_INVALID;
        if (info->flags & ATTR_MADE && origin == CREATED)
            return CKR_ATTRIBUTE_READ_ONLY;
    }
#define P11_BOOL(type, SYM, classes, flags_)               \
    if ((flags_)&ATTR_MADE && draft->given & P11_BIT(SYM)) \
        return CKR_ATTRIBUTE_READ_ONLY;
#include "attributes.def"
    if (draft->bits & P11_BIT(TRUSTED) && origin != COPIED && who_is(session) != OFFICER)
        return CKR_ATTRIBUTE_READ_ONLY;
    return CKR_OK;
}

static RV check_place(const struct session *session, const struct draft *draft)
{
    if (draft->bits & P11_BIT(TOKEN) && !session->is_rw)
        return CKR_SESSION_READ_ONLY;
    /* What is secret of a stored key is encrypted, whether or not the key is private. */
    const bool is_hidden =
        draft->bits & P11_BIT(PRIVATE) ||
        (draft->bits & P11_BIT(TOKEN) && class_bit(draft->cls) & (CLASS_SECRET | CLASS_PRIVATE));
    return is_hidden && who_is(session) != USER ? CKR_USER_NOT_LOGGED_IN : CKR_OK;
}

/* check_uses: a key of a session may be made for wrapping and decryption, and its first use
 * decides; for a stored one other processes would decide otherwise. */
static RV check_uses(const struct draft *draft)
{
    if ((draft->bits & EITHER) == EITHER && draft->bits & P11_BIT(TOKEN))
        return CKR_TEMPLATE_INCONSISTENT;
    if (draft->bits & P11_BIT(ALWAYS_AUTHENTICATE) && !(draft->bits & P11_BIT(PRIVATE)))
        return CKR_TEMPLATE_INCONSISTENT;
    return CKR_OK;
}

uint64_t policy_join(uint64_t a, uint64_t b)
{
    const uint64_t raised = P11_BIT(SENSITIVE) | P11_BIT(WRAP_WITH_TRUSTED);
    return ((a | b) & raised) | (a & b & ~raised);
}

/* raise makes a bit of a new key true, unless its template says that it is false. */
static RV raise_bit(struct draft *draft, uint64_t bit)
{
    if (draft->given & ~draft->bits & bit)
        return CKR_TEMPLATE_INCONSISTENT;
    draft->bits |= bit;
    return CKR_OK;
}

/* is_too_short tells whether a new key is so short that who tries all values finds out what the key
 * that it comes of hides: first one byte of it, then two. */
static bool is_too_short(const struct draft *draft)
{
    const CK_ATTRIBUTE *value = draft_find(draft, CKA_VALUE);
    return value && value->ulValueLen < LEAST_DERIVED;
}

/* inherit makes a key that comes of another at least as hidden as that is. */
static RV inherit(struct draft *draft, enum origin origin, const struct object *from)
{
    if (!from || !(class_bit(draft->cls) & (CLASS_SECRET | CLASS_PRIVATE)))
        return CKR_OK;
    const uint64_t bits = atomic_load(&from->bits);
    const bool is_hidden = bits & P11_BIT(SENSITIVE) || !(bits & P11_BIT(EXTRACTABLE)),
               unwraps = origin == UNWRAPPED;
    CK_RV rv = CKR_OK;
    /* Who agrees on a secret with somebody else's key, or has a KEM's, may want to see it; of what
     * is computed of a secret key, or was wrapped, a part of the secret could be seen. */
    if (origin == DERIVED && from->cls != CKO_SECRET_KEY)
        return CKR_OK;
    if (!unwraps && is_hidden && is_too_short(draft))
        return CKR_KEY_SIZE_RANGE;
    if (bits & P11_BIT(SENSITIVE) || (unwraps && is_hidden))
        rv = raise_bit(draft, P11_BIT(SENSITIVE));
    if (rv == CKR_OK && bits & (unwraps ? P11_BIT(TRUSTED) : P11_BIT(WRAP_WITH_TRUSTED)))
        rv = raise_bit(draft, P11_BIT(WRAP_WITH_TRUSTED));
    if (rv != CKR_OK || unwraps || bits & P11_BIT(EXTRACTABLE))
        return rv;
    if (draft->given & draft->bits & P11_BIT(EXTRACTABLE))
        return CKR_TEMPLATE_INCONSISTENT;
    draft->bits &= ~P11_BIT(EXTRACTABLE);
    return CKR_OK;
}

static void set_history(struct draft *draft, enum origin origin, const struct object *from)
{
    if (!(class_bit(draft->cls) & CLASS_KEYS))
        return;
    const uint64_t bits = from ? atomic_load(&from->bits) : 0;
    const bool is_known = origin == CREATED || origin == UNWRAPPED;
    const bool was_always = origin == GENERATED || bits & P11_BIT(ALWAYS_SENSITIVE),
               was_never = origin == GENERATED || bits & P11_BIT(NEVER_EXTRACTABLE);
    draft_set(draft, P11_BIT(LOCAL),
              origin == GENERATED || (origin == COPIED && bits & P11_BIT(LOCAL)));
    if (draft->cls == CKO_PUBLIC_KEY)
        return;
    draft_set(draft, P11_BIT(ALWAYS_SENSITIVE),
              !is_known && was_always && draft->bits & P11_BIT(SENSITIVE));
    draft_set(draft, P11_BIT(NEVER_EXTRACTABLE),
              !is_known && was_never && !(draft->bits & P11_BIT(EXTRACTABLE)));
}

/* weaker_copy tells whether a copy would permit or show more than the original.  What a key unwraps
 * is marked if the key is trusted, so that a copy is trusted if the original is. */
static bool weaker_copy(const struct draft *draft, const struct object *from)
{
    const uint64_t bits = atomic_load(&from->bits), after = draft->bits;
    const uint64_t raised = P11_BIT(PRIVATE) | P11_BIT(SENSITIVE) | P11_BIT(WRAP_WITH_TRUSTED) |
                            P11_BIT(ALWAYS_AUTHENTICATE);
    const uint64_t lowered = P11_BIT(EXTRACTABLE) | P11_BIT(COPYABLE) | USES;
    return (bits & raised & ~after) || (after & lowered & ~bits) ||
           (bits ^ after) & P11_BIT(TRUSTED);
}

RV policy_complete(struct session *session, struct draft *draft, enum origin origin,
                   const struct object *from)
{
    if (!class_bit(draft->cls))
        return draft_find(draft, CKA_CLASS) ? CKR_ATTRIBUTE_VALUE_INVALID : CKR_TEMPLATE_INCOMPLETE;
    CK_RV rv = origin == COPIED ? CKR_OK : check_template(session, draft, origin);
    if (rv != CKR_OK)
        return rv;
    if (origin == COPIED && (atomic_load(&from->bits) & EITHER) == EITHER)
        return CKR_ACTION_PROHIBITED;
    if (origin == COPIED && weaker_copy(draft, from))
        return CKR_TEMPLATE_INCONSISTENT;
    if (origin != COPIED) {
        default_bits(session, draft);
        rv = inherit(draft, origin, from);
    }
    if (rv == CKR_OK)
        rv = check_uses(draft);
    if (rv == CKR_OK)
        rv = check_place(session, draft);
    if (rv == CKR_OK)
        set_history(draft, origin, from);
    return rv;
}

/* ---- changes ---- */

static RV change_of_bits(const struct session *session, uint64_t before, const struct draft *draft)
{
    const uint64_t raised = draft->bits & draft->given & ~before,
                   lowered = ~draft->bits & draft->given & before;
#define P11_BOOL(type, SYM, classes, flags_)                                                \
    if ((raised | lowered) & P11_BIT(SYM)) {                                                \
        if (!((flags_)&ATTR_CHANGES) || ((flags_)&ATTR_RAISES && lowered & P11_BIT(SYM)) || \
            ((flags_)&ATTR_LOWERS && raised & P11_BIT(SYM)))                                \
            return CKR_ATTRIBUTE_READ_ONLY;                                                 \
    }
#include "attributes.def"
    if (raised & USES) /* a key never gets another use */
        return CKR_ATTRIBUTE_READ_ONLY;
    if ((raised | lowered) & P11_BIT(TRUSTED) && who_is(session) != OFFICER)
        return CKR_ATTRIBUTE_READ_ONLY;
    return CKR_OK;
}

RV policy_change(struct session *session, const struct object *object, const struct draft *draft)
{
    const uint64_t before = atomic_load(&object->bits);
    if (!(before & P11_BIT(MODIFIABLE)))
        return CKR_ACTION_PROHIBITED;
    if (before & P11_BIT(TOKEN) && !session->is_rw)
        return CKR_SESSION_READ_ONLY;
    const CK_RV rv = policy_types(draft, object->cls);
    if (rv != CKR_OK)
        return rv;
    for (size_t i = 0; i < draft->num; i++)
        if (!(attribute_info(draft->list[i].type)->flags & ATTR_CHANGES))
            return CKR_ATTRIBUTE_READ_ONLY;
    return change_of_bits(session, before, draft);
}

/* ---- use ---- */

bool policy_allows(const struct object *key, CK_MECHANISM_TYPE type)
{
    size_t len;
    const uint8_t *list = object_value(key, CKA_ALLOWED_MECHANISMS, &len);
    if (!list)
        return true;
    for (size_t i = 0; i + sizeof type <= len; i += sizeof type)
        if (!memcmp(list + i, &type, sizeof type))
            return true;
    return false;
}

/* choose makes a key that might wrap or decrypt one that does what it is used for now. */
COLD static RV choose(struct module *m, struct object *key, uint64_t use)
{
    CK_RV rv = CKR_KEY_FUNCTION_NOT_PERMITTED;
    pthread_mutex_lock(&m->objects_lock); /* as who changes the bits by a template */
    if (atomic_load(&key->bits) & use) {
        atomic_fetch_and(&key->bits, ~(EITHER & ~use));
        rv = CKR_OK;
    }
    pthread_mutex_unlock(&m->objects_lock);
    return rv;
}

RV policy_use(const struct session *session, struct object *key, const struct mechanism *mech,
              uint64_t uses)
{
    const uint64_t bits = atomic_load_explicit(&key->bits, memory_order_relaxed);
    if (!(bits & uses))
        return CKR_KEY_FUNCTION_NOT_PERMITTED;
    if (UNLIKELY((bits & EITHER) == EITHER && uses & EITHER)) {
        const CK_RV rv = choose(session->module, key, uses & EITHER);
        if (rv != CKR_OK)
            return rv;
    }
    if (LIKELY(!key->is_limited))
        return CKR_OK;
    struct module *m = session->module;
    pthread_mutex_lock(&m->objects_lock); /* C_SetAttributeValue replaces the attributes */
    const bool allowed = policy_allows(key, mech->type);
    pthread_mutex_unlock(&m->objects_lock);
    return allowed ? CKR_OK : CKR_MECHANISM_INVALID;
}

RV policy_wrap(const struct object *wrapping, const struct object *key)
{
    const uint64_t bits = atomic_load(&key->bits);
    if (key->cls != CKO_SECRET_KEY && key->cls != CKO_PRIVATE_KEY)
        return CKR_KEY_NOT_WRAPPABLE;
    if (!(bits & P11_BIT(EXTRACTABLE)))
        return CKR_KEY_UNEXTRACTABLE;
    if (bits & P11_BIT(WRAP_WITH_TRUSTED) && !(atomic_load(&wrapping->bits) & P11_BIT(TRUSTED)))
        return CKR_KEY_NOT_WRAPPABLE;
    return CKR_OK;
}
