/* SPDX-License-Identifier: Apache-2.0 */
/* Message-based encryption under keys of the service, beside the same in the token of the process.
 */
#define _GNU_SOURCE
#include "accel.h"
#include <unistd.h>

enum { TEXT = 100, TAG = 16, SIDES = 2 };

static uint8_t aad[20] = { 2 };
static struct side {
    CK_SESSION_HANDLE session;
    CK_OBJECT_HANDLE key;
    uint8_t iv[12], tag[TAG], out[TEXT];
    CK_GCM_MESSAGE_PARAMS gcm;
    CK_CCM_MESSAGE_PARAMS ccm;
    CK_SALSA20_CHACHA20_POLY1305_MSG_PARAMS chacha;
    void *parameter;
    CK_ULONG len;
} sides[SIDES]; /* the service, and this process */

static const struct mode {
    const char *row;
    CK_MECHANISM_TYPE type;
    CK_KEY_TYPE key_type;
    CK_ULONG key_len;
} modes[] = {
    { "AES-128-GCM", CKM_AES_GCM, CKK_AES, 16 },
    { "AES-256-GCM", CKM_AES_GCM, CKK_AES, 32 },
    { "AES-192-CCM", CKM_AES_CCM, CKK_AES, 24 },
    { "ChaCha20-Poly1305", CKM_CHACHA20_POLY1305, CKK_CHACHA20, 32 },
};

static void set_parameter(struct side *x, CK_MECHANISM_TYPE type, CK_GENERATOR_FUNCTION generator)
{
    x->gcm = (CK_GCM_MESSAGE_PARAMS){ x->iv, 12, 0, generator, x->tag, 8 * TAG };
    x->ccm = (CK_CCM_MESSAGE_PARAMS){ TEXT, x->iv, 12, 0, generator, x->tag, TAG };
    x->chacha = (CK_SALSA20_CHACHA20_POLY1305_MSG_PARAMS){ x->iv, 12, x->tag };
    x->parameter = type == CKM_AES_GCM   ? (void *)&x->gcm
                   : type == CKM_AES_CCM ? (void *)&x->ccm
                                         : (void *)&x->chacha;
    x->len = type == CKM_AES_GCM   ? sizeof x->gcm
             : type == CKM_AES_CCM ? sizeof x->ccm
                                   : sizeof x->chacha;
}

static CK_RV whole(struct side *x, bool decrypts, uint8_t *in, uint8_t *out)
{
    CK_ULONG len = TEXT;
    return (decrypts ? p11->C_DecryptMessage : p11->C_EncryptMessage)(
        x->session, x->parameter, x->len, aad, sizeof aad, in, TEXT, out, &len);
}

/* pieces processes a text in three, and gathers what comes of each. */
static CK_RV pieces(struct side *x, bool decrypts, uint8_t *in, uint8_t *out)
{
    static const CK_ULONG ends[] = { 5, 60, TEXT };
    CK_ULONG at = 0, written = 0;
    CK_RV rv = (decrypts ? p11->C_DecryptMessageBegin : p11->C_EncryptMessageBegin)(
        x->session, x->parameter, x->len, aad, sizeof aad);
    for (size_t i = 0; i < COUNT_OF(ends) && rv == CKR_OK; i++) {
        CK_ULONG len = TEXT - written;
        rv = (decrypts ? p11->C_DecryptMessageNext : p11->C_EncryptMessageNext)(
            x->session, x->parameter, x->len, in + at, ends[i] - at, out + written, &len,
            ends[i] == TEXT ? CKF_END_OF_MESSAGE : 0);
        at = ends[i];
        written += rv == CKR_OK ? len : 0;
    }
    if (rv == CKR_OK && written != TEXT)
        complain("%lu bytes of %d come out", written, TEXT);
    return rv;
}

static void begin(struct side *x, bool decrypts, CK_MECHANISM_TYPE type)
{
    CK_MECHANISM mechanism = { type, NULL, 0 };
    is(CKR_OK,
       (decrypts ? p11->C_MessageDecryptInit : p11->C_MessageEncryptInit)(x->session, &mechanism,
                                                                          x->key),
       "init");
}

static void end(struct side *x, bool decrypts)
{
    is(CKR_OK, (decrypts ? p11->C_MessageDecryptFinal : p11->C_MessageEncryptFinal)(x->session),
       "the end");
}

/* check_encryption encrypts three messages on both sides, and tells whether they are the same. */
static void check_encryption(const struct mode *mode, uint8_t text[TEXT])
{
    for (int i = 0; i < SIDES; i++)
        begin(&sides[i], false, mode->type);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < SIDES; i++) {
            memset(sides[i].iv, round, sizeof sides[i].iv);
            set_parameter(&sides[i], mode->type, CKG_NO_GENERATE);
            is(CKR_OK, (round ? pieces : whole)(&sides[i], false, text, sides[i].out), mode->row);
        }
        if (memcmp(sides[0].out, sides[1].out, TEXT) != 0 ||
            memcmp(sides[0].tag, sides[1].tag, TAG) != 0)
            complain("%s: another ciphertext or tag", mode->row);
    }
    for (int i = 0; i < SIDES; i++)
        end(&sides[i], false);
}

