/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of PKCS#11 calls with hostile arguments: nothing is read or written beyond them, no
 * result is longer than its room, and what policy.c promises holds for every object. */
#include "pkcs11_arguments.h"

CK_RV C_GetInterface(CK_UTF8CHAR *name, CK_VERSION *version, CK_INTERFACE **interface,
                     CK_FLAGS flags);

enum { NUM_SESSIONS = 4, NUM_OBJECTS = 8 };
static const CK_FUNCTION_LIST_3_2 *p11;
static CK_SESSION_HANDLE sessions[NUM_SESSIONS];
static CK_OBJECT_HANDLE objects[NUM_OBJECTS];
static unsigned next_object;

/* ---- who is called with what ---- */

static CK_SESSION_HANDLE session_of(struct input *in)
{
    const uint8_t b = take_byte(in);
    return b < 250 ? sessions[b % NUM_SESSIONS] : b;
}

static CK_OBJECT_HANDLE object_of(struct input *in)
{
    const uint8_t b = take_byte(in);
    return b < 250 ? objects[b % NUM_OBJECTS] : b;
}

static int flag_of(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE object, CK_ATTRIBUTE_TYPE type)
{
    CK_BBOOL value = 0;
    CK_ATTRIBUTE a = { type, &value, sizeof value };
    return p11->C_GetAttributeValue(s, object, &a, 1) == CKR_OK && value;
}

/* check_object checks what holds for every object. */
static void check_object(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE object)
{
    CK_BYTE value[1];
    CK_ATTRIBUTE a = { CKA_VALUE, NULL, 0 };
    CK_OBJECT_CLASS cls = 0;
    CK_ATTRIBUTE of_class = { CKA_CLASS, &cls, sizeof cls };
    CHECK(p11->C_GetAttributeValue(s, object, &of_class, 1) == CKR_OK);
    CHECK(!flag_of(s, object, CKA_TOKEN) || !flag_of(s, object, CKA_WRAP) ||
          !flag_of(s, object, CKA_DECRYPT));
    CHECK(!flag_of(s, object, CKA_TRUSTED));
    a = (CK_ATTRIBUTE){ CKA_VALUE, value, sizeof value };
    const CK_RV rv = p11->C_GetAttributeValue(s, object, &a, 1);
    if (cls == CKO_SECRET_KEY || cls == CKO_PRIVATE_KEY)
        CHECK((rv == CKR_OK || rv == CKR_BUFFER_TOO_SMALL) ==
                  (flag_of(s, object, CKA_EXTRACTABLE) && !flag_of(s, object, CKA_SENSITIVE)) ||
              rv == CKR_ATTRIBUTE_TYPE_INVALID);
}

static void keep(CK_SESSION_HANDLE s, CK_RV rv, const CK_OBJECT_HANDLE *object)
{
    CHECK(rv != CKR_GENERAL_ERROR);
    if (rv != CKR_OK)
        return;
    check_object(s, *object);
    objects[next_object++ % NUM_OBJECTS] = *object;
    salt_key = *object;
}

/* check_result checks a call that writes to a room. */
static void check_result(CK_RV rv, const CK_BYTE *out, CK_ULONG room, CK_ULONG len)
{
    CHECK(rv != CKR_GENERAL_ERROR);
    if (out && rv == CKR_OK)
        CHECK(len <= room);
    if (rv == CKR_BUFFER_TOO_SMALL)
        CHECK(len > room);
}

/* ---- objects ---- */

static void create(struct input *in)
{
    CK_ULONG num;
    CK_OBJECT_HANDLE object = 0;
    const CK_SESSION_HANDLE s = session_of(in);
    CK_ATTRIBUTE *list = own_template(in, &num);
    const CK_RV rv = p11->C_CreateObject(s, list, num, &object);
    keep(s, rv, &object);
}

static void generate(struct input *in)
{
    CK_ULONG num;
    CK_OBJECT_HANDLE object = 0;
    const CK_SESSION_HANDLE s = session_of(in);
    CK_MECHANISM *mechanism = own_mechanism(in);
    CK_ATTRIBUTE *list = own_template(in, &num);
    const CK_RV rv = p11->C_GenerateKey(s, mechanism, list, num, &object);
    keep(s, rv, &object);
}

