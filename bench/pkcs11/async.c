/* SPDX-License-Identifier: Apache-2.0 */
/* async MODULE SLOT [LABEL]: signatures of P-256 a second by one thread, one after the other and
 * pending in many asynchronous sessions (PKCS#11 3.2), and this process's CPU time of each.  LABEL
 * is a private key of the slot; without one a key is made.  The turns alternate; the best of each
 * is printed. */
#include <dlfcn.h>
#include <pkcs11.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 128, TURNS = 5, SLICE = 200000000 /* ns */ };
static const CK_FUNCTION_LIST_3_2 *p11;
static CK_SESSION_HANDLE sync_session, sessions[MOST];
static CK_OBJECT_HANDLE key;
static CK_BYTE message[32] = "thirty-two bytes to be signed...", sigs[MOST][64];
static CK_MECHANISM ecdsa = { CKM_ECDSA_SHA256, NULL, 0 };

static void must(CK_RV rv, const char *what)
{
    if (rv == CKR_OK)
        return;
    fprintf(stderr, "async: %s: 0x%lx\n", what, rv);
    exit(1);
}

struct times {
    double wall, cpu; /* ns */
};

static double read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static struct times begin_times(void)
{
    return (struct times){ now(), read_clock(CLOCK_PROCESS_CPUTIME_ID) };
}

static struct times since(struct times begin, int num)
{
    const struct times end = begin_times();
    return (struct times){ (end.wall - begin.wall) / num, (end.cpu - begin.cpu) / num };
}

static void load(const char *path)
{
    CK_VERSION version = { 3, 2 };
    CK_INTERFACE *interface = NULL;
    void *library = dlopen(path, RTLD_NOW), *symbol = NULL;
    CK_C_GetInterface get;
    if (library)
        symbol = dlsym(library, "C_GetInterface");
    memcpy(&get, &symbol, sizeof get);
    must(symbol ? get(NULL, &version, &interface, 0) : CKR_FUNCTION_FAILED, path);
    p11 = interface->pFunctionList;
    must(p11->C_Initialize(NULL), "C_Initialize");
}

static CK_SESSION_HANDLE session_open(CK_SLOT_ID slot, CK_FLAGS flags)
{
    CK_SESSION_HANDLE session;
    must(p11->C_OpenSession(slot, CKF_SERIAL_SESSION | flags, NULL, NULL, &session), "a session");
    return session;
}

static void make_key(void)
{
    static CK_BYTE curve[] = { 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7 };
    CK_MECHANISM mechanism = { CKM_EC_KEY_PAIR_GEN, NULL, 0 };
    CK_ATTRIBUTE template = { CKA_EC_PARAMS, curve, sizeof curve };
    CK_OBJECT_HANDLE public_key;
    must(p11->C_GenerateKeyPair(sync_session, &mechanism, &template, 1, NULL, 0, &public_key, &key),
         "a pair of keys");
}

static void find_key(char *label)
{
    CK_OBJECT_CLASS cls = CKO_PRIVATE_KEY;
    CK_ULONG num = 0;
    CK_ATTRIBUTE template[] = { { CKA_CLASS, &cls, sizeof cls },
                                { CKA_LABEL, label, strlen(label) } };
    must(p11->C_FindObjectsInit(sync_session, template, 2), "a search");
    must(p11->C_FindObjects(sync_session, &key, 1, &num), "a search");
    must(p11->C_FindObjectsFinal(sync_session), "a search");
    must(num ? CKR_OK : CKR_KEY_HANDLE_INVALID, label);
}

/* sign_one returns what a signature takes that is waited for. */
static struct times sign_one(void)
{
    const struct times begin = begin_times();
    int num = 0;
    for (; now() - begin.wall < SLICE; num++) {
        CK_ULONG len = sizeof sigs[0];
        must(p11->C_SignInit(sync_session, &ecdsa, key), "C_SignInit");
        must(p11->C_Sign(sync_session, message, sizeof message, sigs[0], &len), "C_Sign");
    }
    return since(begin, num);
}

static void begin_one(int i)
{
    CK_ULONG len = sizeof sigs[i];
    must(p11->C_SignInit(sessions[i], &ecdsa, key), "C_SignInit");
    const CK_RV rv = p11->C_Sign(sessions[i], message, sizeof message, sigs[i], &len);
    must(rv == CKR_PENDING ? CKR_OK : CKR_FUNCTION_FAILED, "C_Sign");
}

/* sign_many returns what one takes of `depth` that are pending: whatever is done is handed out, and
 * begun again. */
static struct times sign_many(int depth)
{
    CK_UTF8CHAR name[] = "C_Sign";
    int num = 0, left = depth;
    const struct times begin = begin_times();
    for (int i = 0; i < depth; i++)
        begin_one(i);
    for (int i = 0; left; i = (i + 1) % depth) {
        CK_ASYNC_DATA result = { .ulVersion = 0 };
        const CK_RV rv = p11->C_AsyncComplete(sessions[i], name, &result);
        if (rv == CKR_PENDING || rv == CKR_OPERATION_NOT_INITIALIZED)
            continue;
        must(rv, "C_AsyncComplete");
        num++;
        if (now() - begin.wall < SLICE)
            begin_one(i);
        else
            left--;
    }
    return since(begin, num);
}

int main(int argc, char **argv)
{
    static const int depths[] = { 0, 1, 4, 8, 16, 32, 64, 128 };
    struct times best[8] = { 0 };
    if (argc < 3)
        return 2;
    load(argv[1]);
    const CK_SLOT_ID slot = strtoul(argv[2], NULL, 10);
    sync_session = session_open(slot, slot ? 0 : CKF_RW_SESSION);
    for (int i = 0; i < MOST; i++)
        sessions[i] = session_open(slot, CKF_ASYNC_SESSION);
    if (argc > 3)
        find_key(argv[3]);
    else
        make_key();
    for (int turn = 0; turn < TURNS; turn++)
        for (int d = 0; d < 8; d++) {
            const struct times one = depths[d] ? sign_many(depths[d]) : sign_one();
            best[d].wall = !turn || one.wall < best[d].wall ? one.wall : best[d].wall;
            best[d].cpu = !turn || one.cpu < best[d].cpu ? one.cpu : best[d].cpu;
        }
    for (int d = 0; d < 8; d++)
        printf("%3d pending: %6.0f signatures/s, %.2f of one by one; CPU time %5.2f us, %.2f\n",
               depths[d], 1e9 / best[d].wall, best[0].wall / best[d].wall, best[d].cpu / 1e3,
               best[0].cpu / best[d].cpu);
    must(p11->C_Finalize(NULL), "C_Finalize");
    return 0;
}
