/* SPDX-License-Identifier: Apache-2.0 */
/* hostile_keys RSA_KEYS HEADRACED [OPTION...]: keys and requests of public key that a hostile
 * client may send to the service's unit, beside an honest client.  RSA_KEYS is a file of tests/pk.
 */
#define _GNU_SOURCE
#include "harness.h"
#include "unit_keys.h"
#include <headrace/algorithms.h>
#include <signal.h>
#include <unistd.h>

struct service service;
static struct raw client, unit;
static const char policy[] = "[unit public-key]\nthreads = 2\n"
                             "[client all]\nattach = yes\nattaches = 0\nkeys = 200\n";

enum { IN = 0, OTHER_IN = 8192, OUT = 16384, OTHER_OUT = 24576, PLACES = 32768 };

static void attach(struct raw *c, struct raw *u)
{
    if (!raw_attach(c, &service) && !raw_attach_unit(u, c))
        return;
    printf("Bail out! no unit\n");
    exit(1);
}

static void take_back(const struct raw *c, uint64_t handle)
{
    const struct control_request q = { .magic = CONTROL_MAGIC,
                                       .type = CONTROL_KEY_TAKE_BACK,
                                       .handle = handle };
    struct control_reply reply;
    if (raw_ask(c->socket, &q, sizeof q, &reply, NULL, 0) || reply.result)
        complain("a key is not taken back");
}

static uint64_t lend_seed(const struct raw *c, hr_alg alg, uint8_t first)
{
    const uint8_t seed[32] = { first, 2, 3 };
    const struct hr_number parts[] = { { seed, sizeof seed }, { NULL, 0 } };
    uint64_t handle = 0;
    if (raw_lend(c, &handle, alg, parts, 2))
        complain("a key is not lent");
    return handle;
}

static void sign_directly(uint8_t out[64], uint8_t first, const void *in, size_t len)
{
    const uint8_t seed[32] = { first, 2, 3 };
    struct hr_sign_key key;
    size_t sig_len = 64;
    if (hr_sign_key_init(&key, HR_ED25519, seed, sizeof seed) ||
        hr_sign(out, &sig_len, in, len, &key, NULL))
        complain("a direct call");
}

/* ---- the honest client ---- */

static struct {
    pthread_t thread;
    _Atomic int stop;
    _Atomic uint64_t done;
} honest;

static void *sign_honestly(void *arg)
{
    static const uint8_t message[32] = "what an honest client signs";
    struct raw c, u;
    struct ring_completion done;
    uint8_t want[64];
    attach(&c, &u);
    const struct ring_options none = { .padding = 0 };
    const struct ring_request r =
        pk_request(HR_ED25519, HR_JOB_SIGN, lend_seed(&c, HR_ED25519, 9), IN, 32, OUT, &none);
    sign_directly(want, 9, message, sizeof message);
    while (!honest.stop) {
        memcpy(raw_window(&u, 0) + IN, message, sizeof message);
        memset(raw_window(&u, 0) + OUT, 0, sizeof want);
        if (raw_run(&u, 0, &r, &done) || memcmp(raw_window(&u, 0) + OUT, want, sizeof want))
            complain("an honest client is harmed: %d", done.result);
        honest.done++;
    }
    raw_detach(&u);
    raw_detach(&c);
    return NULL;
}

/* all_is_well prints one result: the service lives, and the honest client gets more signatures. */
static void all_is_well(const char *name)
{
    enum { MORE = 20 };
    const uint64_t before = honest.done;
    const int alive = service_alive(&service);
    while (alive && honest.done < before + MORE && !complaints_so_far())
        usleep(100);
    tap(alive, "%s", name);
    if (!alive)
        exit(tap_done());
}

/* ---- keys that are none ---- */

enum { MOST = 8000 };

/* A number of `len` bytes: all of them are `fill`, and the last one is `last`. */
struct number {
    size_t len;
    uint8_t fill, last;
};

