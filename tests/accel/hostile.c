/* SPDX-License-Identifier: Apache-2.0 */
/* hostile HEADRACED [OPTION...]: attacks that a client may try.  The test starts a service at a
 * socket of its own.  After each group of attacks, the service must live and all results of a
 * neighbour must be right. */
#include "harness.h"
#include <signal.h>

struct service service;
struct neighbour neighbour;

static const char policy[] = "[client test]\n"
                             "clients = 40\n"
                             "attaches = 0\n"
                             "rings = 4\n"
                             "window = 64K\n";

void unharmed(const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const int alive = service_alive(&service);
    if (alive)
        neighbour_goes_on(&neighbour, 6);
    tap(alive, "%s", text);
    if (!alive)
        exit(tap_done());
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    service_begin(&service, argv + 1, policy);
    neighbour_begin(&neighbour, &service);
    hostile_ring();
    hostile_fetch();
    hostile_memory();
    hostile_control();
    neighbour_end(&neighbour);
    service_end(&service);
    tap(!neighbour.wrong && !neighbour.failed, "%d requests of a neighbour were all answered right",
        (int)neighbour.done);
    return tap_done();
}
