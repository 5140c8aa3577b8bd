/* SPDX-License-Identifier: Apache-2.0 */
/* No wake-up is lost, in either direction: every interleaving of one client's thread and an
 * accelerator, with the store buffers of a weak memory between them, is walked.
 *
 * The two programs are those of accel/client/wait.c and accel/service/accelerator.c: requests and
 * completions by sequence number in a ring of DEPTH, the words `sleeping`, `wake` and `asleep`, a
 * futex, and a doorbell that stays rung until it was waited for.  Time-outs are left out, so that
 * nothing hangs on them.  Each process has a buffer of stores that nobody else sees yet.  They
 * leave it in any order, except that stores to one word keep their order, and that a release store
 * leaves after all older ones.  This is partial store order: x86, where all stores keep their
 * order, is a special case of it, and arm64 is close to it.  A state that nothing follows, while
 * the client still waits, is a lost wake-up.
 *
 * The same search must find each of `broken` wrong, or it would prove nothing. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 2, REQUESTS = 5, BUFFER = 4 };
enum { CLIENT, SERVICE };

/* ---- memory ---- */

enum word {
    SLEEPING,
    WAKE,
    ASLEEP,
    REQUEST,
    DONE = REQUEST + DEPTH,
    IN = DONE + DEPTH,
    OUT = IN + DEPTH,
    NUM_WORDS = OUT + DEPTH
};

struct store {
    uint8_t word, value, release;
};

struct state {
    uint8_t memory[NUM_WORDS];
    uint8_t pc[2], num_stores[2];
    struct store stores[2][BUFFER];
    uint8_t doorbell, at_futex; /* rung; the client sleeps in the kernel */
    uint8_t sent, received, wake_seen;
    uint8_t taken, was_asleep;
};

enum broken {
    NOTHING,
    CLIENT_SLEEPS_UNFENCED,
    CLIENT_SLEEPS_UNCHECKED,
    CLIENT_RINGS_UNFENCED,
    SERVICE_SLEEPS_UNFENCED,
    SERVICE_SLEEPS_UNCHECKED,
    SERVICE_WAKES_UNFENCED,
    WAKE_WORD_STAYS,
    WAKE_WORD_READ_LATE,
    SLEEPING_CLEARED_LATE,
    REQUEST_PUBLISHED_RELAXED,
    COMPLETION_PUBLISHED_RELAXED,
    NUM_BROKEN
};
static const char *const names[NUM_BROKEN] = {
    "the protocol",
    "no fence between a client's \"I sleep\" and its last look",
    "no last look before a client sleeps",
    "no fence between a request and the look whether the accelerator sleeps",
    "no fence between the accelerator's \"asleep\" and its last look",
    "no last look before the accelerator sleeps",
    "no fence between a completion and the look who sleeps",
    "a wake word that does not grow",
    "a wake word read after \"I sleep\" and the last look",
    "\"sleeping\" cleared after the wake word grew",
    "a request's number that may be seen before the request",
    "a completion's number that may be seen before the completion",
};
static enum broken variant;

static uint8_t load(const struct state *s, int who, int word)
{
    for (int i = s->num_stores[who]; i-- > 0;)
        if (s->stores[who][i].word == word)
            return s->stores[who][i].value;
    return s->memory[word];
}

static int store(struct state *s, int who, int word, int value, int release)
{
    if (s->num_stores[who] == BUFFER)
        return 0;
    s->stores[who][s->num_stores[who]++] =
        (struct store){ (uint8_t)word, (uint8_t)value, (uint8_t)release };
    return 1;
}

static int fence(const struct state *s, int who)
{
    return !s->num_stores[who];
}

/* leave takes store i out of its buffer into memory.  It returns 0 if an older store has to leave
 * before it, or there is no store i. */
static int leave(struct state *s, int who, int i)
{
    struct store *stores = s->stores[who];
    const struct store gone = stores[i];
    if (i >= s->num_stores[who] || (gone.release && i))
        return 0;
    for (int older = 0; older < i; older++)
        if (stores[older].word == gone.word)
            return 0;
    s->memory[gone.word] = gone.value;
    memmove(stores + i, stores + i + 1, (size_t)(BUFFER - i - 1) * sizeof *stores);
    stores[BUFFER - 1] = (struct store){ 0 };
    s->num_stores[who]--;
    return 1;
}

/* ---- the two programs: a step is one access; it returns 0 if it cannot be made now ---- */

static int wrong; /* a number was seen without what it announces */

static int go(struct state *s, int who, int pc, int possible)
{
    s->pc[who] = (uint8_t)pc;
    return possible;
}

