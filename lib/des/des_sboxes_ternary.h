/* SPDX-License-Identifier: Apache-2.0 */
/* The S-boxes of DES as netlists of ternary gates, each proved in tests/des_sboxes.c.
 * Who includes this has defined TARGET, attributes of functions, V, a type of vectors, and
 * T3(a, b, c, imm), which is bit a << 2 | b << 1 | c of imm (x86's vpternlog). What a box
 * answers is XORed into *o1 to *o4.
 * Written by tools/gen/des_emit from tools/gen/des_ternary.txt. */
#pragma once

/* clang-format off */

/* 22 gates before the outputs; at most 14 signals are wanted at one time. */
static inline __attribute__((always_inline)) TARGET void
des_s1(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)
{
    const V t1 = T3(a6, a5, a1, 0x96);
    const V t2 = T3(a4, a6, a5, 0x79);
    const V t3 = T3(a3, t2, a5, 0xc2);
    const V t4 = T3(t1, a3, t3, 0x76);
    const V t5 = T3(a4, t4, a1, 0x9e);
    const V t6 = T3(t5, a3, t1, 0x96);
    const V t7 = T3(t6, t2, t1, 0x97);
    const V t8 = T3(t3, a1, t7, 0x07);
    const V t9 = T3(a4, a5, t8, 0xb8);
    const V t18 = T3(t9, a1, t6, 0x47);
    const V t10 = T3(t9, t2, a1, 0x95);
    const V t12 = T3(t8, t10, a3, 0xc6);
    const V t15 = T3(t6, t10, a5, 0xe6);
    const V t11 = T3(t10, t7, a2, 0x45);
    *o1 = T3(*o1, t4, t11, 0x96);
    const V t13 = T3(a6, t12, t1, 0xcb);
    const V t14 = T3(a5, t13, t7, 0x76);
    const V t16 = T3(t3, t14, t15, 0x1d);
    const V t17 = T3(t16, a2, t12, 0x8b);
    *o2 = T3(*o2, t1, t17, 0xa5);
    const V t22 = T3(t2, t18, a2, 0x91);
    const V t19 = T3(t15, t18, t14, 0xb0);
    const V t20 = T3(a2, t7, t19, 0x9e);
    const V t21 = T3(t1, a3, t20, 0xbe);
    *o3 = T3(*o3, t14, t20, 0x69);
    *o4 = T3(*o4, t21, t22, 0x4b);
}

/* 22 gates before the outputs; at most 14 signals are wanted at one time. */
static inline __attribute__((always_inline)) TARGET void
des_s2(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)
{
    const V t2 = T3(a6, a3, a2, 0x3e);
    const V t3 = T3(a5, a4, a2, 0x92);
    const V t1 = T3(a5, a6, a2, 0xc9);
    const V t8 = T3(a2, a4, t2, 0xeb);
    const V t4 = T3(t2, t3, a4, 0xc3);
    const V t5 = T3(t1, t4, a2, 0x35);
    const V t7 = T3(t3, t5, a3, 0x65);
    const V t9 = T3(t8, t7, t1, 0x64);
    const V t11 = T3(t7, t9, a5, 0x93);
    const V t6 = T3(t1, t5, a4, 0x95);
    const V t12 = T3(t11, a1, t6, 0x96);
    const V t13 = T3(a5, a2, a6, 0xbc);
    const V t14 = T3(a2, a1, t9, 0x96);
    const V t10 = T3(t4, a1, t9, 0xb8);
    *o1 = T3(*o1, t6, t10, 0x5a);
    const V t15 = T3(a5, a1, t10, 0x82);
    const V t16 = T3(t14, a6, t15, 0x90);
    const V t19 = T3(t10, t4, t16, 0xb6);
    const V t20 = T3(a4, t19, a1, 0x4d);
    const V t22 = T3(t9, t16, t15, 0xdb);
    *o4 = T3(*o4, t6, t22, 0x69);
    const V t17 = T3(a5, t13, t16, 0xec);
    const V t18 = T3(t13, t15, t12, 0xea);
    const V t21 = T3(t18, a3, t20, 0xb8);
    *o3 = T3(*o3, t5, t21, 0x69);
    *o2 = T3(*o2, t12, t17, 0x69);
}