static const struct wrong_key {
    const char *name;
    struct number n, e;
    int error;
} wrong_keys[] = {
    { "an even modulus", { 256, 0xff, 0xfe }, { 3, 1, 1 }, HR_EKEY },
    { "a modulus of 1", { 1, 0, 1 }, { 1, 0, 3 }, HR_EKEYLEN },
    { "a long modulus of 1", { 256, 0, 1 }, { 1, 0, 3 }, HR_EKEYLEN },
    { "a modulus of 0", { 256, 0, 0 }, { 1, 0, 3 }, HR_EKEYLEN },
    { "no modulus", { 0, 0, 0 }, { 1, 0, 3 }, HR_EINVAL },
    { "a modulus of 1,023 bits", { 128, 0x7f, 0x7f }, { 1, 0, 3 }, HR_EKEYLEN },
    { "a modulus that is too long", { 2049, 0xff, 0xff }, { 1, 0, 3 }, HR_EKEYLEN },
    { "a modulus that fills the message", { MOST, 0xff, 0xff }, { 1, 0, 3 }, HR_EKEYLEN },
    { "no exponent", { 256, 0xff, 0xff }, { 0, 0, 0 }, HR_EINVAL },
    { "an exponent of 0", { 256, 0xff, 0xff }, { 256, 0, 0 }, HR_EKEY },
    { "an exponent of 1", { 256, 0xff, 0xff }, { 256, 0, 1 }, HR_EKEY },
    { "an even exponent", { 256, 0xff, 0xff }, { 3, 1, 2 }, HR_EKEY },
    { "an exponent as large as the modulus", { 256, 0xff, 0xff }, { 256, 0xff, 0xff }, HR_EKEY },
    { "a longer exponent than modulus", { 256, 0xff, 0xff }, { 257, 1, 1 }, HR_EKEY },
    { "an exponent that fills the message", { 128, 0xff, 0xff }, { MOST, 1, 1 }, HR_EKEY },
    { "a long exponent of a long modulus", { 512, 0xff, 0xff }, { 9, 1, 1 }, HR_EKEY },
};

static struct hr_number number(uint8_t room[MOST], const struct number *of)
{
    memset(room, of->fill, of->len);
    if (of->len)
        room[of->len - 1] = of->last;
    return (struct hr_number){ room, of->len };
}

static void check_wrong_keys(void)
{
    static uint8_t room[2][MOST];
    for (size_t i = 0; i < COUNT_OF(wrong_keys); i++) {
        const struct wrong_key *w = &wrong_keys[i];
        const struct hr_number parts[] = { number(room[0], &w->n), number(room[1], &w->e) };
        uint64_t handle = 0;
        const int error = raw_lend(&client, &handle, HR_RSA2048, parts, 2);
        if (error != w->error || handle)
            complain("%s: %s", w->name, hr_strerror(error));
    }
    all_is_well("moduli that are even, 1, 0, too short or too long, and exponents like them");
}

/* check_faults: a private key with a fault in one of its numbers is none. */
static void check_faults(const struct pair *p)
{
    const struct hr_number *numbers = &p->parts.n;
    for (size_t part = 0; part < 8; part++)
        for (size_t k = 0; k < 3; k++) {
            uint8_t changed[512];
            struct hr_number parts[8];
            uint64_t handle = 0;
            memcpy(parts, numbers, sizeof parts);
            memcpy(changed, parts[part].bytes, parts[part].len);
            changed[(parts[part].len - 1) * k / 2] ^= 4;
            parts[part].bytes = changed;
            if (raw_lend(&client, &handle, p->row->alg, parts, 8) != HR_EKEY || handle)
                complain("number %zu of a key with a fault", part);
        }
    all_is_well("private keys with a fault in one number");
}

/* ---- exponents of every length ---- */

