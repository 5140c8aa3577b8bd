/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of the T4 with one defect in its macros, which the test of its places must notice.
 * SOURCE is the kernel's file: it includes HEADER, that of its family, again, to no effect, and
 * so sees the macros as they are changed here.  Mnemonics can be macros as well, of the assembler
 * where an operand decides.  instruction.S makes defects of single instructions. */
#define CONTROL 1
#define KEYS_IN_WRONG_ORDER 2
#define KEY_WORDS_SWAPPED 3
#define LAST_ROUND_MIXES 4
#define READS_NEXT_DOUBLEWORD 5
#define READS_A_BLOCK_AHEAD 6
#define READS_A_DOUBLEWORD_BEFORE 7
#define NEXT_NOT_STORED 8
#define ALIGNED_NEXT_ONLY_STORED 9
#define NO_CARRY 10
#define STORES_A_WHOLE_LAST_DOUBLEWORD 11
#define STORES_A_WHOLE_FIRST_DOUBLEWORD 12
#define LAST_BYTES_NOT_STORED 13
#define CHAIN_WITHOUT_FIRST_KEY 14
#define KEEPS_NO_L3 15
#define WRONG_MIDDLE_OF_256_BITS 16
#define DEC_NOT_MIXED 17
#define IMPORT_NOT_MIXED 18
#define ROUND_11_WITH_KEY_10 19
#define ANOTHER_POLYNOMIAL 20
#define HIGH_PRODUCT_IS_LOW 21
#define COUNTER_NOT_WRAPPED 22
#define COUNTER_NOT_STORED 23
#define MIDDLE_PRODUCT_OF_HIGH_HALVES 24
#define ANOTHER_CARRY_OF_TWEAKS 25
#define TWEAKS_NOT_TURNED 26
#define TWEAKS_IN_ORDER 27
#define STEALS_A_BYTE_LESS 28
#define FOLDS_LOW_BITS_TOO 29
#define KEYS_OF_DECRYPTION_IN_ORDER 30
#define LAST_PASS_WITH_KEYS_OF_THE_SECOND 31
#define NO_LAST_LAYER 32

#include HEADER

#if MUTANT == KEYS_IN_WRONG_ORDER
#undef LOAD_SCHEDULE_D
#define LOAD_SCHEDULE_D(n)                 \
        ldx     [KEY], LAST0;              \
        ldx     [KEY + 8], LAST1;          \
        ldx     [KEY + 16 * n], FIRST0;    \
        ldx     [KEY + 16 * n + 8], FIRST1; \
        LOAD_KEYS_##n(E)
#elif MUTANT == KEY_WORDS_SWAPPED
#undef LOAD_KEY_E
#define LOAD_KEY_E(r) ldd [KEY + 16 * r + 8], K##r##_01; ldd [KEY + 16 * r], K##r##_23
#elif MUTANT == KEYS_OF_DECRYPTION_IN_ORDER
#undef PLACE_D
#define PLACE_D(pass, i) AT_KEY(pass, i)
#elif MUTANT == LAST_PASS_WITH_KEYS_OF_THE_SECOND
#undef CRYPT_3
#define CRYPT_3(num) FIRST_PASS(num); NEXT_PASS(num, 1); NEXT_PASS(num, 1)
#elif MUTANT == NO_LAST_LAYER
#undef ROUNDS_24
#define ROUNDS_24(d, num) FIRST_18(num)
#elif MUTANT == LAST_ROUND_MIXES
#define aes_dround23_l aes_dround23
#elif MUTANT == READS_NEXT_DOUBLEWORD
#undef LOAD_A /* reads a doubleword that is not used, if in is a multiple of 8 and out is not */
#define LOAD_A(x, at) ldx [IN + at + 8], x; LOAD_ANY(IN, x, at)
#elif MUTANT == READS_A_BLOCK_AHEAD
#undef LOAD_F
#define LOAD_F(x, at) ldx [IN + at + 16], x; ldx [IN + at], x
#elif MUTANT == READS_A_DOUBLEWORD_BEFORE
#undef LOAD_F
#define LOAD_F(x, at) ldx [IN + at - 8], x; ldx [IN + at], x
#elif MUTANT == NEXT_NOT_STORED
#undef STORE_NEXT
#define STORE_NEXT nop
#undef STORE_NEXT_8
#define STORE_NEXT_8(x) nop
#elif MUTANT == ALIGNED_NEXT_ONLY_STORED
#undef STORE_NEXT
#define STORE_NEXT                   \
        brz,pn  NEXT, 9f;        \
         andcc  NEXT, 7, %g0;    \
        bne,pn  %xcc, 9f;        \
         nop;                    \
        stx     PREV0, [NEXT];   \
        stx     PREV1, [NEXT + 8]; \