enum {
    C_FILL,
    C_PUBLISH,
    C_FENCE,
    C_LOOK_ASLEEP,
    C_RING,
    C_LOOK,
    C_TAKE,
    C_READ_WAKE,
    C_SLEEPING,
    C_SLEEP_FENCE,
    C_LAST_LOOK,
    C_READ_WAKE_LATE,
    C_WAIT,
    C_WAITS,
    C_AWAKE,
    C_END
};

static int client(struct state *s, int choice)
{
    const int slot = s->sent % DEPTH, out = s->received % DEPTH;
    switch (s->pc[CLIENT]) {
    case C_FILL:
        return go(s, CLIENT, C_PUBLISH, store(s, CLIENT, IN + slot, s->sent + 1, 0));
    case C_PUBLISH:
        s->sent++;
        return go(s, CLIENT, variant == CLIENT_RINGS_UNFENCED ? C_LOOK_ASLEEP : C_FENCE,
                  store(s, CLIENT, REQUEST + slot, s->sent, variant != REQUEST_PUBLISHED_RELAXED));
    case C_FENCE:
        return go(s, CLIENT, C_LOOK_ASLEEP, fence(s, CLIENT));
    case C_LOOK_ASLEEP:
        return go(s, CLIENT, load(s, CLIENT, ASLEEP) ? C_RING : C_LOOK, 1);
    case C_RING:
        s->doorbell = 1;
        return go(s, CLIENT, C_LOOK, 1);
    case C_LOOK: /* submits more, takes, or goes to sleep */
        if (choice)
            return go(s, CLIENT, C_FILL, s->sent < REQUESTS && s->sent - s->received < DEPTH);
        if (load(s, CLIENT, DONE + out) == s->received + 1)
            return go(s, CLIENT, C_TAKE, 1);
        return go(s, CLIENT, variant == WAKE_WORD_READ_LATE ? C_SLEEPING : C_READ_WAKE,
                  s->sent != s->received);
    case C_TAKE:
        wrong |= load(s, CLIENT, OUT + out) != s->received + 1;
        s->received++;
        return go(s, CLIENT, s->received == REQUESTS ? C_END : C_LOOK, 1);
    case C_READ_WAKE:
        s->wake_seen = load(s, CLIENT, WAKE);
        return go(s, CLIENT, C_SLEEPING, 1);
    case C_SLEEPING:
        return go(s, CLIENT, variant == CLIENT_SLEEPS_UNFENCED ? C_LAST_LOOK : C_SLEEP_FENCE,
                  store(s, CLIENT, SLEEPING, 1, 0));
    case C_SLEEP_FENCE:
        return go(s, CLIENT, C_LAST_LOOK, fence(s, CLIENT));
    case C_LAST_LOOK:
        if (variant != CLIENT_SLEEPS_UNCHECKED && load(s, CLIENT, DONE + out) == s->received + 1)
            return go(s, CLIENT, C_AWAKE, 1);
        return go(s, CLIENT, variant == WAKE_WORD_READ_LATE ? C_READ_WAKE_LATE : C_WAIT, 1);
    case C_READ_WAKE_LATE:
        s->wake_seen = load(s, CLIENT, WAKE);
        return go(s, CLIENT, C_WAIT, 1);
    case C_WAIT: /* the kernel compares and sleeps in one step */
        s->at_futex = s->memory[WAKE] == s->wake_seen;
        return go(s, CLIENT, C_WAITS, 1);
    case C_WAITS:
        return go(s, CLIENT, C_AWAKE, !s->at_futex);
    case C_AWAKE:
        return go(s, CLIENT, C_LOOK, store(s, CLIENT, SLEEPING, 0, 0));
    }
    return 0;
}

enum {
    S_LOOK,
    S_TAKE,
    S_PUBLISH,
    S_FENCE,
    S_LOOK_SLEEPING,
    S_CLEAR,
    S_GROW,
    S_CLEAR_LATE,
    S_WAKE,
    S_ASLEEP,
    S_SLEEP_FENCE,
    S_LAST_LOOK,
    S_WAIT,
    S_AWAKE
};