static void generate_pair(struct input *in)
{
    CK_ULONG num, num_private;
    CK_OBJECT_HANDLE public_key = 0, private_key = 0;
    const CK_SESSION_HANDLE s = session_of(in);
    CK_MECHANISM *mechanism = own_mechanism(in);
    CK_ATTRIBUTE *list = own_template(in, &num), *list_private = own_template(in, &num_private);
    const CK_RV rv = p11->C_GenerateKeyPair(s, mechanism, list, num, list_private, num_private,
                                            &public_key, &private_key);
    keep(s, rv, &public_key);
    keep(s, rv, &private_key);
}

static void copy(struct input *in)
{
    CK_ULONG num;
    CK_OBJECT_HANDLE object = 0;
    const CK_SESSION_HANDLE s = session_of(in);
    const CK_OBJECT_HANDLE from = object_of(in);
    CK_ATTRIBUTE *list = own_template(in, &num);
    const CK_RV rv = p11->C_CopyObject(s, from, list, num, &object);
    keep(s, rv, &object);
}

static void destroy(struct input *in)
{
    const CK_SESSION_HANDLE s = session_of(in);
    (void)p11->C_DestroyObject(s, object_of(in));
}

static void set(struct input *in)
{
    CK_ULONG num;
    const CK_SESSION_HANDLE s = session_of(in);
    const CK_OBJECT_HANDLE object = object_of(in);
    CK_ATTRIBUTE *list = own_template(in, &num);
    if (p11->C_SetAttributeValue(s, object, list, num) == CKR_OK)
        check_object(s, object);
}

static void get(struct input *in)
{
    CK_ULONG num, size;
    const CK_SESSION_HANDLE s = session_of(in);
    const CK_OBJECT_HANDLE object = object_of(in);
    CK_ATTRIBUTE *list = own_template(in, &num);
    (void)p11->C_GetAttributeValue(s, object, list, num);
    (void)p11->C_GetObjectSize(s, object, &size);
}

static void find(struct input *in)
{
    CK_ULONG num, found = 0;
    CK_OBJECT_HANDLE some[3];
    const CK_SESSION_HANDLE s = session_of(in);
    CK_ATTRIBUTE *list = own_template(in, &num);
    if (p11->C_FindObjectsInit(s, list, num) != CKR_OK)
        return;
    CHECK(p11->C_FindObjects(s, some, COUNT(some), &found) == CKR_OK && found <= COUNT(some));
    for (CK_ULONG i = 0; i < found; i++)
        check_object(s, some[i]);
    if (take_byte(in) < 200)
        CHECK(p11->C_FindObjectsFinal(s) == CKR_OK);
}

/* ---- keys of keys ---- */

static void wrap(struct input *in)
{
    CK_ULONG room, aad_len;
    const CK_SESSION_HANDLE s = session_of(in);
    CK_MECHANISM *mechanism = own_mechanism(in);
    const CK_OBJECT_HANDLE by = object_of(in), key = object_of(in);
    CK_BYTE *out = own_room(in, &room);
    CK_ULONG len = room;
    CK_RV rv;
    if (take_byte(in) & 1) {
        CK_BYTE *aad = own_bytes(in, &aad_len);
        rv = p11->C_WrapKeyAuthenticated(s, mechanism, by, key, aad, aad_len, out, &len);
    } else {
        rv = p11->C_WrapKey(s, mechanism, by, key, out, &len);
    }
    check_result(rv, out, room, len);
    if (rv != CKR_OK || !out)
        return;
    CHECK(!flag_of(s, by, CKA_DECRYPT)); /* a key's first use decides */
    CK_ULONG num;
    CK_OBJECT_HANDLE object = 0;
    CK_ATTRIBUTE *list = own_template(in, &num);
    CK_BYTE *wrapped = own_copy(out, len);
    if (len && take_byte(in) > 200)
        wrapped[take_byte(in) % len] ^= take_byte(in);
    rv = p11->C_UnwrapKey(s, mechanism, by, wrapped, len, list, num, &object);
    keep(s, rv, &object);
}

static void unwrap(struct input *in)
{
    CK_ULONG num, len;
    CK_OBJECT_HANDLE object = 0;
    const CK_SESSION_HANDLE s = session_of(in);
    CK_MECHANISM *mechanism = own_mechanism(in);
    const CK_OBJECT_HANDLE by = object_of(in);
    CK_BYTE *wrapped = own_bytes(in, &len);
    CK_ATTRIBUTE *list = own_template(in, &num);
    const CK_RV rv = p11->C_UnwrapKey(s, mechanism, by, wrapped, len, list, num, &object);
    keep(s, rv, &object);
}

