/* SPDX-License-Identifier: Apache-2.0 */
/* Objects: attributes, and the forms of a key that engines use. */
#ifndef HR_P11_OBJECT_H
#define HR_P11_OBJECT_H

#include "module.h"

enum { MAX_FORMS = 16, MAX_OBJECTS = 65536, MAX_VALUE = 65536, MAX_TEMPLATE = 128 };

/* Attributes that are true or false are bits of an object: BIT_TOKEN and so on (attributes.def). */
enum object_bit_number {
#define P11_BOOL(type, SYM, ...) BIT_NUMBER_##SYM,
#include "attributes.def"
    NUM_BITS
};
#define P11_BIT(SYM) (UINT64_C(1) << BIT_NUMBER_##SYM)
_Static_assert(NUM_BITS <= 64, "bits of an object");

/* One other attribute; its value lies in the object's memory. */
struct attribute {
    CK_ATTRIBUTE_TYPE type;
    uint32_t len, at; /* at: from the beginning of the values */
};

/* The attributes of an object, in one block of memory; replaced as a whole. */
struct attributes {
    uint32_t num, values_len;
    struct attribute list[];
    /* the values follow the list */
};
static inline const uint8_t *attribute_value(const struct attributes *a,
                                             const struct attribute *one)
{
    return (const uint8_t *)(a->list + a->num) + one->at;
}

/* A key as an engine uses it for one mechanism.  num_forms says how many are made. */
struct form {
    const struct mechanism *mech;
    hr_alg alg;
    void *made;
};

struct op;
struct accel_named;
struct object {
    _Atomic CK_OBJECT_HANDLE handle; /* 0 once it is destroyed */
    CK_OBJECT_CLASS cls;
    CK_KEY_TYPE key_type;  /* of keys */
    _Atomic uint64_t bits; /* P11_BIT */
    uint8_t slot;
    bool is_limited;               /* it has CKA_ALLOWED_MECHANISMS */
    CK_SESSION_HANDLE session;     /* whose end is its own; 0: none */
    struct attributes *attributes; /* under objects_lock */
    _Atomic bool is_copied;        /* it is a copy, or there is one */
    _Atomic uint64_t num_ivs;      /* made by counting, unless `ivs` is not NULL (object_ivs) */
    _Atomic uint64_t *_Atomic ivs;
    _Atomic uint32_t num_forms;
    struct form forms[MAX_FORMS];
    struct accel_named *accel;    /* of the accelerator's keys: which one it is */
    uint8_t stored[16];           /* of objects in files: which one it is; else zeros */
    uint32_t stamp;               /* when it was last seen there */
    struct object *next, *before; /* all of them, or the limbo */
    /* of its list in each index */
    struct object *next_label, *before_label, *next_id, *before_id, *next_stored, *before_stored;
};

/* The attributes of a template or an object that is being made. */
struct draft {
    CK_OBJECT_CLASS cls;
    CK_KEY_TYPE key_type;
    uint64_t bits, given; /* bits, and which ones the template has */
    bool is_copied;       /* of a copy */
    size_t num;
    CK_ATTRIBUTE list[MAX_TEMPLATE]; /* others: they point to the caller's memory, or to `own` */
    uint8_t *own;                    /* memory for values that were computed (secret_new) */
    size_t own_used, own_size;
};

/* ---- attribute.c: what attributes.def says ---- */

enum attribute_kind { KIND_BOOL, KIND_ULONG, KIND_BYTES, KIND_LIST };
enum attribute_flag {
    ATTR_SENSITIVE = 1, /* not shown of a key that is sensitive or not extractable */
    ATTR_MADE = 2,      /* only the token sets it */
    ATTR_CHANGES = 4,   /* C_SetAttributeValue may change it */
    ATTR_RAISES = 8,    /* only from false to true */
    ATTR_LOWERS = 16,   /* only from true to false */
};
struct attribute_info {
    CK_ATTRIBUTE_TYPE type;
    uint8_t kind, flags;
    uint8_t bit;      /* of KIND_BOOL */
    uint16_t classes; /* CLASS_... */
};
enum {
    CLASS_DATA = 1,
    CLASS_CERT = 2,
    CLASS_SECRET = 4,
    CLASS_PUBLIC = 8,
    CLASS_PRIVATE = 16,
    CLASS_KEYS = CLASS_SECRET | CLASS_PUBLIC | CLASS_PRIVATE,
    CLASS_ALL = 31,
};
const struct attribute_info *attribute_info(CK_ATTRIBUTE_TYPE type);
/* class_bit returns the CLASS_ of an object's class, or 0 if there are no such objects. */
unsigned class_bit(CK_OBJECT_CLASS cls);

/* ---- template.c ---- */

/* draft_read reads a template into an empty draft: known attributes, each once, with values of the
 * right form.  What a caller may not set is not looked at here. */
