/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for a service, and loads the client's library.
 *
 * A program on a machine without a service pays a connect() that fails.  The library is loaded for
 * good (RTLD_NODELETE), since each thread's queue is closed when the thread ends: so this module
 * can be unloaded, and has nothing to do at the end of a thread or of the process. */
#define _GNU_SOURCE
#include "client.h"
#include "../module.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LIBRARY "libheadrace-accel.so.0"
#define SOCKET "/run/headrace/accel.sock" /* as accel.h says */

static struct client client;
static _Atomic int loaded; /* 0: not yet; 1: yes; -1: it cannot be used */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* is_listening tells whether somebody listens at the service's socket. */
static bool is_listening(void)
{
    const char *path = secure_getenv("HEADRACE_ACCEL");
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (!path || !*path)
        path = SOCKET;
    if (!strcmp(path, "off") || strlen(path) >= sizeof address.sun_path)
        return false;
    strcpy(address.sun_path, path);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool listens = fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof address);
    if (fd >= 0)
        close(fd);
    return listens;
}

static int load(void)
{
    static const struct {
        char name[32];
        size_t at;
    } functions[] = {
#define X(name) { #name, offsetof(struct client, name) },
        CLIENT_FUNCTIONS(X)
#undef X
    };
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    for (size_t i = 0; library && i < COUNT(functions); i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function)
            return -1;
        memcpy((char *)&client + functions[i].at, &function, sizeof function);
    }
    return library ? 1 : -1;
}

const struct client *client_get(void)
{
    int state = atomic_load(&loaded);
    if (!state && is_listening()) {
        pthread_mutex_lock(&loading);
        state = atomic_load(&loaded);
        if (!state)
            atomic_store(&loaded, state = load());
        pthread_mutex_unlock(&loading);
    }
    return state > 0 ? &client : NULL;
}