static void derive(struct input *in)
{
    CK_ULONG num;
    CK_OBJECT_HANDLE object = 0;
    const CK_SESSION_HANDLE s = session_of(in);
    CK_MECHANISM *mechanism = own_mechanism(in);
    const CK_OBJECT_HANDLE by = object_of(in);
    CK_ATTRIBUTE *list = own_template(in, &num);
    const CK_RV rv = p11->C_DeriveKey(s, mechanism, by, list, num, &object);
    keep(s, rv, &object);
}

static void encapsulate(struct input *in)
{
    CK_ULONG num, room;
    CK_OBJECT_HANDLE object = 0;
    const CK_SESSION_HANDLE s = session_of(in);
    CK_MECHANISM *mechanism = own_mechanism(in);
    const CK_OBJECT_HANDLE by = object_of(in);
    CK_ATTRIBUTE *list = own_template(in, &num);
    CK_BYTE *out = own_room(in, &room);
    CK_ULONG len = room;
    if (take_byte(in) & 1) {
        const CK_RV rv = p11->C_EncapsulateKey(s, mechanism, by, list, num, out, &len, &object);
        check_result(rv, out, room, len);
        if (out)
            keep(s, rv, &object);
    } else {
        const CK_RV rv = p11->C_DecapsulateKey(s, mechanism, by, list, num, out, len, &object);
        keep(s, rv, &object);
    }
}

/* ---- operations ---- */

typedef CK_RV init_call(CK_SESSION_HANDLE, CK_MECHANISM *, CK_OBJECT_HANDLE);
typedef CK_RV text_call(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG, CK_BYTE *, CK_ULONG *);
typedef CK_RV input_call(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG);
typedef CK_RV output_call(CK_SESSION_HANDLE, CK_BYTE *, CK_ULONG *);

static void begin(struct input *in)
{
    const uint8_t which = take_byte(in);
    const CK_SESSION_HANDLE s = session_of(in);
    CK_MECHANISM *mechanism = own_mechanism(in);
    const CK_OBJECT_HANDLE key = object_of(in);
    init_call *const calls[] = {
        p11->C_EncryptInit,        p11->C_DecryptInit,        p11->C_SignInit,
        p11->C_VerifyInit,         p11->C_SignRecoverInit,    p11->C_VerifyRecoverInit,
        p11->C_MessageEncryptInit, p11->C_MessageDecryptInit,
    };
    if (which < 40)
        CHECK(p11->C_DigestInit(s, mechanism) != CKR_GENERAL_ERROR);
    else
        CHECK(calls[which % COUNT(calls)](s, mechanism, key) != CKR_GENERAL_ERROR);
}

/* process calls what reads a text and writes another. */
static void process(struct input *in)
{
    CK_ULONG len, room;
    const uint8_t which = take_byte(in);
    const CK_SESSION_HANDLE s = session_of(in);
    CK_BYTE *text = own_bytes(in, &len), *out = own_room(in, &room);
    CK_ULONG written = room;
    text_call *const calls[] = {
        p11->C_Encrypt,
        p11->C_EncryptUpdate,
        p11->C_Decrypt,
        p11->C_DecryptUpdate,
        p11->C_Digest,
        p11->C_Sign,
        p11->C_SignRecover,
        p11->C_VerifyRecover,
        p11->C_DigestEncryptUpdate,
        p11->C_SignEncryptUpdate,
        p11->C_DecryptDigestUpdate,
        p11->C_DecryptVerifyUpdate,
    };
    if (which >= 200 && text && out && room >= len) /* in place */
        memcpy(out, text, len), text = out;
    const CK_RV rv = calls[which % COUNT(calls)](s, text, len, out, &written);
    check_result(rv, out, room, written);
}

