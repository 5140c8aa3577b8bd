/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATED_H
#define EMULATED_H

/* The name of the emulator that runs this program ("qemu-sparc64", "headrace-t4emu on
 * qemu-sparc64"), if it can be found out; else NULL. Times that are measured under an emulator
 * say nothing about a CPU. */
const char *emulated_by(void);

/* The sentence that is printed before all figures measured under an emulator. */
#define EMULATED_TIMES \
    "Emulated (%s): these times are the emulator's,\nand say nothing of any processor.\n"

#endif
