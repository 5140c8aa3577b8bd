/* SPDX-License-Identifier: Apache-2.0 */
/* Secret keys of the service, and its keys while files change, the service goes and comes, and
 * processes fork. */
#define _GNU_SOURCE
#include "accel.h"
#include <headrace/algorithms.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static const CK_MECHANISM eddsa = { CKM_EDDSA, NULL, 0 };

void check_without_service(void)
{
    setenv("HEADRACE_ACCEL", "off", 1);
    is(CKR_OK, p11->C_Initialize(NULL), "C_Initialize");
    slots(1);
    CK_SESSION_HANDLE session;
    is(CKR_TOKEN_NOT_PRESENT, p11->C_OpenSession(SLOT, CKF_SERIAL_SESSION, NULL, NULL, &session),
       "a session without service");
    is(CKR_OK, p11->C_Finalize(NULL), "C_Finalize");
    tap(1, "no slot without a service");
}

/* ---- secret keys ---- */

static const uint8_t secret[64] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
enum { SECRET = 32 }; /* bytes of it that most keys have */
#define SECRET_KEY "uid = 0-70000\nkey = 000102030405060708090a0b0c0d0e0f"

/* crypt encrypts or decrypts, whole and in pieces, which must give the same. */
static void crypt_text(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key, CK_MECHANISM mechanism,
                       bool decrypts, uint8_t *in, CK_ULONG len, uint8_t out[ROOM],
                       CK_ULONG *out_len)
{
    uint8_t pieces[ROOM];
    CK_ULONG part = sizeof pieces, last = sizeof pieces;
    *out_len = ROOM;
    is(CKR_OK, (decrypts ? p11->C_DecryptInit : p11->C_EncryptInit)(session, &mechanism, key),
       "init");
    is(CKR_OK, (decrypts ? p11->C_Decrypt : p11->C_Encrypt)(session, in, len, out, out_len),
       "whole");
    if (mechanism.mechanism == CKM_AES_XTS)
        return; /* a data unit is whole */
    is(CKR_OK, (decrypts ? p11->C_DecryptInit : p11->C_EncryptInit)(session, &mechanism, key),
       "init");
    is(CKR_OK,
       (decrypts ? p11->C_DecryptUpdate : p11->C_EncryptUpdate)(session, in, 5, pieces, &part),
       "a piece");
    CK_ULONG all = part;
    part = sizeof pieces - all;
    is(CKR_OK,
       (decrypts ? p11->C_DecryptUpdate : p11->C_EncryptUpdate)(session, in + 5, len - 5,
                                                                pieces + all, &part),
       "another piece");
    all += part;
    last = sizeof pieces - all;
    is(CKR_OK, (decrypts ? p11->C_DecryptFinal : p11->C_EncryptFinal)(session, pieces + all, &last),
       "the end");
    if (all + last != *out_len || memcmp(pieces, out, *out_len))
        complain("pieces give another text");
}

static void check_gcm(CK_SESSION_HANDLE session)
{
    uint8_t iv[12] = { 1 }, aad[20] = { 2 }, text[100] = { 3 }, out[ROOM], back[ROOM];
    uint8_t want[sizeof text + 16];
    CK_GCM_PARAMS params = { iv, sizeof iv, 96, aad, sizeof aad, 128 };
    const CK_MECHANISM gcm = { CKM_AES_GCM, &params, sizeof params };
    struct hr_aead_key direct;
    const CK_OBJECT_HANDLE key = key_named(session, CKO_SECRET_KEY, "gcm");
    CK_ULONG len, back_len = sizeof back;
    crypt_text(session, key, gcm, false, text, sizeof text, out, &len);
    if (hr_aead_key_init(&direct, HR_AES_256_GCM, secret, SECRET) ||
        hr_aead_encrypt(want, want + sizeof text, 16, text, sizeof text, aad, sizeof aad, &direct,
                        iv, sizeof iv) ||
        len != sizeof want || memcmp(out, want, sizeof want))
        complain("GCM");
    crypt_text(session, key, gcm, true, out, len, back, &back_len);
    if (back_len != sizeof text || memcmp(back, text, sizeof text))
        complain("GCM, back");
    out[3]++;
    CK_MECHANISM again = gcm;
    is(CKR_OK, p11->C_DecryptInit(session, &again, key), "C_DecryptInit");
    is(CKR_ENCRYPTED_DATA_INVALID, p11->C_Decrypt(session, out, len, back, &back_len),
       "a forged tag");
}

