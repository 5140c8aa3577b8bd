/* SPDX-License-Identifier: Apache-2.0 */
/* XTS-AES, IEEE 1619 sections 5.3 and 5.4: out[i] = E(in[i] ^ t x^i) ^ t x^i with t = E2(iv), or
 * D for E, and ciphertext stealing if the length is not a multiple of 16.
 *
 *   int aes_xts_encrypt_t4(uint8_t *out, const uint8_t *in, size_t len, const struct xts_key *key,
 *                          const uint8_t iv[16]);
 *   int aes_xts_decrypt_t4(the same parameters);
 *
 * len >= 16; out is equal to in or does not overlap it; any alignment.
 *
 * Tweaks are kept and doubled as little-endian numbers; bshuffle reverses their bytes when they are
 * added to a block.
 *
 * Registers: those of aes_t4.h, and */
#include "aes_t4.h"

#define TWEAK0 PREV0
#define TWEAK1 PREV1
#define PART NEXT /* bytes behind the last whole block */
#define OTHER0 %l5
#define OTHER1 %l6

#define DOUBLE                       \
        srax    TWEAK1, 63, T;       \
        addcc   TWEAK0, TWEAK0, TWEAK0; \
        addxc   TWEAK1, TWEAK1, TWEAK1; \
        and     T, 0x87, T;          \
        xor     TWEAK0, T, TWEAK0
/* Puts x ^ first ^ tweak into f (`first` is half of the round key that is used first), and the
 * tweak in block order into x; g is a temporary register. */
#define WHITEN(x, first, tweak, f, g) \
        movxtod tweak, g;            \
        bshuffle g, g, g;            \
        xor     x, first, x;         \
        movxtod x, f;                \
        fxor    f, g, f;             \
        movdtox g, x
#define BEFORE_A                     \
        WHITEN(X0, FIRST0, TWEAK0, A0, A2); \
        WHITEN(X1, FIRST1, TWEAK1, A1, A2); \
        DOUBLE
#define BEFORE_B                     \
        WHITEN(X2, FIRST0, TWEAK0, B0, B2); \
        WHITEN(X3, FIRST1, TWEAK1, B1, B2); \
        DOUBLE
#define AFTER_A(d) LAST_OF_A(d, MOVE_XOR, X0, X1)
#define AFTER_B(d) LAST_OF_B(d, MOVE_XOR, X2, X3)
#define AFTER_LAST_A NEXT_IN_A(16) /* also right in version F, which does not use Q */
#define AT_BEGIN

/* Computes the first tweak, and the number of blocks without those of ciphertext stealing. */
#define BEGIN(n)                     \
        LOAD_IV;                     \
        and     NUM, 15, PART;       \
        srlx    NUM, 4, NUM;         \
        sub     NUM, 1, T;           \
        movrnz  PART, T, NUM;        \
        add     KEY, XTS_KEY_TWEAK, Q; \
        ldx     [Q], X0;             \
        ldx     [Q + 8], X1;         \
        MOVE_XOR(X0, PREV0, A0);     \
        MOVE_XOR(X1, PREV1, A1);     \
        mov     n - 1, LEFT;         \
4:      add     Q, 16, Q;            \
        ldd     [Q], B0;             \
        ldd     [Q + 8], B1;         \
        subcc   LEFT, 1, LEFT;       \
        aes_eround01 B0, A0, A1, A2; \
        aes_eround23 B1, A0, A1, A1; \
        bne,pt  %icc, 4b;            \
         fsrc2  A2, A0;              \
        ldd     [Q + 16], B0;        \
        ldd     [Q + 24], B1;        \
        LAST_E(B0, B1, A0, A1, A2, A1); \
        sethi   %hi(0x76543210), T;  \
        or      T, %lo(0x76543210), T; \
        bmask   T, %g0, %g0;         \
        bshuffle A2, A2, A2;         \
        bshuffle A1, A1, A1;         \
        movdtox A2, TWEAK0;          \
        movdtox A1, TWEAK1

#define ONE_BLOCK(d, n)              \
        BEFORE_A;                    \
        MIDDLE_##n(1, d);            \
        AFTER_A(d)
/* Decryption uses the last two tweaks in the opposite order. */
#define BEFORE_WHOLE_E
#define AFTER_WHOLE_E
#define BEFORE_WHOLE_D               \
        mov     TWEAK0, OTHER0;      \
        mov     TWEAK1, OTHER1;      \
        DOUBLE
#define AFTER_WHOLE_D                \
        mov     OTHER0, TWEAK0;      \
        mov     OTHER1, TWEAK1
/* Makes IN and OUT addresses of bytes, after FINISH. */
#define POINT_F
#define POINT_A                      \
        srl     LEFT, 3, LEFT;       \
        add     IN, LEFT, IN;        \
        srl     SHIFT, 3, SHIFT;     \
        add     OUT, SHIFT, OUT
/* Ciphertext stealing of the last whole block and the PART bytes behind it.  The result of the
 * whole block goes to BUFFER; there its first PART bytes are exchanged with the rest of the input,
 * byte by byte. */
#define BUFFER FRAME + 128
#define STEAL(d, n, v)               \
        brz,pt  PART, 7f;            \
         nop;                        \
        LOAD_##v(X0, 0);             \
        LOAD_##v(X1, 8);             \
        POINT_##v;                   \
        BEFORE_WHOLE_##d;            \
        ONE_BLOCK(d, n);             \
        AFTER_WHOLE_##d;             \
        std     A0, [%sp + BUFFER];  \
        std     A1, [%sp + BUFFER + 8]; \
        add     %sp, BUFFER, Q;      \
        add     IN, 16, IN;          \
        add     OUT, 16, RIGHT;      \
5:      sub     PART, 1, PART;       \
        ldub    [IN + PART], X0;     \
        ldub    [Q + PART], X1;      \
        stb     X0, [Q + PART];      \
        brnz,pt PART, 5b;            \
         stb    X1, [RIGHT + PART];  \
        ldx     [Q], X0;             \
        ldx     [Q + 8], X1;         \
        ONE_BLOCK(d, n);             \
        std     A0, [%sp + BUFFER];  \
        std     A1, [%sp + BUFFER + 8]; \
        mov     16, PART;            \
6:      sub     PART, 1, PART;       \
        ldub    [Q + PART], X0;      \
        brnz,pt PART, 6b;            \
         stb    X0, [OUT + PART];    \
        stx     %g0, [%sp + BUFFER]; \
        stx     %g0, [%sp + BUFFER + 8]; \
7:

#define XTS(d, n, v)                 \
        BEGIN(n);                    \
        TWO_AT_ONCE(d, n, v);        \
        STEAL(d, n, v);              \
        WIPE_WINDOW;                 \
        RETURN

KERNEL(aes_xts_encrypt_t4, XTS, E)
KERNEL(aes_xts_decrypt_t4, XTS, D)
        .section .note.GNU-stack, "", %progbits
