/* SPDX-License-Identifier: Apache-2.0 */
/* What names of the kernel's crypto tell, by kernel.def; and /proc/kallsyms. */
#ifndef TRACE_KERNEL_NAMES_H
#define TRACE_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the driver is one of hardware: "cbc-aes-aesni", not "cbc(aes-generic)". */
bool kernel_is_device(const char *driver);
/* "sha256-lib": code of the kernel's lib/crypto, which may or may not be that of an instruction. */
bool kernel_is_library(const char *driver);

/* Functions of /proc/kallsyms or of a text like it. */
struct kernel_symbols;
struct kernel_symbols *kernel_symbols_parse(const char *text, size_t len);
const char *kernel_symbols_find(const struct kernel_symbols *, uint64_t ip, const char **module);
void kernel_symbols_free(struct kernel_symbols *);

#endif