static void check_cbc(CK_SESSION_HANDLE session)
{
    uint8_t iv[16] = { 1 }, text[100] = { 3 }, out[ROOM], back[ROOM];
    const CK_MECHANISM cbc = { CKM_AES_CBC_PAD, iv, sizeof iv };
    const CK_OBJECT_HANDLE key = key_named(session, CKO_SECRET_KEY, "cbc");
    CK_ULONG len, back_len;
    crypt_text(session, key, cbc, false, text, sizeof text, out, &len);
    crypt_text(session, key, cbc, true, out, len, back, &back_len);
    if (len != 112 || back_len != sizeof text || memcmp(back, text, sizeof text))
        complain("CBC");
    CK_MECHANISM other = { CKM_AES_CTR, iv, sizeof iv };
    is(CKR_MECHANISM_INVALID, p11->C_EncryptInit(session, &other, key), "another mode");
}

static void check_hmac(CK_SESSION_HANDLE session)
{
    const CK_MECHANISM hmac = { CKM_SHA256_HMAC, NULL, 0 };
    const CK_OBJECT_HANDLE key = key_named(session, CKO_SECRET_KEY, "hmac");
    uint8_t mac[ROOM], want[32], text[100] = { 3 };
    CK_ULONG len;
    struct hr_hmac_key direct;
    is(CKR_OK, sign(session, key, hmac, text, sizeof text, mac, &len), "HMAC");
    if (hr_hmac_key_init(&direct, HR_HMAC_SHA256, secret, SECRET) ||
        hr_hmac(want, text, sizeof text, &direct) || len != sizeof want ||
        memcmp(mac, want, sizeof want))
        complain("HMAC");
    is(CKR_OK, verify(session, key, hmac, text, sizeof text, mac, len), "HMAC");
    text[0]++;
    is(CKR_SIGNATURE_INVALID, verify(session, key, hmac, text, sizeof text, mac, len),
       "another text");
}

/* ---- every mechanism gives what the token of this process gives ---- */

static uint8_t iv[16] = { 1, 2, 3 }, some_aad[5] = { 4 };
static CK_CCM_PARAMS ccm = { 96, iv, 12, some_aad, sizeof some_aad, 16 };
static CK_SALSA20_CHACHA20_POLY1305_PARAMS chacha = { iv, 12, some_aad, sizeof some_aad };
static CK_AES_CTR_PARAMS ctr = { 128, { 1, 2, 3 } };
static CK_CAMELLIA_CTR_PARAMS camellia_ctr = { 128, { 1, 2, 3 } };

