/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous sessions: results are those of other sessions, however many are pending; nothing is
 * left of what its session, a cancellation or C_Finalize ends; hostile callers; forks; threads.
 * Usage: async [--quick] MODULE */
#include "pk_pairs.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 24, ROOM = 20000, THREADS = 3, OWN = 8 };
#define NAME(name) ((CK_UTF8CHAR *)(name))
static int rounds;

static CK_RSA_PKCS_PSS_PARAMS pss = { CKM_SHA256, CKG_MGF1_SHA256, 32 };
static const struct way {
    const char *pair;
    CK_MECHANISM mechanism;
    CK_ULONG len; /* of the message, at most */
} ways[] = {
    { "P-256", { CKM_ECDSA_SHA256, NULL, 0 }, 300 },
    { "P-256", { CKM_ECDSA, NULL, 0 }, 32 },
    { "P-384", { CKM_ECDSA_SHA384, NULL, 0 }, 300 },
    { "P-521", { CKM_ECDSA_SHA512, NULL, 0 }, 300 },
    { "RSA 2048", { CKM_SHA256_RSA_PKCS, NULL, 0 }, 300 },
    { "RSA 2048", { CKM_SHA256_RSA_PKCS_PSS, &pss, sizeof pss }, 300 },
    { "RSA 1024", { CKM_RSA_PKCS, NULL, 0 }, 40 },
    { "Ed25519", { CKM_EDDSA, NULL, 0 }, 300 },
    { "ML-DSA-44", { CKM_ML_DSA, NULL, 0 }, 300 },
    { "SLH-DSA", { CKM_SLH_DSA, NULL, 0 }, 300 },
};
static uint8_t sigs[MANY][ROOM];
static CK_SESSION_HANDLE many[MANY];

static CK_SESSION_HANDLE open_async(void)
{
    CK_SESSION_HANDLE session = 0;
    REQUIRE(p11->C_OpenSession(0, CKF_SERIAL_SESSION | CKF_RW_SESSION | CKF_ASYNC_SESSION, NULL,
                               NULL, &session));
    return session;
}

/* complete waits for a result, as the specification's example does. */
static CK_RV complete(CK_SESSION_HANDLE session, const char *name, CK_ASYNC_DATA *result)
{
    CK_RV rv;
    do
        rv = p11->C_AsyncComplete(session, NAME(name), result);
    while (rv == CKR_PENDING);
    return rv;
}

/* begin leaves a signature pending, in one call or in pieces. */
static CK_RV begin(CK_SESSION_HANDLE session, const struct way *way, CK_ULONG len, int pieces,
                   uint8_t *sig)
{
    CK_MECHANISM mechanism = way->mechanism;
    CK_ULONG sig_len = ROOM;
    CK_RV rv = p11->C_SignInit(session, &mechanism, pair_of(way->pair)->private_key);
    if (rv != CKR_OK)
        return rv;
    if (!pieces)
        return p11->C_Sign(session, text, len, sig, &sig_len);
    rv = p11->C_SignUpdate(session, text, len / 3);
    if (rv == CKR_OK)
        rv = p11->C_SignUpdate(session, text + len / 3, len - len / 3);
    return rv == CKR_OK ? p11->C_SignFinal(session, sig, &sig_len) : rv;
}

static CK_RV begin_p256(CK_SESSION_HANDLE session, uint8_t *sig)
{
    return begin(session, &ways[0], 10, 0, sig);
}

static void check_signature(const struct way *way, CK_ULONG len, uint8_t *sig, CK_ULONG sig_len)
{
    CK_MECHANISM mechanism = way->mechanism;
    EXPECT(CKR_OK, p11->C_VerifyInit(s, &mechanism, pair_of(way->pair)->public_key));
    if (!EXPECT(CKR_OK, p11->C_Verify(s, text, len, sig, sig_len)))
        complain("%s: %lu bytes", way->pair, len);
}

/* ---- results ---- */