9:
#elif MUTANT == NO_CARRY
#define addxc or
#elif MUTANT == STORES_A_WHOLE_LAST_DOUBLEWORD
#undef FINISH_A
#define FINISH_A brnz,a SHIFT, 9f; stx CARRY, [OUT]; 9:
#elif MUTANT == STORES_A_WHOLE_FIRST_DOUBLEWORD
#undef STORE_FIRST_A
#define STORE_FIRST_A(f) STORE_A(f, 0); mov 1, STARTED
#elif MUTANT == LAST_BYTES_NOT_STORED
#undef FINISH_A
#define FINISH_A
#elif MUTANT == CHAIN_WITHOUT_FIRST_KEY
#undef JOIN_FIRST_AND_LAST
#define JOIN_FIRST_AND_LAST mov LAST0, FIRST0; mov LAST1, FIRST1
#elif MUTANT == KEEPS_NO_L3
#undef RETURN
#define RETURN restore %g0, 0, %o0; clr %l3; retl; nop
#elif MUTANT == WRONG_MIDDLE_OF_256_BITS
#define aes_kexpand0 aes_kexpand2
#elif MUTANT == DEC_NOT_MIXED
#define aes_dround01 aes_dround01_l
#elif MUTANT == IMPORT_NOT_MIXED
#define aes_eround23 aes_eround23_l
#elif MUTANT == ROUND_11_WITH_KEY_10
#undef K11_01
#define K11_01 K10_01
#elif MUTANT == ANOTHER_POLYNOMIAL
        .macro  mov from, to
        .ifc    \from, 0xc2
        or      %g0, 0xe1, \to
        .else
        or      %g0, \from, \to
        .endif
        .endm
#elif MUTANT == HIGH_PRODUCT_IS_LOW
#define xmulxhi xmulx
#define umulxhi mulx
#elif MUTANT == COUNTER_NOT_WRAPPED
        .macro  srl from, by, to
        .ifnc   \by, 0
        srlx    \from, \by, \to
        .endif
        .endm
#elif MUTANT == COUNTER_NOT_STORED
        .macro  st operands:vararg
        .endm
#elif MUTANT == MIDDLE_PRODUCT_OF_HIGH_HALVES
        .macro  xor one, other, to
        .ifnc   \one\other, %o4%o5
        xorcc   \one, \other, \to
        .endif
        .endm
#elif MUTANT == ANOTHER_CARRY_OF_TWEAKS
        .macro  and one, other, to
        .ifc    \other, 0x87
        andcc   \one, 0x85, \to
        .else
        andcc   \one, \other, \to
        .endif
        .endm
#elif MUTANT == TWEAKS_NOT_TURNED
#define bshuffle faligndata
#elif MUTANT == TWEAKS_IN_ORDER
        .macro  mov from, to
        .ifnc   \from, %l5
        or      %g0, \from, \to
        .endif
        .endm
#elif MUTANT == STEALS_A_BYTE_LESS
        .macro  and one, other, to
        .ifc    \other, 15
        andcc   \one, 14, \to
        .else
        andcc   \one, \other, \to
        .endif
        .endm
#elif MUTANT == FOLDS_LOW_BITS_TOO
        .macro  andn one, other, to
        .ifc    \other, 3
        or      %g0, \one, \to
        .else
        andncc  \one, \other, \to
        .endif
        .endm
#elif MUTANT != CONTROL
#error "no such mutant"
#endif

#include SOURCE