static void check_decryption(const struct mode *mode, uint8_t text[TEXT])
{
    struct side *x = &sides[0];
    uint8_t back[TEXT];
    begin(x, true, mode->type);
    for (int round = 0; round < 4; round++) {
        const int is_forged = round / 2;
        x->tag[3] ^= (uint8_t)is_forged;
        memset(back, 0, sizeof back);
        is(is_forged ? CKR_AEAD_DECRYPT_FAILED : CKR_OK,
           (round % 2 ? pieces : whole)(x, true, x->out, back), mode->row);
        if ((memcmp(back, text, TEXT) == 0) == is_forged)
            complain("%s: %s", mode->row, is_forged ? "a forged text" : "another text");
        x->tag[3] ^= (uint8_t)is_forged;
    }
    end(x, true);
}

/* check_generated lets the module make IVs. */
static void check_generated(const struct mode *mode, uint8_t text[TEXT])
{
    struct side *x = &sides[0];
    uint8_t before[TEXT];
    if (mode->type == CKM_CHACHA20_POLY1305)
        return; /* its parameter has no generator */
    begin(x, false, mode->type);
    set_parameter(x, mode->type, CKG_GENERATE_RANDOM);
    memset(x->iv, 0, sizeof x->iv);
    is(CKR_OK, whole(x, false, text, x->out), "a random IV");
    memcpy(before, x->iv, sizeof x->iv);
    is(CKR_OK, whole(x, false, text, x->out), "another one");
    if (!memcmp(before, x->iv, sizeof x->iv))
        complain("%s: an IV twice", mode->row);
    set_parameter(x, mode->type, CKG_GENERATE_COUNTER); /* other processes count, too */
    is(CKR_MECHANISM_PARAM_INVALID, whole(x, false, text, before), "a counted IV");
    end(x, false);
    check_decryption(mode, text);
}

/* list_again writes the key's file, or removes it, and looks for its object. */
static void list_again(const char *file)
{
    if (file)
        write_text("e3", file);
    else
        unlink(path_of("e3"));
    if (reload())
        complain("not reloaded");
    CK_ULONG num;
    sides[0].key = find(sides[0].session, CKO_SECRET_KEY, "e3", &num);
    if (num != (file != NULL))
        complain("%lu keys", num);
}

/* check_counted counts IVs, between which the key's object goes and comes again. */
static void check_counted(const struct mode *mode, const char *file, uint8_t text[TEXT])
{
    struct side *x = &sides[0];
    uint8_t before[sizeof x->iv] = { 1 };
    for (int i = 0; i < 2 && mode->type != CKM_CHACHA20_POLY1305; i++) {
        begin(x, false, mode->type);
        set_parameter(x, mode->type, CKG_GENERATE_COUNTER);
        x->gcm.ulIvFixedBits = x->ccm.ulNonceFixedBits = 32;
        memset(x->iv, 0, sizeof x->iv);
        is(CKR_OK, whole(x, false, text, x->out), "a counted IV");
        end(x, false);
        if (!memcmp(before, x->iv, sizeof before))
            complain("%s: a counted IV twice", mode->row);
        memcpy(before, x->iv, sizeof before);
        list_again(NULL);
        list_again(file);
    }
}

static void check_mode(const struct mode *mode)
{
    uint8_t text[TEXT] = { 3 }, value[32];
    char file[256];
    CK_OBJECT_CLASS cls = CKO_SECRET_KEY;
    CK_KEY_TYPE type = mode->key_type;
    CK_ATTRIBUTE template[] = { { CKA_CLASS, &cls, sizeof cls },
                                { CKA_KEY_TYPE, &type, sizeof type },
                                { CKA_VALUE, value, mode->key_len } };
    int at = snprintf(file, sizeof file, "algorithm = %s\nuid = 0-70000\nkey = ", mode->row);
    for (CK_ULONG i = 0; i < mode->key_len; i++) {
        value[i] = (uint8_t)(7 * i + 1);
        at += snprintf(file + at, sizeof file - (size_t)at, "%02x", value[i]);
    }
    snprintf(file + at, sizeof file - (size_t)at, "\n");
    write_text("e3", file);
    if (reload())
        complain("not reloaded: %s", mode->row);
    sides[0].key = key_named(sides[0].session, CKO_SECRET_KEY, "e3");
    is(CKR_OK, p11->C_CreateObject(sides[1].session, template, 3, &sides[1].key), mode->row);
    check_encryption(mode, text);
    check_decryption(mode, text);
    check_generated(mode, text);
    check_counted(mode, file, text);
}

void check_messages(void)
{
    sides[0].session = open_session();
    is(CKR_OK, p11->C_OpenSession(0, CKF_SERIAL_SESSION, NULL, NULL, &sides[1].session),
       "a session");
    for (size_t i = 0; i < COUNT_OF(modes); i++)
        check_mode(&modes[i]);
    for (int i = 0; i < SIDES; i++)
        is(CKR_OK, p11->C_CloseSession(sides[i].session), "a session's end");
    unlink(path_of("e3"));
    if (reload())
        complain("not reloaded");
    tap(1, "message-based encryption by %zu modes gives what the process's token gives",
        COUNT_OF(modes));
}