static const struct mode {
    const char *row;
    CK_KEY_TYPE type;
    CK_ULONG len;
    CK_MECHANISM mechanism;
    bool signs;
} modes[] = {
    { "AES-192-ECB", CKK_AES, 24, { CKM_AES_ECB, NULL, 0 }, false },
    { "AES-256-CBC", CKK_AES, 32, { CKM_AES_CBC, iv, 16 }, false },
    { "AES-128-CTR", CKK_AES, 16, { CKM_AES_CTR, &ctr, sizeof ctr }, false },
    { "AES-256-CFB128", CKK_AES, 32, { CKM_AES_CFB128, iv, 16 }, false },
    { "AES-128-CCM", CKK_AES, 16, { CKM_AES_CCM, &ccm, sizeof ccm }, false },
    { "DES-EDE2-CBC", CKK_DES2, 16, { CKM_DES3_CBC_PAD, iv, 8 }, false },
    { "DES-EDE3-ECB", CKK_DES3, 24, { CKM_DES3_ECB, NULL, 0 }, false },
    { "CAMELLIA-256-CBC", CKK_CAMELLIA, 32, { CKM_CAMELLIA_CBC_PAD, iv, 16 }, false },
    { "CAMELLIA-128-CTR",
      CKK_CAMELLIA,
      16,
      { CKM_CAMELLIA_CTR, &camellia_ctr, sizeof ctr },
      false },
    { "HMAC-SHA-512", CKK_GENERIC_SECRET, 32, { CKM_SHA512_HMAC, NULL, 0 }, true },
    { "HMAC-SHA-1", CKK_GENERIC_SECRET, 20, { CKM_SHA_1_HMAC, NULL, 0 }, true },
    { "AES-128-CMAC", CKK_AES, 16, { CKM_AES_CMAC, NULL, 0 }, true },
    { "DES-EDE3-CMAC", CKK_DES3, 24, { CKM_DES3_CMAC, NULL, 0 }, true },
    { "AES-256-GMAC", CKK_AES, 32, { CKM_AES_GMAC, iv, 12 }, true },
    { "AES-128-XTS", CKK_AES_XTS, 32, { CKM_AES_XTS, iv, 16 }, false },
    { "AES-256-XTS", CKK_AES_XTS, 64, { CKM_AES_XTS, iv, 16 }, false },
    { "CHACHA20-POLY1305",
      CKK_CHACHA20,
      32,
      { CKM_CHACHA20_POLY1305, &chacha, sizeof chacha },
      false },
};