static void test_flags(void)
{
    CK_TOKEN_INFO token;
    CK_SESSION_INFO info;
    EXPECT(CKR_OK, p11->C_GetTokenInfo(0, &token));
    EXPECT(CKR_OK, p11->C_GetSessionInfo(many[0], &info));
    if (!(token.flags & CKF_ASYNC_SESSION_SUPPORTED) || !(info.flags & CKF_ASYNC_SESSION))
        complain("flags %lx and %lx", token.flags, info.flags);
    EXPECT(CKR_OK, p11->C_GetSessionInfo(s, &info));
    if (info.flags & CKF_ASYNC_SESSION)
        complain("every session is asynchronous");
    tap(1, "the token has asynchronous sessions, and others");
}

static void test_signatures(void)
{
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < MANY; i++) {
            const struct way *way = &ways[(i + round) % COUNT_OF(ways)];
            const int pieces = (i + round) % 3 == 0 && way->mechanism.mechanism != CKM_ECDSA &&
                               way->mechanism.mechanism != CKM_RSA_PKCS;
            if (!EXPECT(CKR_PENDING, begin(many[i], way, way->len - (unsigned)i, pieces, sigs[i])))
                complain("%s", way->pair);
        }
        for (int j = 0; j < MANY; j++) {
            const int i = (j * 7 + round) % MANY;
            const struct way *way = &ways[(i + round) % COUNT_OF(ways)];
            CK_ASYNC_DATA result = { .ulVersion = 0 };
            CK_RV rv = complete(many[i], "C_Sign", &result);
            if (rv == CKR_OPERATION_NOT_INITIALIZED)
                rv = complete(many[i], "C_SignFinal", &result);
            if (EXPECT(CKR_OK, rv) && result.pValue != sigs[i])
                complain("another buffer");
            check_signature(way, way->len - (unsigned)i, sigs[i], result.ulValue);
        }
    }
    tap(1, "signatures that are pending together are those of their messages");
}

static void test_digests(void)
{
    static const CK_MECHANISM_TYPE types[] = { CKM_SHA256, CKM_SHA_1, CKM_SHA512, CKM_SHA3_256,
                                               CKM_MD5 };
    for (int i = 0; i < MANY; i++) {
        CK_MECHANISM mechanism = { types[i % COUNT_OF(types)], NULL, 0 };
        CK_ULONG len = ROOM;
        EXPECT(CKR_OK, p11->C_DigestInit(many[i], &mechanism));
        EXPECT(CKR_PENDING, p11->C_Digest(many[i], text, (CK_ULONG)i * 11, sigs[i], &len));
        EXPECT(CKR_STATE_UNSAVEABLE, p11->C_GetOperationState(many[i], NULL, &len));
    }
    for (int i = MANY - 1; i >= 0; i--) {
        CK_MECHANISM mechanism = { types[i % COUNT_OF(types)], NULL, 0 };
        CK_ASYNC_DATA result = { .ulVersion = 0 };
        uint8_t wanted[64];
        CK_ULONG len = sizeof wanted;
        EXPECT(CKR_OK, complete(many[i], "C_Digest", &result));
        EXPECT(CKR_OK, p11->C_DigestInit(s, &mechanism));
        EXPECT(CKR_OK, p11->C_Digest(s, text, (CK_ULONG)i * 11, wanted, &len));
        if (result.ulValue != len || memcmp(sigs[i], wanted, len))
            complain("another digest of %d bytes", i * 11);
    }
    tap(1, "so are digests");
}

