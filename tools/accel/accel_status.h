/* SPDX-License-Identifier: Apache-2.0 */
/* headrace accel status: the data that were gathered, and the output formats. */
#ifndef TOOLS_ACCEL_STATUS_H
#define TOOLS_ACCEL_STATUS_H

#include "accel_control.h"

struct accel_status {
    struct control_service_status service;
    struct control_accelerator_status *accelerators;
    size_t num_accelerators;
    struct control_client_status *clients;
    size_t num_clients;
    bool has_unit; /* for public keys */
    struct control_unit_status unit;
    struct control_operation_status *operations;
    size_t num_operations;
};

/* accel_status_operation returns the name of an operation, such as "RSA-2048 sign". */
const char *accel_status_operation(char out[64], const struct control_operation_status *o);

/* Asks the service for everything. Returns an exit code, with one line printed on failure. */
int accel_status_gather(struct accel_status *s, int fd);
void accel_status_free(struct accel_status *s);
int accel_status_json(const struct accel_status *s);
void accel_status_prometheus(const struct accel_status *s);

#endif
