/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATED_H
#define EMULATED_H

/* Who emulates this CPU ("qemu-sparc64", "headrace-t4emu on qemu-sparc64"), where that can be
 * known; else NULL. What is timed then is the emulator. */
const char *emulator(void);

/* The sentence that stands before every figure of an emulated CPU. */
#define EMULATED_TIMES \
    "Emulated (%s): these times are the emulator's,\nand say nothing of any processor.\n"

#endif
