/* SPDX-License-Identifier: Apache-2.0 */
/* The accelerator that this process wants to be served by: HEADRACE_ACCELERATOR, or hr_accel_bind.
 * Each new connection asks for it again. */
#define _GNU_SOURCE
#include "internal.h"
#include <stdlib.h>

enum { ANY = -1, MOST = 63, CONNECT_MOST = 8000 /* ms */ };

static _Atomic int wanted = ANY;

void bind_init(void)
{
    const char *text = secure_getenv("HEADRACE_ACCELERATOR");
    char *end = NULL;
    const long number = text ? strtol(text, &end, 10) : ANY;
    if (text && end != text && !*end && number >= 0 && number <= MOST)
        atomic_store(&wanted, (int)number);
}

int bind_ask(struct connection *c)
{
    const int number = atomic_load(&wanted);
    struct control_request request = { .magic = CONTROL_MAGIC, .type = CONTROL_MOVE };
    struct control_reply reply;
    request.number = (uint32_t)number;
    return number == ANY ? 0 : connection_exchange(c, &request, &reply, NULL, 0);
}

int hr_accel_bind(int accelerator)
{
    if (accelerator < ANY || accelerator > MOST)
        return HR_EINVAL;
    int error = connection_path(NULL); /* reads the environment before it is overruled */
    const int before = atomic_exchange(&wanted, accelerator);
    if (error || accelerator == ANY)
        return error;
    struct connection *c = connection_get(CONNECT_MOST);
    if (!c)
        return HR_EGONE;
    const int cancel = cancel_later();
    connection_lock();
    error = bind_ask(c);
    connection_unlock();
    if (error == HR_EGONE)
        connection_lose(c);
    if (error && error != HR_EGONE)
        atomic_store(&wanted, before);
    connection_put(c);
    cancel_as_before(cancel);
    return error;
}
