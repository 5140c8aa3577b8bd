/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of names in the kernel's crypto, by kernel.def; and the parser of /proc/kallsyms. */
#ifndef TRACE_KERNEL_NAMES_H
#define TRACE_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the driver uses hardware: true for "cbc-aes-aesni", false for "cbc(aes-generic)". */
bool kernel_is_device(const char *driver);
/* Whether the driver is code of the kernel's lib/crypto ("sha256-lib"), which may use the CPU's
 * instructions or not. */
bool kernel_is_library(const char *driver);

/* The functions listed in /proc/kallsyms, or in a text of its format. */
struct kernel_symbols;
struct kernel_symbols *kernel_symbols_parse(const char *text, size_t len);
const char *kernel_symbols_find(const struct kernel_symbols *, uint64_t ip, const char **module);
void kernel_symbols_free(struct kernel_symbols *);

#endif
