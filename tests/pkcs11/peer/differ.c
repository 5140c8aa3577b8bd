/* SPDX-License-Identifier: Apache-2.0 */
/* The same random calls to our module and to SoftHSM2: what they return and give out must be the
 * same, but for the table of differences.  Usage: differ MODULE PEER [ROUNDS] */
#include "differ.h"
#include <unistd.h>

struct side sides[NUM_SIDES];
struct answer answers[NUM_SIDES];
static unsigned num_calls;

/* ---- differences that are right ---- */

enum { CKR_ANY = 0x7fffffff };
static struct difference {
    const char *call, *method;
    CK_RV ours, theirs;
    const char *why;
    unsigned times;
} differences[] = {
#define DIFFERENCE(call, method, ours, theirs, why) \
    { call, method, CKR_##ours, CKR_##theirs, why, 0 },
#include "differences.def"
};

/* ---- what was called ---- */

enum { MAX_NOTES = 24, MAX_SEEN = 200 };
static char notes[MAX_NOTES][120];
static unsigned num_notes;

void note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(notes[num_notes++ % MAX_NOTES], sizeof notes[0], format, args);
    va_end(args);
}

static void show_notes(void)
{
    for (unsigned i = num_notes > MAX_NOTES ? num_notes - MAX_NOTES : 0; i < num_notes; i++)
        printf("#   %s\n", notes[i % MAX_NOTES]);
}

static int differs_as_listed(const char *call, const char *method)
{
    for (size_t i = 0; i < COUNT_OF(differences); i++) {
        struct difference *d = &differences[i];
        if (!strncmp(d->call, call, strlen(d->call)) &&
            !strncmp(d->method, method, strlen(d->method)) && d->ours == answers[OURS].rv &&
            (d->theirs == answers[THEIRS].rv || d->theirs == CKR_ANY))
            return (int)++d->times;
    }
    return 0;
}

/* complain_once shows each kind of difference once, with the calls before it. */
static void complain_once(const char *text)
{
    static char seen[MAX_SEEN][200];
    static unsigned num_seen;
    for (unsigned i = 0; i < num_seen; i++)
        if (!strcmp(seen[i], text))
            return;
    complain("%s", text);
    if (num_seen == MAX_SEEN)
        return;
    snprintf(seen[num_seen++], sizeof seen[0], "%s", text);
    printf("# %s, after\n", text);
    show_notes();
}

void complain_with_notes(const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    complain_once(text);
}

int settle(const char *call, const char *method)
{
    num_calls++;
    if (answers[OURS].rv == answers[THEIRS].rv)
        return 1;
    if (!differs_as_listed(call, method)) {
        char text[200];
        int len =
            snprintf(text, sizeof text, "%s, %s: %s", call, method, rv_name(answers[OURS].rv));
        snprintf(text + len, sizeof text - (size_t)len, ", theirs %s", rv_name(answers[THEIRS].rv));
        complain_once(text);
    }
    renew();
    return 0;
}

void settle_bytes(const char *call, const char *method, const struct answer *a)
{
    char text[200];
    snprintf(text, sizeof text, "%s, %s: %lu bytes, theirs %lu, or others", call, method,
             a[OURS].len, a[THEIRS].len);
    if ((a[OURS].len != a[THEIRS].len || memcmp(a[OURS].bytes, a[THEIRS].bytes, a[OURS].len)) &&
        !differs_as_listed(call, method))
        complain_once(text);
}

/* ---- sides ---- */

int use(int x)
{
    p11 = sides[x].f;
    return 1;
}

static CK_SESSION_HANDLE open_on(int x)
{
    CK_SESSION_HANDLE session;
    use(x);
    REQUIRE(p11->C_OpenSession(sides[x].slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL,
                               &session));
    return session;
}

void renew(void)
{
    ON_BOTH
    {
        REQUIRE(p11->C_CloseSession(sides[x].s));
        sides[x].s = open_on(x);
    }
    num_notes = 0;
}

int one_in(uint32_t n)
{
    return random_below(n) == 0;
}

static int begin(int x, const char *path)
{
    void *library;
    CK_SLOT_ID slots[8];
    CK_ULONG num = COUNT_OF(slots);
    sides[x].f = module_load(path, &library);
    if (!sides[x].f)
        return 0;
    use(x);
    REQUIRE(p11->C_Initialize(NULL));
    REQUIRE(p11->C_GetSlotList(CK_TRUE, slots, &num));
    sides[x].slot = slots[0];
    sides[x].keeper = open_on(x);
    sides[x].s = open_on(x);
    return 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *what;
        void (*run)(void);
        int share; /* of the rounds, in percent */
    } kinds[] = {
        { "ciphers, digests, MACs and signatures", try_text, 100 },
        { "wrapped keys", try_wrapping, 20 },
        { "derived keys", try_derivation, 5 },
        { "attributes of keys, and copies", try_attributes, 50 },
        { "templates of new keys", try_creation, 50 },
    };
    const int rounds = argc > 3 ? atoi(argv[3]) : 5000;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 3 || !begin(OURS, argv[1]) || !begin(THEIRS, argv[2])) {
        printf("Bail out! usage: differ MODULE PEER [ROUNDS]\n");
        return 1;
    }
    keys_make();
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const unsigned before = num_calls;
        for (int k = 0; k < rounds * kinds[i].share / 100; k++)
            kinds[i].run();
        tap(num_calls > before, "%s: %u calls", kinds[i].what, num_calls - before);
    }
    for (size_t i = 0; i < COUNT_OF(differences); i++)
        printf("# %u times %s %s: %s\n", differences[i].times, differences[i].call,
               differences[i].method, differences[i].why);
    const int status = tap_done();
    fflush(stdout);
    _exit(status); /* without the destructors of the peer, which need its libcrypto */
}