static void absorb(struct input *in)
{
    CK_ULONG len;
    const uint8_t which = take_byte(in);
    const CK_SESSION_HANDLE s = session_of(in);
    CK_BYTE *text = own_bytes(in, &len);
    input_call *const calls[] = {
        p11->C_DigestUpdate, p11->C_SignUpdate,      p11->C_VerifyUpdate,
        p11->C_VerifyFinal,  p11->C_VerifySignature, p11->C_VerifySignatureUpdate,
    };
    CHECK(calls[which % COUNT(calls)](s, text, len) != CKR_GENERAL_ERROR);
    if (which >= 230)
        (void)p11->C_DigestKey(s, object_of(in));
}

static void finish(struct input *in)
{
    CK_ULONG room;
    const uint8_t which = take_byte(in);
    const CK_SESSION_HANDLE s = session_of(in);
    CK_BYTE *out = own_room(in, &room);
    CK_ULONG len = room;
    output_call *const calls[] = { p11->C_EncryptFinal, p11->C_DecryptFinal, p11->C_DigestFinal,
                                   p11->C_SignFinal };
    const CK_RV rv = calls[which % COUNT(calls)](s, out, &len);
    check_result(rv, out, room, len);
}

static void verify(struct input *in)
{
    CK_ULONG len, sig_len;
    const uint8_t which = take_byte(in);
    const CK_SESSION_HANDLE s = session_of(in);
    CK_BYTE *text = own_bytes(in, &len), *sig = own_bytes(in, &sig_len);
    CK_MECHANISM *mechanism = own_mechanism(in);
    if (which < 100)
        (void)p11->C_Verify(s, text, len, sig, sig_len);
    else if (which < 200)
        (void)p11->C_VerifySignatureInit(s, mechanism, object_of(in), sig, sig_len);
    else
        (void)p11->C_VerifySignatureFinal(s);
}

/* ---- messages ---- */

static void *own_message(struct input *in, CK_ULONG *len)
{
    const uint8_t which = take_byte(in), tag = take_byte(in), fixed = take_byte(in);
    CK_ULONG iv_len, unused;
    CK_BYTE *iv = own_bytes(in, &iv_len), *tag_room = own_room(in, &unused);
    const CK_GENERATOR_FUNCTION how = which % 4;
    const CK_ULONG tag_len = tag & 1 && unused >= 16 ? 16 : unused;
    CK_GCM_MESSAGE_PARAMS gcm = { iv, iv_len, fixed & 1 ? 0 : fixed, how, tag_room, tag_len * 8 };
    CK_CCM_MESSAGE_PARAMS ccm = { tag, iv, iv_len, fixed & 1 ? 0 : fixed, how, tag_room, tag_len };
    *len = which < 120 ? sizeof gcm : which < 220 ? sizeof ccm : which % sizeof gcm;
    return own_copy(*len == sizeof ccm ? (void *)&ccm : (void *)&gcm, *len);
}

static void message(struct input *in)
{
    CK_ULONG parameter_len, aad_len, len, room;
    const uint8_t which = take_byte(in);
    const CK_SESSION_HANDLE s = session_of(in);
    void *parameter = own_message(in, &parameter_len);
    CK_BYTE *aad = own_bytes(in, &aad_len), *text = own_bytes(in, &len), *out = own_room(in, &room);
    CK_ULONG written = room;
    const CK_FLAGS flags = which & 128 ? CKF_END_OF_MESSAGE : 0;
    CK_RV rv = CKR_OK;
    switch (which % 8) {
    case 0:
        rv = p11->C_EncryptMessage(s, parameter, parameter_len, aad, aad_len, text, len, out,
                                   &written);
        break;
    case 1:
        rv = p11->C_DecryptMessage(s, parameter, parameter_len, aad, aad_len, text, len, out,
                                   &written);
        break;
    case 2:
        (void)p11->C_EncryptMessageBegin(s, parameter, parameter_len, aad, aad_len);
        return;
    case 3:
        (void)p11->C_DecryptMessageBegin(s, parameter, parameter_len, aad, aad_len);
        return;
    case 4:
    case 5:
        rv =
            p11->C_EncryptMessageNext(s, parameter, parameter_len, text, len, out, &written, flags);
        break;
    case 6:
        rv =
            p11->C_DecryptMessageNext(s, parameter, parameter_len, text, len, out, &written, flags);
        break;
    default:
        (void)(flags ? p11->C_MessageEncryptFinal : p11->C_MessageDecryptFinal)(s);
        return;
    }
    check_result(rv, out, room, written);
}

/* ---- sessions ---- */