static void write_secret(const char *row, CK_ULONG len)
{
    char text[256];
    int at = snprintf(text, sizeof text, "algorithm = %s\nuid = 0-70000\nkey = ", row);
    for (CK_ULONG i = 0; i < len; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%02x", secret[i] ^ (unsigned)i);
    snprintf(text + at, sizeof text - (size_t)at, "\n");
    write_text("e2", text);
    if (reload())
        complain("not reloaded: %s", row);
}

/* here makes the same key in the token of this process. */
static CK_OBJECT_HANDLE here(CK_SESSION_HANDLE session, const struct mode *mode)
{
    CK_OBJECT_CLASS cls = CKO_SECRET_KEY;
    CK_KEY_TYPE type = mode->type;
    CK_BBOOL yes = CK_TRUE;
    uint8_t value[sizeof secret];
    CK_OBJECT_HANDLE key = 0;
    for (CK_ULONG i = 0; i < mode->len; i++)
        value[i] = (uint8_t)(secret[i] ^ i);
    CK_ATTRIBUTE template[] = { { CKA_CLASS, &cls, sizeof cls },
                                { CKA_KEY_TYPE, &type, sizeof type },
                                { CKA_VALUE, value, mode->len },
                                { mode->signs ? CKA_SIGN : CKA_ENCRYPT, &yes, sizeof yes } };
    is(CKR_OK, p11->C_CreateObject(session, template, 4, &key), mode->row);
    return key;
}

static void check_mode(CK_SESSION_HANDLE there, CK_SESSION_HANDLE session, const struct mode *mode)
{
    uint8_t text[96] = { 5 }, out[ROOM], want[ROOM], back[ROOM];
    CK_ULONG len = 0, want_len = 1, back_len;
    write_secret(mode->row, mode->len);
    const CK_OBJECT_HANDLE key = key_named(there, CKO_SECRET_KEY, "e2"), same = here(session, mode);
    if (mode->signs) {
        is(CKR_OK, sign(there, key, mode->mechanism, text, sizeof text, out, &len), mode->row);
        is(CKR_OK, sign(session, same, mode->mechanism, text, sizeof text, want, &want_len),
           "here");
        is(CKR_OK, verify(there, key, mode->mechanism, text, sizeof text, out, len), mode->row);
    } else {
        crypt_text(there, key, mode->mechanism, false, text, sizeof text, out, &len);
        crypt_text(session, same, mode->mechanism, false, text, sizeof text, want, &want_len);
        crypt_text(there, key, mode->mechanism, true, out, len, back, &back_len);
        if (back_len != sizeof text || memcmp(back, text, sizeof text))
            complain("%s: another text", mode->row);
    }
    if (len != want_len || memcmp(out, want, len))
        complain("%s: another result than here", mode->row);
}

void check_modes(void)
{
    CK_SESSION_HANDLE session = 0;
    const CK_SESSION_HANDLE there = open_session();
    is(CKR_OK, p11->C_OpenSession(0, CKF_SERIAL_SESSION, NULL, NULL, &session), "a session");
    for (size_t i = 0; i < COUNT_OF(modes); i++)
        check_mode(there, session, &modes[i]);
    is(CKR_OK, p11->C_CloseSession(session), "a session's end");
    is(CKR_OK, p11->C_CloseSession(there), "a session's end");
    unlink(path_of("e2"));
    if (reload())
        complain("not reloaded");
    tap(1, "secret keys of %zu modes give what the token of the process gives", COUNT_OF(modes));
}

void check_secret_keys(void)
{
    write_text("gcm", "algorithm = AES-256-GCM\n" SECRET_KEY "000102030405060708090a0b0c0d0e0f\n");
    write_text("cbc", "algorithm = AES-128-CBC\n" SECRET_KEY "\n");
    write_text("hmac", "algorithm = HMAC-SHA-256\nuse = mac, verify\n" SECRET_KEY
                       "000102030405060708090a0b0c0d0e0f\n");
    if (reload())
        complain("not reloaded");
    const CK_SESSION_HANDLE session = open_session();
    check_gcm(session);
    check_cbc(session);
    check_hmac(session);
    is(CKR_OK, p11->C_CloseSession(session), "a session's end");
    unlink(path_of("gcm"));
    unlink(path_of("cbc"));
    unlink(path_of("hmac"));
    if (reload())
        complain("not reloaded");
    tap(1, "secret keys encrypt and sign, each in its one mode");
}

/* ---- files that change ---- */

void check_taken_away(void)
{
    const CK_SESSION_HANDLE session = open_session();
    const CK_OBJECT_HANDLE key = key_named(session, CKO_PRIVATE_KEY, "s");
    const CK_MECHANISM pkcs1 = { CKM_SHA256_RSA_PKCS, NULL, 0 };
    uint8_t sig[ROOM];
    CK_ULONG len;
    is(CKR_OK, sign(session, key, pkcs1, "x", 1, sig, &len), "before");
    write_key("s", pair_of(HR_RSA2048, HR_RSA_PKCS1, false), "use = sign\nuid = 70000\n");
    if (reload())
        complain("not reloaded");
    is(CKR_KEY_FUNCTION_NOT_PERMITTED, sign(session, key, pkcs1, "x", 1, sig, &len), "after");
    find(session, CKO_PRIVATE_KEY, "s", &len);
    if (len)
        complain("it is still there");
    is(CKR_KEY_HANDLE_INVALID, sign(session, key, pkcs1, "x", 1, sig, &len), "its handle");
    is(CKR_OK, p11->C_CloseSession(session), "a session's end");
    tap(1, "a key that the policy takes away");
}

void check_rotation(void)
{
    const CK_SESSION_HANDLE session = open_session();
    const CK_OBJECT_HANDLE key = key_named(session, CKO_PRIVATE_KEY, "e"),
                           public = key_named(session, CKO_PUBLIC_KEY, "e");
    uint8_t sig[ROOM];
    CK_ULONG len;
    is(CKR_OK, sign(session, key, eddsa, "x", 1, sig, &len), "before");
    char other[] = FIRST;
    other[strlen(other) - 2] = 'e';
    write_text("e", other);
    if (reload())
        complain("not reloaded");
    CK_ULONG other_len;
    uint8_t other_sig[ROOM];
    is(CKR_KEY_HANDLE_INVALID, sign(session, key, eddsa, "x", 1, other_sig, &other_len),
       "after, by the old handle");
    is(CKR_OK, verify(session, public, eddsa, "x", 1, sig, len), "the old public key");
    const CK_OBJECT_HANDLE now = key_named(session, CKO_PRIVATE_KEY, "e"),
                           public_now = key_named(session, CKO_PUBLIC_KEY, "e");
    is(CKR_OK, sign(session, now, eddsa, "x", 1, other_sig, &other_len), "by the new one");
    is(CKR_OK, verify(session, public_now, eddsa, "x", 1, other_sig, other_len), "the new one");
    is(CKR_SIGNATURE_INVALID, verify(session, public_now, eddsa, "x", 1, sig, len), "another key");
    is(CKR_OK, p11->C_CloseSession(session), "a session's end");
    tap(now != key, "a name that gets another key");
}

/* ---- the service goes and comes, and processes fork ---- */

enum { THREADS = 4, RESTARTS = 2 };
static _Atomic int stop;
static _Atomic unsigned signatures;

static void *sign_until(void *arg)
{
    const CK_SESSION_HANDLE session = open_session();
    const CK_OBJECT_HANDLE key = key_named(session, CKO_PRIVATE_KEY, "e"),
                           public = key_named(session, CKO_PUBLIC_KEY, "e");
    uint8_t sig[ROOM];
    CK_ULONG len;
    while (!stop && !complaints_suffice()) {
        is(CKR_OK, sign(session, key, eddsa, "x", 1, sig, &len), "a signature");
        is(CKR_OK, verify(session, public, eddsa, "x", 1, sig, len), "a verification");
        signatures++;
    }
    is(CKR_OK, p11->C_CloseSession(session), "a session's end");
    return NULL;
}

static void wait_for_more(void)
{
    const unsigned before = signatures;
    while (signatures < before + 20 && !complaints_so_far())
        usleep(100);
}

void check_restarts(void)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, sign_until, NULL);
    for (int i = 0; i < RESTARTS; i++) {
        wait_for_more();
        service_kill(&service);
        service_again(&service);
    }
    wait_for_more();
    stop = 1;
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    tap(1, "no signature fails while the service restarts");
}

