/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's own crypto: the drivers of /proc/crypto, and names for kernel samples.
 */
#ifndef TRACE_KERNEL_H
#define TRACE_KERNEL_H

#include "report.h"

/* /proc/crypto; how many, *drivers is the caller's to free. -1: cannot be read. */
ssize_t kernel_drivers(struct report_driver **drivers);
/* The kernel's function at ip (kallsyms; NULL without permission) and its module, and what it
 * computes by its name. */
const char *kernel_function(uint64_t ip, const char **module);
void kernel_classify(struct finding *out, const char *function, const char *module);

#endif