/* power_directly computes what the service shall: the message to the power of e. */
static void power_directly(uint8_t *out, const struct hr_number parts[2], const uint8_t *message,
                           size_t len)
{
    static const struct hr_rsa_options none = { .padding = HR_RSA_NONE };
    struct hr_rsa_key key;
    const int error =
        hr_rsa_key_init_public(&key, &(struct hr_rsa_parts){ .n = parts[0], .e = parts[1] });
    struct hr_job job = { .alg = HR_RSA1024,
                          .op = HR_JOB_PK_ENCRYPT,
                          .key_form = HR_KEY_OBJECT,
                          .key = &key,
                          .in = message,
                          .len = len,
                          .tag = out,
                          .options = &none };
    if (error || hr_job_run(&job))
        complain("a direct call: %s, %s", hr_strerror(error), hr_strerror(job.result));
}

static void check_exponents(void)
{
    enum { LEN = 128 };
    static uint8_t n[LEN], e[LEN], want[LEN];
    const struct ring_options none = { .padding = HR_RSA_NONE };
    struct ring_completion done;
    uint8_t *window = raw_window(&unit, 0);
    memset(n, 0xff, sizeof n);
    for (size_t len = 1; len <= LEN; len++) {
        memset(e, 0xab, sizeof e);
        const struct hr_number parts[] = { { n, LEN }, { e, len } };
        uint64_t handle = 0;
        const int error = raw_lend(&client, &handle, HR_RSA1024, parts, 2);
        const struct ring_request r =
            pk_request(HR_RSA1024, HR_JOB_PK_ENCRYPT, handle, IN, LEN, OUT, &none);
        random_bytes(window + IN, LEN);
        window[IN] &= 0x7f;
        power_directly(want, parts, window + IN, LEN);
        memset(window + OUT, 0, LEN);
        if (error || raw_run(&unit, 0, &r, &done) || memcmp(window + OUT, want, LEN))
            complain("an exponent of %zu bytes: %s, %s", len, hr_strerror(error),
                     hr_strerror(done.result));
        take_back(&client, handle);
    }
    all_is_well("exponents of every length");
}

/* ---- handles ---- */

static void check_handles(void)
{
    const struct ring_options none = { .padding = 0 };
    struct raw other, other_unit;
    struct ring_completion done;
    attach(&other, &other_unit);
    const uint64_t mine = lend_seed(&client, HR_ED25519, 1),
                   removed = lend_seed(&client, HR_ED25519, 2);
    uint64_t theirs = 0;
    for (uint8_t i = 0; i < 8; i++) /* more than this client has */
        theirs = lend_seed(&other, HR_ED25519, (uint8_t)(20 + i));
    take_back(&client, removed);
    const uint64_t again = lend_seed(&client, HR_ED25519, 3); /* in the place of the removed one */
    const uint64_t wrong[] = {
        theirs,
        removed,
        0,
        UINT64_MAX,
        mine + 100,
        mine | 255,
        mine + (UINT64_C(1) << 32),
        mine ^ (UINT64_C(1) << 63),
        mine & UINT32_MAX,
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        const struct ring_request r =
            pk_request(HR_ED25519, HR_JOB_SIGN, wrong[i], IN, 32, OUT, &none);
        if (raw_run(&unit, 0, &r, &done) != HR_EHANDLE)
            complain("handle %#llx: %d", (unsigned long long)wrong[i], done.result);
    }
    const struct ring_request right =
        pk_request(HR_ED25519, HR_JOB_SIGN, again, IN, 32, OUT, &none);
    if (raw_run(&unit, 0, &right, &done))
        complain("the right handle: %d", done.result);
    take_back(&client, again);
    take_back(&client, mine);
    raw_detach(&other_unit);
    raw_detach(&other);
    all_is_well("handles of others, of removed keys, and of none");
}

/* ---- requests that change while they run ---- */