/* The rooms of asynchronous sessions are the module's until a result is handed out. */
static CK_SESSION_HANDLE patient[2];
static CK_BYTE rooms[2][1 << 16];

static void pend(struct input *in, unsigned which)
{
    static const char *const names[] = { "C_Sign", "C_Digest", "C_SignFinal", "C_SignInit", "" };
    const unsigned i = take_byte(in) % 2;
    const CK_SESSION_HANDLE s = patient[i];
    CK_UTF8CHAR *name = (CK_UTF8CHAR *)names[take_byte(in) % COUNT(names)];
    CK_ASYNC_DATA result = { .ulVersion = take_byte(in) > 250 };
    CK_ULONG len, room = sizeof rooms[i], id;
    CK_BYTE *text = own_bytes(in, &len);
    CK_RV rv = CKR_OK;
    switch (which % 8) {
    case 0:
        rv = p11->C_SignInit(s, which < 250 ? own_mechanism(in) : NULL, object_of(in));
        break;
    case 1:
        rv = p11->C_DigestInit(s, own_mechanism(in));
        break;
    case 2:
        rv = p11->C_Sign(s, text, len, rooms[i], &room);
        break;
    case 3:
        rv = p11->C_Digest(s, text, len, rooms[i], &room);
        break;
    case 4:
        rv = p11->C_SignUpdate(s, text, len);
        break;
    case 5:
        rv = p11->C_SignFinal(s, rooms[i], &room);
        break;
    case 6:
        CHECK(p11->C_AsyncGetID(s, name, &id) != CKR_OK);
        CHECK(p11->C_CloseSession(s) == CKR_OK);
        CHECK(p11->C_OpenSession(0, CKF_SERIAL_SESSION | CKF_RW_SESSION | CKF_ASYNC_SESSION, NULL,
                                 NULL, &patient[i]) == CKR_OK);
        break;
    default:
        rv = p11->C_AsyncComplete(s, name, which > 230 ? NULL : &result);
        CHECK(rv != CKR_OK || (result.pValue == rooms[i] && result.ulValue <= sizeof rooms[i]));
    }
    CHECK(rv != CKR_GENERAL_ERROR);
}

static void reopen(struct input *in)
{
    const unsigned b = take_byte(in), i = b % NUM_SESSIONS;
    if (b >= 64) {
        pend(in, b);
        return;
    }
    (void)p11->C_CloseSession(sessions[i]);
    CHECK(p11->C_OpenSession(0, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &sessions[i]) ==
          CKR_OK);
}

static void cancel(struct input *in)
{
    const CK_SESSION_HANDLE s = session_of(in);
    (void)p11->C_SessionCancel(s, (CK_FLAGS)take_byte(in) << 8 | take_byte(in));
}

static void initialize(void)
{
    static CK_VERSION version = { 3, 2 };
    CK_INTERFACE *interface;
    if (p11)
        return;
    CHECK(!setenv("HEADRACE_TOKEN", "/nonexistent", 1));
    CHECK(C_GetInterface(NULL, &version, &interface, 0) == CKR_OK);
    p11 = interface->pFunctionList;
    CHECK(p11->C_Initialize(NULL) == CKR_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const calls[])(struct input *) = {
        create, create, generate, copy,    destroy, set,    get,           find,    wrap,
        unwrap, derive, begin,    begin,   begin,   begin,  process,       process, process,
        absorb, finish, verify,   message, message, reopen, generate_pair, cancel,  encapsulate,
    };
    struct input in = { data, size };
    initialize();
    for (int i = 0; i < NUM_SESSIONS; i++)
        CHECK(p11->C_OpenSession(0, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL,
                                 &sessions[i]) == CKR_OK);
    for (int i = 0; i < 2; i++)
        CHECK(p11->C_OpenSession(0, CKF_SERIAL_SESSION | CKF_RW_SESSION | CKF_ASYNC_SESSION, NULL,
                                 NULL, &patient[i]) == CKR_OK);
    memset(objects, 0, sizeof objects);
    next_object = 0;
    salt_key = 0;
    for (int i = 0; i < 64 && in.len; i++) {
        calls[take_byte(&in) % COUNT(calls)](&in);
        arguments_free();
    }
    CHECK(p11->C_CloseAllSessions(0) == CKR_OK);
    return 0;
}