static int service(struct state *s)
{
    const int slot = s->taken % DEPTH;
    const int late = variant == SLEEPING_CLEARED_LATE;
    switch (s->pc[SERVICE]) {
    case S_LOOK:
        return go(s, SERVICE, load(s, SERVICE, REQUEST + slot) == s->taken + 1 ? S_TAKE : S_ASLEEP,
                  1);
    case S_TAKE:
        wrong |= load(s, SERVICE, IN + slot) != s->taken + 1;
        return go(s, SERVICE, S_PUBLISH, store(s, SERVICE, OUT + slot, s->taken + 1, 0));
    case S_PUBLISH:
        s->taken++;
        return go(
            s, SERVICE, variant == SERVICE_WAKES_UNFENCED ? S_LOOK_SLEEPING : S_FENCE,
            store(s, SERVICE, DONE + slot, s->taken, variant != COMPLETION_PUBLISHED_RELAXED));
    case S_FENCE:
        return go(s, SERVICE, S_LOOK_SLEEPING, fence(s, SERVICE));
    case S_LOOK_SLEEPING:
        if (load(s, SERVICE, SLEEPING))
            return go(s, SERVICE, late ? S_GROW : S_CLEAR, 1);
        return go(s, SERVICE, s->was_asleep ? S_AWAKE : S_LOOK, 1);
    case S_CLEAR:
        return go(s, SERVICE, S_GROW, store(s, SERVICE, SLEEPING, 0, 0));
    case S_GROW: /* one access, after all stores before it */
        if (variant != WAKE_WORD_STAYS)
            s->memory[WAKE]++;
        return go(s, SERVICE, late ? S_CLEAR_LATE : S_WAKE, fence(s, SERVICE));
    case S_CLEAR_LATE:
        return go(s, SERVICE, S_WAKE, store(s, SERVICE, SLEEPING, 0, 0));
    case S_WAKE:
        s->at_futex = 0;
        return go(s, SERVICE, s->was_asleep ? S_AWAKE : S_LOOK, 1);
    case S_ASLEEP:
        s->was_asleep = 1;
        return go(s, SERVICE, variant == SERVICE_SLEEPS_UNFENCED ? S_LAST_LOOK : S_SLEEP_FENCE,
                  store(s, SERVICE, ASLEEP, 1, 0));
    case S_SLEEP_FENCE:
        return go(s, SERVICE, S_LAST_LOOK, fence(s, SERVICE));
    case S_LAST_LOOK:
        if (variant != SERVICE_SLEEPS_UNCHECKED && load(s, SERVICE, REQUEST + slot) == s->taken + 1)
            return go(s, SERVICE, S_TAKE, 1);
        return go(s, SERVICE, S_WAIT, 1);
    case S_WAIT: {
        const int rung = s->doorbell;
        s->doorbell = 0;
        return go(s, SERVICE, S_AWAKE, rung);
    }
    case S_AWAKE:
        s->was_asleep = 0;
        return go(s, SERVICE, S_LOOK, store(s, SERVICE, ASLEEP, 0, 0));
    }
    return 0;
}

/* ---- the search ---- */

enum { SET = 1 << 24, CHOICES = 3 + 2 * BUFFER };

static uint32_t *set; /* 1 + index into states, by hash */
static struct state *states;
static size_t num_states, room;

static void add(const struct state *s)
{
    const uint8_t *bytes = (const uint8_t *)s;
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < sizeof *s; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    size_t at = (hash ^ hash >> 29) % SET;
    for (; set[at]; at = (at + 1) % SET)
        if (!memcmp(&states[set[at] - 1], s, sizeof *s))
            return;
    if (num_states == room) {
        room = room ? 2 * room : 1 << 16;
        states = realloc(states, room * sizeof *states);
    }
    if (!states || num_states == SET / 2)
        abort();
    states[num_states] = *s;
    set[at] = (uint32_t)++num_states;
}

static int follow(struct state *s, int choice)
{
    if (choice < 2)
        return client(s, choice);
    if (choice == 2)
        return service(s);
    choice -= 3;
    return leave(s, choice / BUFFER, choice % BUFFER);
}

/* holds returns 1 if every request comes back, in whatever order the steps are taken. */
static int holds(void)
{
    const struct state start = { 0 };
    memset(set, 0, SET * sizeof *set);
    num_states = 0;
    wrong = 0;
    add(&start);
    for (size_t i = 0; i < num_states; i++) {
        int followed = 0;
        for (int choice = 0; choice < CHOICES && !wrong; choice++) {
            struct state s = states[i];
            if (!follow(&s, choice))
                continue;
            followed = 1;
            add(&s);
        }
        if (wrong || (!followed && states[i].pc[CLIENT] != C_END))
            return 0;
    }
    return 1;
}

int main(void)
{
    int failed = 0;
    set = malloc(SET * sizeof *set);
    if (!set)
        return 1;
    for (int i = 0; i < NUM_BROKEN; i++) {
        variant = (enum broken)i;
        const int good = holds() == (variant == NOTHING);
        failed |= !good;
        printf("%s %d - %s%s: %zu states\n", good ? "ok" : "not ok", i + 1,
               variant == NOTHING ? "" : "seen to be wrong: ", names[i], num_states);
    }
    printf("1..%d\n", NUM_BROKEN);
    return failed;
}