/* A field of a request, or of what it signs, with a second value, and the error that this has. */
static const struct change {
    const char *name;
    size_t at, size; /* in the descriptor */
    uint64_t value;
    int error;
} changes[] = {
#define FIELD(field) offsetof(struct ring_request, field), sizeof(((struct ring_request *)0)->field)
    { "the row", FIELD(alg), HR_ECDSA_P256, HR_EHANDLE },
    { "a row that is none", FIELD(alg), 0x0777, HR_EALG },
    { "the operation", FIELD(op), HR_JOB_VERIFY, HR_EMAC },
    { "an operation that is none", FIELD(op), 2, HR_EINVAL },
    { "the flags", FIELD(flags), RING_FAR, HR_EINVAL },
    { "the length of a key", FIELD(key_len), 1, HR_EINVAL },
    { "the length of the options", FIELD(iv_len), 0, HR_EINVAL },
    { "the length", FIELD(len), 33, 0 },
    { "a length that is too long", FIELD(len), 4097, HR_ELENGTH },
    { "a length that wraps", FIELD(len), UINT32_MAX, HR_ELENGTH },
    { "the input", FIELD(u.far.in), OTHER_IN, 0 },
    { "input that wraps", FIELD(u.far.in), UINT32_MAX - 15, HR_EINVAL },
    { "the output", FIELD(u.far.out), OTHER_OUT, 0 },
    { "output across the end", FIELD(u.far.out), PLACES - 63, HR_EINVAL },
    { "output on the input", FIELD(u.far.out), IN + 31, HR_EOVERLAP },
    { "the length of a context", FIELD(u.far.aad_len), 5000, HR_ELENGTH },
    { "more", FIELD(u.far.more), 64, HR_EINVAL },
    { "the options", FIELD(u.far.iv[0]), 1, HR_EINVAL },
    { "the handle", FIELD(u.far.handle), UINT64_MAX, HR_EHANDLE },
#undef FIELD
    { "the message", 0, 0, 0, 0 },
};

/* store writes a field as a whole: a value that is half of one and half of the other would be a
 * third request. */
static void store(void *at, size_t size, uint64_t value)
{
    if (size == 1)
        __atomic_store_n((uint8_t *)at, (uint8_t)value, __ATOMIC_RELAXED);
    else if (size == 2)
        __atomic_store_n((uint16_t *)at, (uint16_t)value, __ATOMIC_RELAXED);
    else if (size == 4)
        __atomic_store_n((uint32_t *)at, (uint32_t)value, __ATOMIC_RELAXED);
    else if (size == 8)
        __atomic_store_n((uint64_t *)at, value, __ATOMIC_RELAXED);
}

static uint64_t load(const void *at, size_t size)
{
    return size == 1   ? *(const uint8_t *)at
           : size == 2 ? *(const uint16_t *)at
           : size == 4 ? *(const uint32_t *)at
           : size == 8 ? *(const uint64_t *)at
                       : 0;
}

/* take_changing changes one field to and fro until the request is answered. */
static void take_changing(const struct change *c, uint32_t number, struct ring_completion *done)
{
    struct ring_completion *slot =
        (void *)&ring_completions(unit.completions, 0)[number % RING_DEPTH];
    uint8_t *field = (uint8_t *)raw_slot(&unit, 0, number) + c->at;
    uint8_t *message = raw_window(&unit, 0) + IN;
    const uint64_t old = load(field, c->size);
    while (ring_look(&slot->seq) != number + 1) {
        if (!c->size)
            __atomic_fetch_xor(message, 1, __ATOMIC_RELAXED);
        store(field, c->size, c->value);
        store(field, c->size, old);
    }
    (void)raw_take(&unit, 0, done);
}

/* is_one_of tells whether a place holds one of the signatures that there may be, or nothing. */
static int is_one_of(const uint8_t *place, uint8_t (*want)[64], size_t num)
{
    int found = is_zero(place, 64);
    for (size_t i = 0; i < num; i++)
        found |= !memcmp(place, want[i], 64);
    return found;
}