/* Results of mechanisms without jobs are there at once, which the specification allows. */
static void test_at_once(void)
{
    static uint8_t long_text[100000];
    CK_MECHANISM sha256 = { CKM_SHA256, NULL, 0 }, cmac = { CKM_AES_CMAC, NULL, 0 },
                 eddsa = { CKM_EDDSA, NULL, 0 };
    CK_ULONG len = 64;
    uint8_t out[64];
    const CK_OBJECT_HANDLE key = key_of(s, CKK_AES, "sixteen bytes ..", 16, BOOLS(CKA_SIGN));
    EXPECT(CKR_OK, p11->C_DigestInit(many[0], &sha256));
    EXPECT(CKR_OK, p11->C_Digest(many[0], long_text, sizeof long_text, out, &len));
    EXPECT(CKR_OK, p11->C_SignInit(many[0], &cmac, key));
    EXPECT(CKR_OK, p11->C_Sign(many[0], text, 5, out, &len));
    EXPECT(CKR_OK, p11->C_DigestInit(many[0], &sha256));
    EXPECT(CKR_OK, p11->C_DigestUpdate(many[0], text, 5));
    EXPECT(CKR_OK, p11->C_DigestFinal(many[0], out, (len = 64, &len)));
    EXPECT(CKR_OK, p11->C_SignInit(many[0], &eddsa, pair_of("Ed25519")->private_key));
    EXPECT(CKR_OK, p11->C_SignUpdate(many[0], long_text, sizeof long_text));
    EXPECT(CKR_OK, p11->C_SignFinal(many[0], out, (len = 64, &len)));
    destroy(s, key);
    tap(1, "long messages, MACs and digests in pieces are not pending");
}

/* ---- hostile callers ---- */

static void test_hostile(void)
{
    CK_ASYNC_DATA result = { .ulVersion = 0 }, other = { .ulVersion = 1 };
    const CK_SESSION_HANDLE a = many[0], b = many[1];
    CK_MECHANISM mechanism = ways[0].mechanism;
    CK_ULONG len = 3, id = 0;
    EXPECT(CKR_OPERATION_NOT_INITIALIZED, p11->C_AsyncComplete(a, NAME("C_Sign"), &result));
    EXPECT(CKR_OK, p11->C_SignInit(a, &mechanism, pair_of("P-256")->private_key));
    EXPECT(CKR_OPERATION_NOT_INITIALIZED, p11->C_AsyncComplete(a, NAME("C_SignInit"), &result));
    EXPECT(CKR_OK, p11->C_Sign(a, text, 9, NULL, &len));
    len--;
    EXPECT(CKR_BUFFER_TOO_SMALL, p11->C_Sign(a, text, 9, sigs[0], &len));
    EXPECT(CKR_PENDING, p11->C_Sign(a, text, 9, sigs[0], &len));
    static const char *const names[] = { "C_SignFinal", "C_Digest", "C_sign",  "C_Sig",
                                         "C_Signs",     "",         "C_Sign ", "%s%s%n" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        EXPECT(CKR_OPERATION_NOT_INITIALIZED, p11->C_AsyncComplete(a, NAME(names[i]), &result));
        EXPECT(CKR_OPERATION_NOT_INITIALIZED, p11->C_AsyncGetID(a, NAME(names[i]), &id));
    }
    EXPECT(CKR_ARGUMENTS_BAD, p11->C_AsyncComplete(a, NULL, &result));
    EXPECT(CKR_ARGUMENTS_BAD, p11->C_AsyncComplete(a, NAME("C_Sign"), NULL));
    EXPECT(CKR_ARGUMENTS_BAD, p11->C_AsyncComplete(a, NAME("C_Sign"), &other));
    EXPECT(CKR_OPERATION_NOT_INITIALIZED, p11->C_AsyncComplete(b, NAME("C_Sign"), &result));
    EXPECT(CKR_SESSION_ASYNC_NOT_SUPPORTED, p11->C_AsyncComplete(s, NAME("C_Sign"), &result));
    EXPECT(CKR_SESSION_HANDLE_INVALID, p11->C_AsyncComplete(a + 7777, NAME("C_Sign"), &result));
    EXPECT(CKR_STATE_UNSAVEABLE, p11->C_AsyncGetID(a, NAME("C_Sign"), &id));
    EXPECT(CKR_ARGUMENTS_BAD, p11->C_AsyncGetID(a, NAME("C_Sign"), NULL));
    EXPECT(CKR_SAVED_STATE_INVALID, p11->C_AsyncJoin(a, NAME("C_Sign"), id, sigs[1], ROOM));
    EXPECT(CKR_ARGUMENTS_BAD, p11->C_AsyncJoin(a, NULL, id, sigs[1], ROOM));
    EXPECT(CKR_SESSION_ASYNC_NOT_SUPPORTED, p11->C_AsyncJoin(s, NAME("C_Sign"), id, NULL, 0));
    EXPECT(CKR_OPERATION_ACTIVE, p11->C_SignInit(a, &mechanism, pair_of("P-256")->private_key));
    EXPECT(CKR_OPERATION_ACTIVE, p11->C_Sign(a, text, 9, sigs[0], &len));
    EXPECT(CKR_OPERATION_ACTIVE, p11->C_SignUpdate(a, text, 9));
    EXPECT(CKR_OPERATION_ACTIVE, p11->C_SignFinal(a, sigs[0], &len));
    if (result.pValue)
        complain("a result was written");
    EXPECT(CKR_OK, complete(a, "C_Sign", &result));
    check_signature(&ways[0], 9, sigs[0], result.ulValue);
    EXPECT(CKR_OPERATION_NOT_INITIALIZED, p11->C_AsyncComplete(a, NAME("C_Sign"), &result));
    tap(1, "wrong names, sessions, arguments and calls while a signature is pending");
}