/* 23 gates before the outputs; at most 13 signals are wanted at one time. */
static inline __attribute__((always_inline)) TARGET void
des_s3(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)
{
    const V t1 = T3(a5, a4, a3, 0x69);
    const V t8 = T3(a4, a2, a3, 0xe2);
    const V t5 = T3(a5, t1, a2, 0xa9);
    const V t6 = T3(t5, a3, a6, 0x96);
    const V t2 = T3(t1, a3, a2, 0x4b);
    const V t3 = T3(a4, t1, t2, 0x4d);
    const V t7 = T3(t1, t6, a2, 0xe9);
    const V t9 = T3(t7, t6, t8, 0x19);
    const V t4 = T3(t3, t2, a6, 0xd8);
    const V t10 = T3(t9, t4, t7, 0x43);
    const V t11 = T3(a1, t10, t4, 0xf9);
    *o1 = T3(*o1, t4, t11, 0x69);
    const V t14 = T3(t11, t8, a3, 0x9a);
    const V t15 = T3(a6, t14, a4, 0x5d);
    const V t16 = T3(t2, t15, a3, 0x74);
    const V t12 = T3(a3, t7, t4, 0x08);
    const V t23 = T3(t7, t15, a1, 0xd7);
    *o4 = T3(*o4, t23, t6, 0x69);
    const V t13 = T3(t6, t12, a1, 0xe9);
    const V t18 = T3(t4, a2, t8, 0xca);
    const V t20 = T3(a2, t4, t8, 0x97);
    const V t19 = T3(a1, t14, t18, 0xac);
    const V t17 = T3(t14, t16, a4, 0x9b);
    *o2 = T3(*o2, t13, t17, 0x69);
    const V t21 = T3(t10, t13, t20, 0xb1);
    const V t22 = T3(t19, t21, a5, 0xd2);
    *o3 = T3(*o3, a4, t22, 0x5a);
}

/* 14 gates before the outputs; at most 10 signals are wanted at one time. */
static inline __attribute__((always_inline)) TARGET void
des_s4(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)
{
    const V t1 = T3(a5, a3, a4, 0x49);
    const V t2 = T3(a4, a1, t1, 0x7c);
    const V t3 = T3(a3, t1, t2, 0xa8);
    const V t4 = T3(a4, a2, t3, 0xbe);
    const V t5 = T3(t3, a2, t1, 0x96);
    const V t6 = T3(a5, t4, t5, 0xb4);
    const V t7 = T3(t1, t4, a1, 0x96);
    const V t8 = T3(t6, t7, a2, 0x7a);
    const V t9 = T3(t8, t5, a1, 0x60);
    const V t10 = T3(t1, a2, t9, 0xba);
    const V t11 = T3(a4, a2, t9, 0x4d);
    const V t12 = T3(t11, t10, a6, 0xd2);
    const V t13 = T3(t12, t6, t4, 0x96);
    *o2 = T3(*o2, t10, t13, 0x69);
    *o1 = T3(*o1, t13, a6, 0x69);
    const V t14 = T3(t7, a6, t6, 0x87);
    *o4 = T3(*o4, t14, t6, 0x69);
    *o3 = T3(*o3, a6, t14, 0x69);
}

/* 24 gates before the outputs; at most 13 signals are wanted at one time. */
static inline __attribute__((always_inline)) TARGET void
des_s5(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)
{
    const V t1 = T3(a6, a4, a3, 0x9a);
    const V t2 = T3(a5, t1, a1, 0x69);
    const V t3 = T3(a3, t2, t1, 0x9c);
    const V t8 = T3(t2, a5, a4, 0x2e);
    const V t4 = T3(a5, a1, t3, 0x43);
    const V t14 = T3(a6, a1, t4, 0x4f);
    const V t15 = T3(a5, a3, t14, 0x9b);
    const V t5 = T3(a4, t4, a3, 0x96);
    const V t6 = T3(a6, t5, a2, 0x69);
    const V t10 = T3(t5, t8, t4, 0x93);
    const V t7 = T3(t1, a1, t6, 0xc2);
    const V t16 = T3(t7, a2, t8, 0x48);
    const V t17 = T3(t15, t16, a1, 0x96);
    const V t9 = T3(t4, t8, a3, 0x94);
    const V t11 = T3(t9, t10, t6, 0xe4);
    const V t18 = T3(t17, t7, t3, 0xc7);
    const V t12 = T3(t3, t7, t11, 0xb4);
    const V t24 = T3(a4, t6, t12, 0x3a);
    const V t13 = T3(t12, a2, a3, 0xa4);
    const V t19 = T3(t7, a2, t18, 0x99);
    *o3 = T3(*o3, a3, t19, 0x5a);
    const V t21 = T3(t8, t13, t19, 0xd2);
    const V t22 = T3(t11, t21, t14, 0xe4);
    const V t20 = T3(t13, t19, t4, 0xc2);
    const V t23 = T3(t20, t22, t18, 0xc1);
    *o1 = T3(*o1, t23, t22, 0x5a);
    *o4 = T3(*o4, t23, t24, 0x96);
    *o2 = T3(*o2, t24, t24, 0x87);
}

