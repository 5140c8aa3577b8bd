/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's own crypto: the drivers of /proc/crypto, and names for kernel samples.
 */
#ifndef TRACE_KERNEL_H
#define TRACE_KERNEL_H

#include "report.h"

/* /proc/crypto; how many, *drivers is the caller's to free. -1: cannot be read. */
ssize_t kernel_drivers(struct report_driver **drivers);
/* The same of a text: hostile, for tests and fuzzers. */
ssize_t kernel_drivers_parse(struct report_driver **drivers, const char *text, size_t len);
/* Adds the samples of kernel rows to the drivers that they ran in, by module, family and mode. */
void kernel_attribute(struct report *);
/* The kernel's function at ip (/proc/kallsyms, read once; NULL without permission) and its module
 * ("" of the kernel itself); both last as long as the program. */
const char *kernel_function(uint64_t ip, const char **module);
/* What it computes, by its name (grade E); HOW_NONE where that tells nothing. */
void kernel_classify(struct finding *out, const char *function, const char *module);

#endif
