/* SPDX-License-Identifier: Apache-2.0
 *
 * What the service says of itself.
 */
#ifndef MEASURE_BENCH_STATUS_H
#define MEASURE_BENCH_STATUS_H

#include "../../accel/control.h"
#include "../bench.h"

typedef void bench_status_fn(void *arg, const struct control_status *one);
/* Calls `each` for everything that the service tells. Returns 0, or prints an error. */
int bench_status(const struct private_service *service, bench_status_fn *each, void *arg);

#endif