/* ---- ends ---- */

static void test_ends(void)
{
    CK_ASYNC_DATA result = { .ulVersion = 0 };
    struct pair pair;
    uint8_t before[ROOM];
    CK_MECHANISM mechanism = ways[0].mechanism;
    CK_ULONG len = ROOM;
    memset(sigs, 7, sizeof sigs);
    memset(before, 7, sizeof before);
    for (int i = 0; i < 6; i++)
        EXPECT(CKR_PENDING, begin_p256(many[i], sigs[i]));
    EXPECT(CKR_OK, p11->C_SessionCancel(many[0], CKF_SIGN));
    EXPECT(CKR_OK, p11->C_SignInit(many[1], NULL, 0));
    EXPECT(CKR_OK, p11->C_CloseSession(many[2]));
    for (int i = 0; i < 2; i++)
        EXPECT(CKR_OPERATION_NOT_INITIALIZED,
               p11->C_AsyncComplete(many[i], NAME("C_Sign"), &result));
    EXPECT(CKR_SESSION_HANDLE_INVALID, p11->C_AsyncComplete(many[2], NAME("C_Sign"), &result));
    for (int i = 0; i < 3; i++)
        if (memcmp(sigs[i], before, sizeof before))
            complain("a result was written that nobody asked for");
    many[2] = open_async();
    for (int i = 3; i < 6; i++)
        EXPECT(CKR_OK, complete(many[i], "C_Sign", &result));

    REQUIRE(generate_pair(CKM_EC_KEY_PAIR_GEN, template_of(&kinds[2]), BOOLS(CKA_SIGN), &pair));
    EXPECT(CKR_OK, p11->C_SignInit(many[0], &mechanism, pair.private_key));
    EXPECT(CKR_PENDING, p11->C_Sign(many[0], text, 9, sigs[0], &len));
    destroy(s, pair.private_key);
    EXPECT(CKR_OK, complete(many[0], "C_Sign", &result));
    EXPECT(CKR_OK, p11->C_VerifyInit(s, &mechanism, pair.public_key));
    EXPECT(CKR_OK, p11->C_Verify(s, text, 9, sigs[0], result.ulValue));
    destroy(s, pair.public_key);
    tap(1, "what is pending ends with its session and when it is cancelled, not with its key");
}

