/* SPDX-License-Identifier: Apache-2.0 */
/* What an operation leaves on the stack: it runs in a thread whose stack is looked at afterwards.
 */
#ifndef HR_STACK_TEST_H
#define HR_STACK_TEST_H

#include "test.h"
#include <pthread.h>
#include <stdalign.h>

/* On SPARC a register window that a function has left keeps its values, which whoever gets it next
 * saves on the stack: no wipe of memory reaches them. */
#if defined(__sparc__)
enum { HAS_WINDOWS = 1 };
#else
enum { HAS_WINDOWS = 0 };
#endif

/* AddressSanitizer puts more on the stack. */
#if defined(__SANITIZE_ADDRESS__)
enum { HAS_REDZONES = 1 };
#else
enum { HAS_REDZONES = 0 };
#endif

enum { STACK = 256 * 1024, UNTOUCHED = 0xa7 };
static alignas(4096) uint8_t stack[STACK];

static inline void run_thread(void *(*operations)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    memset(stack, UNTOUCHED, sizeof stack);
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, sizeof stack);
    if (pthread_create(&thread, &attributes, operations, argument) || pthread_join(thread, NULL))
        complain("thread");
    pthread_attr_destroy(&attributes);
}

static inline void *no_operation(void *argument)
{
    return argument;
}

/* The loader saves all vector registers on the stack of the thread that is the first to call a
 * function of another library, and the end of a thread is such calls.  A thread that does nothing
 * makes them beforehand. */
static inline void on_stack(void *(*operations)(void *), void *argument)
{
    run_thread(no_operation, NULL);
    run_thread(operations, argument);
}

/* stack_use returns how much of the stack the last operation wrote to. */
static inline size_t stack_use(void)
{
    size_t at = 0;
    while (at < STACK && stack[at] == UNTOUCHED)
        at++;
    return STACK - at;
}

/* Notes where 8 bytes of a secret lie on the stack, as a limb or in a text. */
static inline void look_for(const uint64_t *secret, size_t num, const char *what)
{
    for (size_t i = 0; i < num; i++) {
        const uint64_t forms[] = { secret[i], __builtin_bswap64(secret[i]) };
        for (size_t form = 0; form < 2 && secret[i] >> 32; form++)
            for (size_t at = 0; at + 8 <= STACK; at++)
                if (!memcmp(stack + at, &forms[form], 8)) {
                    complain("limb %zu of %s, %zu bytes below the top", i, what, STACK - at);
                    break;
                }
    }
}

#endif