/* 22 gates before the outputs; at most 13 signals are wanted at one time. */
static inline __attribute__((always_inline)) TARGET void
des_s6(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)
{
    const V t3 = T3(a4, a1, a1, 0x41);
    const V t1 = T3(a5, a4, a1, 0x69);
    const V t2 = T3(a5, t1, a2, 0x65);
    const V t4 = T3(a6, t2, t3, 0xc9);
    const V t5 = T3(a1, a5, t4, 0x94);
    const V t9 = T3(t2, a3, t1, 0xb8);
    const V t7 = T3(a3, t3, a5, 0xe9);
    const V t10 = T3(a5, t9, t7, 0x34);
    const V t6 = T3(a3, t1, t5, 0x1e);
    const V t8 = T3(a2, t7, t6, 0x3d);
    const V t11 = T3(t1, a4, t6, 0x4e);
    const V t12 = T3(t10, t11, t8, 0xf4);
    const V t13 = T3(t9, a6, t12, 0xb8);
    *o1 = T3(*o1, t8, t13, 0x5a);
    const V t17 = T3(t13, t1, t3, 0xe8);
    const V t18 = T3(t17, t12, t6, 0xd2);
    const V t14 = T3(t12, t5, t6, 0xa6);
    const V t15 = T3(t5, t14, t1, 0x93);
    const V t16 = T3(a4, t8, t15, 0xac);
    const V t20 = T3(t1, t14, t8, 0x3e);
    *o2 = T3(*o2, a6, t16, 0x69);
    const V t19 = T3(t14, t18, t2, 0xd8);
    *o3 = T3(*o3, a6, t19, 0x69);
    const V t21 = T3(t4, t6, t18, 0xcb);
    const V t22 = T3(t20, a3, t21, 0xb8);
    *o4 = T3(*o4, t6, t22, 0x69);
}

/* 21 gates before the outputs; at most 13 signals are wanted at one time. */
static inline __attribute__((always_inline)) TARGET void
des_s7(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)
{
    const V t4 = T3(a2, a4, a5, 0xb4);
    const V t1 = T3(a6, a5, a4, 0x96);
    const V t2 = T3(a6, a3, t1, 0x66);
    const V t10 = T3(a2, a4, t1, 0x7b);
    const V t5 = T3(t1, a2, t4, 0xf1);
    const V t6 = T3(t2, t4, a6, 0xf4);
    const V t3 = T3(t2, a2, a4, 0xd2);
    const V t7 = T3(a6, t6, a3, 0xf7);
    const V t8 = T3(t7, t3, t5, 0xcb);
    const V t12 = T3(a5, t4, t3, 0x8b);
    const V t19 = T3(t3, a6, t4, 0x97);
    const V t21 = T3(t4, a1, t6, 0x86);
    *o4 = T3(*o4, t21, t5, 0x69);
    const V t9 = T3(a5, a6, t8, 0x85);
    const V t13 = T3(t12, a4, t9, 0xb4);
    const V t14 = T3(a6, t9, a3, 0xb0);
    const V t11 = T3(t9, t10, a1, 0xd5);
    const V t20 = T3(t19, t10, t11, 0x95);
    *o3 = T3(*o3, t6, t20, 0x69);
    const V t15 = T3(a2, t8, t14, 0x39);
    const V t16 = T3(t15, a1, t13, 0xb7);
    const V t18 = T3(a1, t14, t16, 0x9f);
    const V t17 = T3(t8, t16, t13, 0xc1);
    *o2 = T3(*o2, t13, t18, 0x69);
    *o1 = T3(*o1, t11, t17, 0x69);
}

/* 20 gates before the outputs; at most 12 signals are wanted at one time. */
static inline __attribute__((always_inline)) TARGET void
des_s8(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)
{
    const V t2 = T3(a3, a5, a2, 0x9a);
    const V t3 = T3(a5, a3, t2, 0xb4);
    const V t4 = T3(t3, a4, a3, 0x94);
    const V t5 = T3(a3, a2, t4, 0xb8);
    const V t6 = T3(t5, a1, a5, 0x86);
    const V t1 = T3(a4, a2, a3, 0x8b);
    const V t7 = T3(t1, t6, a6, 0x96);
    const V t8 = T3(t2, a4, a1, 0x96);
    const V t11 = T3(t6, t8, a5, 0x4b);
    const V t9 = T3(a3, t4, t8, 0xd1);
    const V t10 = T3(t3, t9, t7, 0xc1);
    const V t12 = T3(t10, a6, t11, 0x56);
    *o1 = T3(*o1, a6, t12, 0x5a);
    const V t13 = T3(t7, t8, a1, 0x72);
    const V t16 = T3(t7, t12, t13, 0xca);
    const V t15 = T3(a2, t13, a4, 0xeb);
    const V t17 = T3(t16, a5, t15, 0x93);
    const V t18 = T3(t17, a1, a4, 0xb6);
    *o3 = T3(*o3, t2, t18, 0x69);
    const V t19 = T3(t8, t15, t4, 0x96);
    const V t20 = T3(t19, t11, a6, 0xe4);
    const V t14 = T3(a1, a6, t4, 0xef);
    *o2 = T3(*o2, t13, t14, 0x69);
    *o4 = T3(*o4, a5, t20, 0x5a);
}
