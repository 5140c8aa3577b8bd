/* SPDX-License-Identifier: Apache-2.0 */
/* client GROUP HEADRACED [OPTION]...: tests libheadrace-accel with a service of its own, which it
 * starts and stops.  Each group of checks runs in a process of its own, because a process has one
 * service. */
#include "client.h"
#include <signal.h>

struct service service;
char **service_arguments;

static const struct group {
    const char *name;
    void (*run)(void);
    int with_service;
} groups[] = {
    { "jobs", client_jobs, 1 },       { "threads", client_threads, 1 },
    { "fork", client_fork, 1 },       { "fallback", client_fallback, 0 },
    { "restart", client_restart, 1 }, { "keys", client_keys, 0 },
    { "streams", client_streams, 1 }, { "stream-life", client_stream_life, 0 },
    { "slow", client_slow, 1 },
};

static const char policy[] = "[client all]\nattach = yes\nadmin = yes\n";

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; argc > 2 && i < COUNT_OF(groups); i++) {
        if (strcmp(groups[i].name, argv[1]))
            continue;
        service_arguments = argv + 2;
        if (groups[i].with_service)
            service_begin(&service, service_arguments, policy);
        groups[i].run();
        if (groups[i].with_service)
            service_end(&service);
        tap(1, "the service ends well");
        return tap_done();
    }
    return 2;
}