static int child(void)
{
    CK_ASYNC_DATA result = { .ulVersion = 0 };
    if (p11->C_AsyncComplete(many[0], NAME("C_Sign"), &result) != CKR_CRYPTOKI_NOT_INITIALIZED ||
        p11->C_Initialize(NULL) != CKR_OK ||
        p11->C_AsyncComplete(many[0], NAME("C_Sign"), &result) != CKR_SESSION_HANDLE_INVALID)
        return 1;
    const CK_SESSION_HANDLE session = open_async();
    CK_MECHANISM sha256 = { CKM_SHA256, NULL, 0 };
    CK_ULONG len = 32;
    if (p11->C_DigestInit(session, &sha256) != CKR_OK ||
        p11->C_Digest(session, text, 5, sigs[0], &len) != CKR_PENDING ||
        complete(session, "C_Digest", &result) != CKR_OK || result.ulValue != 32)
        return 2;
    return p11->C_Finalize(NULL) != CKR_OK;
}

static void test_fork(void)
{
    int status = 1;
    for (int i = 0; i < 4; i++)
        EXPECT(CKR_PENDING, begin_p256(many[i], sigs[i]));
    fflush(stdout);
    const pid_t pid = fork();
    if (!pid)
        _exit(child());
    waitpid(pid, &status, 0);
    if (status)
        complain("a child ended with %x", status);
    for (int i = 0; i < 4; i++) {
        CK_ASYNC_DATA result = { .ulVersion = 0 };
        EXPECT(CKR_OK, complete(many[i], "C_Sign", &result));
        check_signature(&ways[0], 10, sigs[i], result.ulValue);
    }
    tap(1, "a child has nothing of what is pending, and its parent all");
}

/* ---- threads ---- */

static _Atomic int wrong;

static void *work(void *unused)
{
    CK_SESSION_HANDLE mine[OWN];
    static _Thread_local uint8_t out[OWN][ROOM];
    for (int i = 0; i < OWN; i++)
        mine[i] = open_async();
    for (int round = 0; round < rounds * 10; round++) {
        for (int i = 0; i < OWN; i++)
            if (begin_p256(mine[i], out[i]) != CKR_PENDING)
                atomic_fetch_add(&wrong, 1);
        for (int i = 0; i < OWN; i++) {
            CK_ASYNC_DATA result = { .ulVersion = 0 };
            if (i == round % OWN) {
                session_close(mine[i]);
                mine[i] = open_async();
            } else if (complete(mine[i], "C_Sign", &result) != CKR_OK || result.ulValue != 64) {
                atomic_fetch_add(&wrong, 1);
            }
        }
    }
    for (int i = 0; i < OWN; i++)
        session_close(mine[i]);
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (wrong)
        complain("%d results are wrong", wrong);
    tap(1, "threads with own sessions help each other on, and close them");
}

/* ---- the end ---- */

static void test_full(void)
{
    enum { MOST = 300 };
    static CK_SESSION_HANDLE all[MOST];
    int pending = 0, at_once = 0;
    for (int i = 0; i < MOST; i++) {
        all[i] = open_async();
        const CK_RV rv = begin_p256(all[i], sigs[0]);
        pending += rv == CKR_PENDING;
        at_once += rv == CKR_OK;
    }
    if (pending < 200 || !at_once || pending + at_once != MOST)
        complain("%d are pending, %d at once", pending, at_once);
    EXPECT(CKR_OK, p11->C_CloseAllSessions(0));
    tap(1,
        "what the queue has no room for is there at once; all sessions end with what is pending");
}

int main(int argc, char **argv)
{
    rounds = argc > 2 && !strcmp(argv[1], "--quick") ? 2 : 10;
    module_begin(argc > 1 ? argv[argc - 1] : "");
    s = session_open();
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)i;
    make_pairs();
    for (int i = 0; i < MANY; i++)
        many[i] = open_async();
    test_flags();
    test_signatures();
    test_digests();
    test_at_once();
    test_hostile();
    test_ends();
    test_fork();
    test_threads();
    test_full();
    s = session_open();
    make_pairs();
    for (int i = 0; i < MANY; i++)
        many[i] = open_async();
    for (int i = 0; i < MANY; i++)
        EXPECT(CKR_PENDING, begin_p256(many[i], sigs[i]));
    module_end();
    tap(1, "C_Finalize with signatures that are pending");
    return tap_done();
}
