/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks for a secret on the terminal. Signals that end or stop the program are only accepted while
 * it waits for a line; they are noted, and raised again when the echo is restored.
 */
#define _GNU_SOURCE
#include "prompt.h"
#include "../cli/tool.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };
static volatile sig_atomic_t came;

static void note(int signal)
{
    came = signal;
}

/* From here on a signal is only noted, and only accepted while waiting for a line. */
static void hold(struct sigaction before[COUNT(signals)], sigset_t *mask)
{
    struct sigaction action = { .sa_handler = note };
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < COUNT(signals); i++)
        sigaddset(&held, signals[i]);
    sigprocmask(SIG_BLOCK, &held, mask);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < COUNT(signals); i++)
        sigaction(signals[i], &action, &before[i]);
}

static void put_back(const struct sigaction before[COUNT(signals)], const sigset_t *mask)
{
    for (size_t i = 0; i < COUNT(signals); i++)
        sigaction(signals[i], &before[i], NULL);
    sigprocmask(SIG_SETMASK, mask, NULL);
}

/* Reads a line of at most out_size bytes. Returns its length, or -1. */
static int read_line(int fd, char *out, size_t out_size, const sigset_t *mask)
{
    struct pollfd input = { .fd = fd, .events = POLLIN };
    size_t len = 0;
    for (;;) {
        char c;
        if (ppoll(&input, 1, NULL, mask) < 0)
            return -1;
        const ssize_t n = read(fd, &c, 1);
        if (n < 0)
            return -1;
        if (n == 1 && c != '\n') {
            if (len < out_size)
                out[len] = c;
            len += len <= out_size; /* the rest of a longer line is read and dropped */
            continue;
        }
        errno = n == 0 && !len ? ENODATA : EMSGSIZE;
        return errno == ENODATA || len > out_size ? -1 : (int)len;
    }
}

static int ask(int fd, char *out, size_t out_size, const char *words)
{
    struct sigaction before[COUNT(signals)];
    struct termios echoing, silent;
    sigset_t mask;
    int len = -1;
    if (tcgetattr(fd, &echoing))
        return -1;
    silent = echoing;
    silent.c_lflag &= ~(tcflag_t)ECHO;
    silent.c_lflag |= ICANON | ISIG;
    hold(before, &mask);
    if (!tcsetattr(fd, TCSAFLUSH, &silent)) {
        if (write(fd, words, strlen(words)) >= 0)
            len = read_line(fd, out, out_size, &mask);
        const int error = errno;
        tcsetattr(fd, TCSAFLUSH, &echoing);
        (void)!write(fd, "\n", 1);
        errno = error;
    }
    put_back(before, &mask);
    return len;
}

int prompt_secret(char *out, size_t out_size, const char *words)
{
    const int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    int len = -1;
    if (fd < 0)
        return -1;
    do { /* after SIGTSTP, when the program continues, it asks again */
        came = 0;
        len = ask(fd, out, out_size, words);
        if (came)
            raise(came);
    } while (came);
    const int error = errno;
    close(fd);
    errno = error;
    return len;
}
