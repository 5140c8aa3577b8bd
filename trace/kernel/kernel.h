/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's own crypto: the drivers in /proc/crypto, and names for samples in the kernel.
 */
#ifndef TRACE_KERNEL_H
#define TRACE_KERNEL_H

#include "../report/report.h"

/* Reads /proc/crypto. Returns the number of drivers; the caller frees *drivers. -1: it cannot be
 * read. */
ssize_t kernel_drivers(struct report_driver **drivers);
/* Parses text in the format of /proc/crypto, which may be hostile; for tests and fuzzers too. */
ssize_t kernel_drivers_parse(struct report_driver **drivers, const char *text, size_t len);
/* Adds the samples of kernel rows to the drivers that they belong to, by module, family and
 * mode. */
void kernel_attribute(struct report *);
/* The kernel's function at ip (from /proc/kallsyms, which is read once; NULL without
 * permission), and its module ("" for the kernel itself). Both strings last as long as the
 * program. */
const char *kernel_function(uint64_t ip, const char **module);
/* Classifies a kernel function by its name (grade E); HOW_NONE where the name says nothing. */
void kernel_classify(struct finding *out, const char *function, const char *module);

#endif
