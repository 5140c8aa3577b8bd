/* SPDX-License-Identifier: Apache-2.0 */
/* The accelerator's client, a library of its own, which is loaded when a service listens. */
#ifndef HR_P11_CLIENT_H
#define HR_P11_CLIENT_H

#include <headrace/accel.h>
#include <headrace/accel_stream.h>
#include <stdbool.h>

#define CLIENT_FUNCTIONS(X)        \
    X(hr_accel_aead_aad)           \
    X(hr_accel_aead_expect)        \
    X(hr_accel_aead_final)         \
    X(hr_accel_aead_init)          \
    X(hr_accel_aead_lengths)       \
    X(hr_accel_aead_update)        \
    X(hr_accel_aead_verify)        \
    X(hr_accel_aead_wipe)          \
    X(hr_accel_cipher_final)       \
    X(hr_accel_cipher_init)        \
    X(hr_accel_cipher_set_padding) \
    X(hr_accel_cipher_update)      \
    X(hr_accel_cipher_wipe)        \
    X(hr_accel_key_close)          \
    X(hr_accel_key_list)           \
    X(hr_accel_key_open)           \
    X(hr_accel_key_public)         \
    X(hr_accel_mac_final)          \
    X(hr_accel_mac_init)           \
    X(hr_accel_mac_update)         \
    X(hr_accel_mac_verify)         \
    X(hr_accel_mac_wipe)           \
    X(hr_accel_run)                \
    X(hr_queue_connect)

struct client {
#define X(name) __typeof__(name) *name;
    CLIENT_FUNCTIONS(X)
#undef X
};

/* client_get returns the library's functions, or NULL if no service listens, or the library is not
 * there or too old.  The library is asked for when a service listens for the first time. */
const struct client *client_get(void);

#endif
