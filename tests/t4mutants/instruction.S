/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of the T4 in which another instruction, or several, stands in place of one: wherever
 * SOURCE, the kernel's file, has MNEMONIC with OPERANDS, as the assembler passes them on, without
 * blanks, it has INSTEAD.  A macro cannot contain the mnemonic that it is named after, so it
 * removes itself for the time of the instruction. */
        .macro  replace name, operands_before, instead
        .macro  \name operands:vararg
        .purgem \name
        .ifeqs  "\operands", "\operands_before"
        \instead
        .else
        \name   \operands
        .endif
        replace \name, "\operands_before", "\instead"
        .endm
        .endm
        replace MNEMONIC, OPERANDS, INSTEAD

#include SOURCE
