/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads input ahead, and writes output behind.
 *
 * Slots have no state of their own; they are counted: read >= taken >= passed >= written, and slot
 * i is slots[i % NUM_SLOTS]. The thread that will advance a count owns the slot until it does so,
 * and the lock is held only to access the counts.
 *
 * A waiting thread is woken when there is work for half of the ring, because each wake-up costs as
 * much as some slots. If the input is no file and may be slow, the thread is woken for each slot.
 */
#define _GNU_SOURCE
#include "stream.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NUM_SLOTS = 16, ALIGNMENT = 4096 };

struct stream {
    pthread_mutex_t lock;
    pthread_cond_t readable, takeable, writable;
    struct stream_slot slots[NUM_SLOTS];
    uint64_t num_read, num_taken, num_passed, num_written;
    size_t slot_len, stride, num_touched; /* slots that ever contained data */
    uint8_t *memory;
    pthread_t reader, writer;
    uint64_t batch; /* number of slots that are worth waking a thread */
    int in, out;
    int in_error, out_error;
    bool ended;   /* the input has ended */
    bool stopped; /* the caller wants no more */
    bool reads_ahead, writes_behind;
    bool abandoned; /* the reader may still be in read() */
};

struct stream *stream_new(size_t slot_len, size_t room)
{
    struct stream *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->slot_len = slot_len;
    s->stride = (slot_len + room + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    /* Pages that are never touched take no memory. */
    s->memory = mmap(NULL, s->stride * NUM_SLOTS, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (s->memory == MAP_FAILED) {
        free(s);
        return NULL;
    }
    for (size_t i = 0; i < NUM_SLOTS; i++)
        s->slots[i].data = s->memory + i * s->stride;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->readable, NULL);
    pthread_cond_init(&s->takeable, NULL);
    pthread_cond_init(&s->writable, NULL);
    return s;
}

/* ---- one slot ---- */

/* Fills the slot. Returns 0 or an errno. */
static int fill(const struct stream *s, struct stream_slot *slot)
{
    slot->len = 0;
    slot->last = false;
    while (slot->len < s->slot_len) {
        const ssize_t n = read(s->in, slot->data + slot->len, s->slot_len - slot->len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        if (n == 0)
            break;
        slot->len += (size_t)n;
    }
    return 0;
}

/* Writes the slot. Returns 0 or an errno. */
static int drain(const struct stream *s, const struct stream_slot *slot)
{
    for (size_t done = 0; done < slot->len && s->out != STREAM_NO_OUTPUT;) {
        const ssize_t n = write(s->out, slot->data + done, slot->len - done);
        if (n == 0 || (n < 0 && errno != EINTR))
            return n ? errno : EIO;
        if (n > 0)
            done += (size_t)n;
    }
    return 0;
}

/* Handles a slot that was read. A slot that is not full is the last one; if the input ends with
 * a full one, an empty slot follows, which only marks the end. */
static void was_read(struct stream *s, int error)
{
    const struct stream_slot *slot = &s->slots[s->num_read % NUM_SLOTS];
    if (s->num_touched < NUM_SLOTS && s->num_touched <= s->num_read)
        s->num_touched++;
    s->in_error = error;
    s->ended = error || slot->len < s->slot_len;
    if (s->ended && !error)
        s->num_read += slot->len || !s->num_read;
    else
        s->num_read += !error;
    if (s->ended || s->num_read - s->num_taken >= s->batch)
        pthread_cond_signal(&s->takeable);
}

static void was_written(struct stream *s, int error)
{
    s->out_error = error;
    s->num_written++;
    if (error)
        pthread_cond_signal(&s->takeable);
    else if (s->num_read - s->num_written <= NUM_SLOTS - s->batch)
        pthread_cond_signal(&s->readable);
}

/* ---- threads ---- */

static void *read_ahead(void *stream)
{
    struct stream *s = stream;
    pthread_mutex_lock(&s->lock);
    while (!s->ended && !s->stopped) {
        if (s->num_read - s->num_written == NUM_SLOTS) {
            pthread_cond_wait(&s->readable, &s->lock);
            continue;
        }
        struct stream_slot *slot = &s->slots[s->num_read % NUM_SLOTS];
        pthread_mutex_unlock(&s->lock);
        const int error = fill(s, slot);
        pthread_mutex_lock(&s->lock);
        was_read(s, error);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static void *write_behind(void *stream)
{
    struct stream *s = stream;
    pthread_mutex_lock(&s->lock);
    while (!s->out_error) {
        if (s->num_written == s->num_passed) {
            if (s->stopped)
                break;
            pthread_cond_wait(&s->writable, &s->lock);
            continue;
        }
        const struct stream_slot *slot = &s->slots[s->num_written % NUM_SLOTS];
        pthread_mutex_unlock(&s->lock);
        const int error = drain(s, slot);
        pthread_mutex_lock(&s->lock);
        was_written(s, error);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- the caller's side ---- */

void stream_start(struct stream *s, int in, int out)
{
    struct stat info;
    s->batch = !fstat(in, &info) && S_ISREG(info.st_mode) ? NUM_SLOTS / 2 : 1;
    s->num_read = s->num_taken = s->num_passed = s->num_written = 0;
    s->in = in;
    s->out = out;
    s->in_error = s->out_error = 0;
    s->ended = s->stopped = s->reads_ahead = s->writes_behind = false;
    posix_fadvise(in, 0, 0, POSIX_FADV_SEQUENTIAL); /* only advice, which a pipe refuses */
    was_read(s, fill(s, &s->slots[0]));
    if (s->ended)
        return;
    /* If the system has no more threads, the caller reads and writes itself. */
    s->reads_ahead = !pthread_create(&s->reader, NULL, read_ahead, s);
    s->writes_behind = s->reads_ahead && out != STREAM_NO_OUTPUT &&
                       !pthread_create(&s->writer, NULL, write_behind, s);
}

/* Waits until the next slot is known, and whether it is the last one; the lock is held. */
static void wait_for_next(struct stream *s)
{
    while (!s->out_error && !s->ended && s->num_read < s->num_taken + 2) {
        if (s->reads_ahead)
            pthread_cond_wait(&s->takeable, &s->lock);
        else
            was_read(s, fill(s, &s->slots[s->num_read % NUM_SLOTS]));
    }
}

int stream_next(struct stream *s, struct stream_slot **slot)
{
    int result = 0;
    pthread_mutex_lock(&s->lock);
    wait_for_next(s);
    if (s->out_error) {
        errno = s->out_error;
        result = -1;
    } else if (s->num_taken < s->num_read) {
        *slot = &s->slots[s->num_taken++ % NUM_SLOTS];
        (*slot)->last = s->ended && !s->in_error && s->num_taken == s->num_read;
        result = 1;
    } else if (s->in_error) {
        errno = s->in_error;
        result = -1;
    }
    pthread_mutex_unlock(&s->lock);
    return result;
}

void stream_pass(struct stream *s, struct stream_slot *slot)
{
    const int error = s->writes_behind ? 0 : drain(s, slot);
    pthread_mutex_lock(&s->lock);
    s->num_passed++;
    if (!s->writes_behind)
        was_written(s, error);
    else if (s->num_passed - s->num_written >= s->batch)
        pthread_cond_signal(&s->writable);
    pthread_mutex_unlock(&s->lock);
}

/* The writer ends when it has written everything; the reader ends when it waits for a slot or
 * has reached the end. */
int stream_finish(struct stream *s)
{
    pthread_mutex_lock(&s->lock);
    s->stopped = true;
    s->abandoned = s->reads_ahead && !s->ended;
    pthread_cond_signal(&s->readable);
    pthread_cond_signal(&s->writable);
    pthread_mutex_unlock(&s->lock);
    if (s->writes_behind)
        pthread_join(s->writer, NULL);
    if (s->abandoned)
        pthread_detach(s->reader);
    else if (s->reads_ahead)
        pthread_join(s->reader, NULL);
    s->writes_behind = s->reads_ahead = false;
    errno = s->out_error ? s->out_error : s->in_error;
    return errno ? -1 : 0;
}

enum stream_side stream_side(const struct stream *s)
{
    return s->out_error ? STREAM_OUTPUT : s->in_error ? STREAM_INPUT : STREAM_FINE;
}

void stream_free(struct stream *s)
{
    if (!s || s->abandoned)
        return;
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->readable);
    pthread_cond_destroy(&s->takeable);
    pthread_cond_destroy(&s->writable);
    explicit_bzero(s->memory, s->stride * s->num_touched);
    munmap(s->memory, s->stride * NUM_SLOTS);
    free(s);
}