RV draft_read(struct draft *draft, const CK_ATTRIBUTE *template, CK_ULONG num);
const CK_ATTRIBUTE *draft_find(const struct draft *draft, CK_ATTRIBUTE_TYPE type);
/* draft_number returns the value of a number, or `otherwise` if it is not there. */
CK_ULONG draft_number(const struct draft *draft, CK_ATTRIBUTE_TYPE type, CK_ULONG otherwise);
/* draft_add adds an attribute, whose value is copied; one that is there is replaced. */
RV draft_add(struct module *m, struct draft *draft, CK_ATTRIBUTE_TYPE type, const void *value,
             size_t len);
/* draft_default does so if it is not there. */
RV draft_default(struct module *m, struct draft *draft, CK_ATTRIBUTE_TYPE type, const void *value,
                 size_t len);
RV draft_add_number(struct module *m, struct draft *draft, CK_ATTRIBUTE_TYPE type, CK_ULONG value);
void draft_set(struct draft *draft, uint64_t bit, bool on);
void draft_wipe(struct module *m, struct draft *draft);

/* ---- object.c ---- */

/* object_make makes an object of a draft that policy.c has completed, and gives it a handle.  Its
 * owner is the session, unless it is a token object. */
RV object_make(struct session *session, struct draft *draft, CK_OBJECT_HANDLE *handle);
/* object_load makes one that a file has; under objects_lock. */
RV object_load(struct module *m, struct draft *draft, unsigned slot, const uint8_t stored[16],
               uint32_t stamp);
/* object_show makes one that stands for a key of the accelerator. */
RV object_show(struct module *m, struct draft *draft, struct accel_named *accel,
               CK_OBJECT_HANDLE *handle);
bool object_is_stored(const struct object *object);
/* object_stored returns the object with this file, or NULL; under objects_lock. */
struct object *object_stored(const struct module *m, const uint8_t stored[16]);
/* object_of returns the object with this handle, or NULL; under objects_lock, or while an operation
 * refers to it. */
struct object *object_of(const struct module *m, CK_OBJECT_HANDLE handle);
/* object_hold makes an operation refer to a key. */
RV object_hold(struct op *op, CK_OBJECT_HANDLE handle);
/* objects_release frees an object that was destroyed when no operation refers to it any more; its
 * address is only compared. */
void objects_release(struct module *m, const struct object *object);
/* object_value finds an attribute; under objects_lock.  NULL: it has none. */
const uint8_t *object_value(const struct object *object, CK_ATTRIBUTE_TYPE type, size_t *len);
CK_ULONG object_number(const struct object *object, CK_ATTRIBUTE_TYPE type, CK_ULONG otherwise);
/* is_visible tells whether this session may see an object. */
bool is_visible(const struct session *session, const struct object *object);
/* object_remove destroys an object; under objects_lock. */
void object_remove(struct module *m, struct object *object);
/* object_change replaces the attributes; under objects_lock. */
RV object_change(struct module *m, struct object *object, struct draft *draft);
/* key_form returns the form of a key for a mechanism, and makes it if needed. */
RV key_form(struct module *m, const struct mechanism *mech, struct object *key, void **form,
            hr_alg *alg);
void objects_of_session_end(struct module *m, CK_SESSION_HANDLE session);
void objects_of_slot_end(struct module *m, unsigned slot, bool only_hidden);
void objects_end(struct module *m);
/* object_index puts an object in the indices by label and id, object_unindex takes it out. */
void object_index(struct module *m, struct object *object);
void object_unindex(struct module *m, struct object *object);

/* object_ivs returns where the IVs of a key are counted; NULL: too many keys are. */
_Atomic uint64_t *object_ivs(struct module *m, struct object *key); /* ivs.c */

/* ---- policy.c: SECURITY.md, "PKCS#11" ---- */

/* How an object comes to be. */
enum origin { CREATED, GENERATED, UNWRAPPED, DERIVED, COPIED };

/* policy_complete checks the draft of a new object, and adds the defaults.  `from`: the base key of
 * DERIVED, the original of COPIED, the unwrapping key of UNWRAPPED. */
RV policy_complete(struct session *session, struct draft *draft, enum origin origin,
                   const struct object *from);
/* policy_types returns CKR_ATTRIBUTE_TYPE_INVALID for an attribute that objects of a class lack. */
RV policy_types(const struct draft *draft, CK_OBJECT_CLASS object_class);
/* policy_change checks what C_SetAttributeValue would change. */
RV policy_change(struct session *session, const struct object *object, const struct draft *draft);
/* policy_use returns whether a key may be used in this way (P11_BIT(ENCRYPT) and so on; one of
 * several) with this mechanism. */
RV policy_use(const struct session *session, struct object *key, const struct mechanism *mech,
              uint64_t uses);
/* policy_allows tells whether CKA_ALLOWED_MECHANISMS has a mechanism; under objects_lock. */
bool policy_allows(const struct object *key, CK_MECHANISM_TYPE type);
/* policy_join returns the bits of a key that hides what either of two keys hides. */
uint64_t policy_join(uint64_t a, uint64_t b);
/* policy_wrap returns whether one key may be wrapped by another. */
RV policy_wrap(const struct object *wrapping, const struct object *key);

#endif
