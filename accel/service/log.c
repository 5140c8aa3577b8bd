/* SPDX-License-Identifier: Apache-2.0 */
/* The log on stderr.  Nothing waits for its reader: a line that stderr has no room for is queued,
 * and the control thread writes it when epoll reports room.  Lines that the queue has no room for
 * are lost, and counted in the log. */
#define _GNU_SOURCE
#include "../../cli/quote.h"
#include "../ticks.h"
#include "headraced.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

enum { MAX_TEXT = 512, MAX_LINE = 4 * MAX_TEXT + 64, QUEUE = 64 << 10 };

static bool verbose, journal;
static int out = STDERR_FILENO;
static bool is_socket;

/* The lines that wait, in a ring of bytes, under the lock. */
static struct queue {
    pthread_mutex_t lock;
    size_t first, len;
    unsigned long lost;
    char bytes[QUEUE];
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- stderr ---- */

/* begin_output makes writes return at once.  Flags of stderr would hold for all processes that
 * have it, so a pipe or a terminal is opened anew; a socket has a flag for each call. */
static void begin_output(void)
{
    struct stat s;
    if (fstat(STDERR_FILENO, &s) || S_ISREG(s.st_mode))
        return;
    is_socket = S_ISSOCK(s.st_mode);
    if (is_socket)
        return;
    const int fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0)
        out = fd;
}

void log_begin(bool be_verbose)
{
    verbose = be_verbose;
    journal = getenv("JOURNAL_STREAM") != NULL;
    begin_output();
}

/* put returns the number of bytes written, which is `len` too if they can never be. */
static size_t put(const char *bytes, size_t len)
{
    const ssize_t n =
        is_socket ? send(out, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL) : write(out, bytes, len);
    if (n >= 0)
        return (size_t)n;
    return errno == EAGAIN || errno == EINTR ? 0 : len;
}

/* ---- the queue, under its lock ---- */

static bool enqueue(const char *bytes, size_t len)
{
    if (len > QUEUE - queue.len)
        return false;
    const size_t end = (queue.first + queue.len) % QUEUE;
    const size_t before = len < QUEUE - end ? len : QUEUE - end;
    memcpy(queue.bytes + end, bytes, before);
    memcpy(queue.bytes, bytes + before, len - before);
    queue.len += len;
    return true;
}

/* drain writes what waits as far as there is room. */
static void drain(void)
{
    while (queue.len) {
        const size_t most = QUEUE - queue.first;
        const size_t n = put(queue.bytes + queue.first, queue.len < most ? queue.len : most);
        if (!n)
            return;
        queue.first = (queue.first + n) % QUEUE;
        queue.len -= n;
    }
}

static void watch(int operation)
{
    static struct watch w = { .ready = log_ready };
    struct epoll_event event = { .events = EPOLLOUT | EPOLLONESHOT, .data.ptr = &w };
    if (service.epoll > 0)
        (void)epoll_ctl(service.epoll, operation, out, &event);
}

/* add writes a line or queues it, or what of it does not fit. */
static void add(const char *line, size_t len)
{
    drain();
    const size_t n = queue.len ? 0 : put(line, len);
    if (n == len)
        return;
    if (enqueue(line + n, len - n))
        watch(EPOLL_CTL_MOD);
    else
        queue.lost++;
}

static size_t form(char line[MAX_LINE], int priority, const char *text)
{
    const int n = journal ? snprintf(line, MAX_LINE, "<%d>%s\n", priority, text)
                          : snprintf(line, MAX_LINE, "headraced: %s\n", text);
    return n < MAX_LINE ? (size_t)n : MAX_LINE - 1;
}

static void say_lost(void)
{
    char text[MAX_TEXT], line[MAX_LINE];
    if (!queue.lost || queue.len > QUEUE / 2)
        return;
    snprintf(text, sizeof text, "%lu lines of the log are lost here: nobody read it in time",
             queue.lost);
    queue.lost = 0;
    add(line, form(line, LOG_WARNING, text));
}

/* ---- what others call ---- */

void log_watch(void)
{
    pthread_mutex_lock(&queue.lock);
    watch(EPOLL_CTL_ADD); /* a file is always ready, and has no place in epoll */
    pthread_mutex_unlock(&queue.lock);
}

void log_ready(struct watch *w)
{
    (void)w;
    pthread_mutex_lock(&queue.lock);
    drain();
    say_lost();
    if (queue.len)
        watch(EPOLL_CTL_MOD);
    pthread_mutex_unlock(&queue.lock);
}

static void say(int priority, const char *format, va_list args)
{
    char text[MAX_TEXT], clean[4 * MAX_TEXT + 32], line[MAX_LINE];
    vsnprintf(text, sizeof text, format, args);
    quote_text(clean, sizeof clean, text, 0);
    const size_t len = form(line, priority, clean);
    pthread_mutex_lock(&queue.lock);
    drain();
    say_lost();
    add(line, len);
    pthread_mutex_unlock(&queue.lock);
}

static bool denial_is_due(void)
{
    static uint64_t last;
    const uint64_t now = ticks_seconds();
    const bool due = now != last;
    last = now;
    return due;
}

#define LEVEL(name, priority, condition)     \
    void log_##name(const char *format, ...) \
    {                                        \
        va_list args;                        \
        va_start(args, format);              \
        if (condition)                       \
            say(priority, format, args);     \
        va_end(args);                        \
    }
LEVEL(error, LOG_ERR, true)
LEVEL(warning, LOG_WARNING, true)
LEVEL(info, LOG_INFO, true)
LEVEL(denial, LOG_INFO, denial_is_due())
LEVEL(verbose, LOG_DEBUG, verbose)