static int child(CK_SESSION_HANDLE session)
{
    uint8_t sig[ROOM];
    CK_ULONG len;
    CK_SESSION_INFO info;
    is(CKR_CRYPTOKI_NOT_INITIALIZED, p11->C_GetSessionInfo(session, &info), "in a child");
    is(CKR_OK, p11->C_Initialize(NULL), "C_Initialize in a child");
    const CK_SESSION_HANDLE own = open_session();
    is(CKR_OK, sign(own, key_named(own, CKO_PRIVATE_KEY, "e"), eddsa, "x", 1, sig, &len), "there");
    is(CKR_OK, p11->C_Finalize(NULL), "C_Finalize in a child");
    return complaints_so_far() != 0;
}

void check_fork(void)
{
    const CK_SESSION_HANDLE session = open_session();
    const CK_OBJECT_HANDLE key = key_named(session, CKO_PRIVATE_KEY, "e");
    uint8_t sig[ROOM];
    CK_ULONG len;
    int status = 0;
    fflush(stdout);
    is(CKR_OK, sign(session, key, eddsa, "x", 1, sig, &len), "before a fork");
    const pid_t pid = fork();
    if (!pid)
        exit(child(session)); /* as programs end: with all exit handlers */
    waitpid(pid, &status, 0);
    is(CKR_OK, sign(session, key, eddsa, "x", 1, sig, &len), "after a fork");
    is(CKR_OK, p11->C_CloseSession(session), "a session's end");
    tap(status == 0, "the child of a fork begins anew, and ends well");
}

void check_end(void)
{
    const CK_SESSION_HANDLE session = open_session();
    const CK_OBJECT_HANDLE key = key_named(session, CKO_PRIVATE_KEY, "e");
    uint8_t sig[ROOM];
    CK_ULONG len;
    is(CKR_OK, sign(session, key, eddsa, "x", 1, sig, &len), "before");
    service_end(&service);
    hr_accel_patience(1);
    is(CKR_DEVICE_REMOVED, sign(session, key, eddsa, "x", 1, sig, &len), "after the service's end");
    key_named(session, CKO_PRIVATE_KEY, "e"); /* objects stay, for a service that comes back */
    slots(1);
    is(CKR_OK, p11->C_Finalize(NULL), "C_Finalize");
    slot_end();
    tap(1, "the service's end, C_Finalize and dlclose");
}