static void check_changes(void)
{
    enum { ROUNDS = 60, WANTS = 4 };
    const struct ring_options none = { .padding = 0 };
    uint8_t *window = raw_window(&unit, 0), want[WANTS][64];
    const uint64_t handle = lend_seed(&client, HR_ED25519, 1);
    const struct ring_request r = pk_request(HR_ED25519, HR_JOB_SIGN, handle, IN, 32, OUT, &none);
    for (size_t i = 0; i < COUNT_OF(changes) * ROUNDS; i++) {
        const struct change *c = &changes[i / ROUNDS];
        struct ring_completion done;
        memset(window, 0, PLACES);
        memset(window + IN, 'a', 64);
        memset(window + OTHER_IN, 'b', 64);
        sign_directly(want[0], 1, window + IN, 32);
        sign_directly(want[1], 1, window + IN, 33);
        sign_directly(want[2], 1, window + OTHER_IN, 32);
        window[IN] ^= 1;
        sign_directly(want[3], 1, window + IN, 32);
        window[IN] ^= 1;
        const uint32_t number = unit.next[0];
        raw_put(&unit, 0, &r);
        take_changing(c, number, &done);
        if (done.result && done.result != c->error)
            complain("%s changes: %d", c->name, done.result);
        if (!is_one_of(window + OUT, want, WANTS) || !is_one_of(window + OTHER_OUT, want, WANTS) ||
            (done.result && (!is_zero(window + OUT, 64) || !is_zero(window + OTHER_OUT, 64))))
            complain("%s changes: an output of no request that ever was", c->name);
    }
    take_back(&client, handle);
    all_is_well("requests that change while they run");
}

/* ---- a flood of the slowest operation ---- */

/* The public power of the longest modulus that may have an exponent as long as itself takes as long
 * as several signatures of RSA-4096. */
static void check_flood(void)
{
    enum { LEN = 384, FLOODERS = 3, RINGS_OF = 4, MORE = 50 };
    static struct raw flooder[FLOODERS], floods[FLOODERS];
    static uint8_t n[LEN], e[LEN];
    const struct ring_options none = { .padding = HR_RSA_NONE };
    const struct hr_number parts[] = { { n, LEN }, { e, LEN } };
    memset(n, 0xff, sizeof n);
    memset(e, 0xef, sizeof e);
    for (int i = 0; i < FLOODERS; i++) {
        uint64_t handle = 0;
        attach(&flooder[i], &floods[i]);
        if (raw_lend(&flooder[i], &handle, HR_RSA3072, parts, 2))
            complain("a slow key is not lent");
        const struct ring_request r =
            pk_request(HR_RSA3072, HR_JOB_PK_ENCRYPT, handle, IN, LEN, OUT, &none);
        for (uint32_t k = 0; k < RINGS_OF * RING_DEPTH; k++)
            raw_put(&floods[i], k % RINGS_OF, &r);
    }
    const uint64_t before = honest.done;
    while (honest.done < before + MORE && !complaints_so_far())
        usleep(100);
    for (int i = 0; i < FLOODERS; i++) { /* and it goes while its requests run */
        raw_detach(&floods[i]);
        raw_detach(&flooder[i]);
    }
    all_is_well("a flood of the slowest operation, whose clients go while it runs");
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    pairs_make(argv[1]);
    service_begin(&service, argv + 2, policy);
    attach(&client, &unit);
    if (pthread_create(&honest.thread, NULL, sign_honestly, NULL))
        return 1;
    check_wrong_keys();
    check_faults(&pairs[0]);
    check_exponents();
    check_handles();
    check_changes();
    check_flood();
    honest.stop = 1;
    pthread_join(honest.thread, NULL);
    raw_detach(&unit);
    raw_detach(&client);
    service_end(&service);
    tap(1, "%d signatures of an honest client were right", (int)honest.done);
    return tap_done();
}
