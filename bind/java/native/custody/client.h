/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of libheadrace-accel that keys of the service need. */
#ifndef HR_JAVA_CLIENT_H
#define HR_JAVA_CLIENT_H

#include <headrace/accel.h>
#include <headrace/accel_stream.h>

#define CLIENT_FUNCTIONS(X)   \
    X(hr_accel_cipher_init)   \
    X(hr_accel_cipher_update) \
    X(hr_accel_cipher_final)  \
    X(hr_accel_key_close)     \
    X(hr_accel_key_list)      \
    X(hr_accel_key_open)      \
    X(hr_accel_key_public)    \
    X(hr_accel_run)

struct client {
#define X(name) __typeof__(name) *name;
    CLIENT_FUNCTIONS(X)
#undef X
};

/* client_get returns the calls, or NULL: the library is not there, or lacks one of them. */
const struct client *client_get(void);

#endif
