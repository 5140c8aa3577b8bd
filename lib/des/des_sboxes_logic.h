/* SPDX-License-Identifier: Apache-2.0 */
/* The S-boxes of DES as netlists of gates of two inputs, each proved in tests/des_sboxes.c.
 * Who includes this has defined TARGET, attributes of functions, V, a type of vectors, and
 * on it AND(a, b), OR(a, b), XOR(a, b), ANDN(a, b), which is ~a & b, and NOT(a). What a box
 * answers is XORed into *o1 to *o4. Only outputs are complemented, those that are 1 at
 * input 0: where NOT(a) is a, a box answers what it answers XOR that at input 0.
 * Written by tools/gen/des_emit from tools/gen/des_logic.txt. */
#pragma once

/* clang-format off */

/* 50 gates before the outputs; at most 15 signals are wanted at one time. */
static inline __attribute__((always_inline)) TARGET void
des_s1(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)
{
    const V t8 = XOR(a4, a6);
    const V t1 = XOR(a4, a1);
    const V t2 = XOR(a3, t1);
    const V t3 = AND(t2, a3);
    const V t4 = XOR(t2, a6);
    const V t7 = ANDN(t2, a2);
    const V t5 = ANDN(t3, t4);
    const V t10 = ANDN(t8, OR(t7, a1));
    const V t11 = OR(t10, t5);
    const V t12 = OR(t2, t11);
    const V t15 = XOR(a2, t11);
    const V t13 = ANDN(t7, t12);
    const V t14 = ANDN(a6, t13);
    const V t17 = XOR(t14, XOR(a5, t15));
    const V t20 = AND(a6, a3);
    const V t29 = AND(t5, a5);
    const V t30 = XOR(t13, t29);
    const V t6 = OR(a2, t5);
    const V t18 = XOR(t6, t17);
    const V t19 = ANDN(t18, t3);
    const V t21 = XOR(t20, t18);
    const V t34 = ANDN(t21, a3);
    const V t22 = AND(a5, t21);
    const V t23 = XOR(t19, t22);
    const V t44 = XOR(t15, t22);
    *o3 = XOR(*o3, NOT(t44));
    const V t25 = XOR(t19, AND(a1, t23));
    const V t26 = OR(t1, t25);
    const V t37 = XOR(t21, t10);
    const V t28 = ANDN(t23, a2);
    const V t27 = ANDN(a2, t26);
    const V t48 = OR(a2, ANDN(t37, a6));
    const V t38 = XOR(t37, t30);
    const V t49 = XOR(t48, t34);
    const V t32 = XOR(t28, XOR(t27, t30));
    *o2 = XOR(*o2, NOT(t32));
    const V t35 = XOR(ANDN(t27, t32), t34);
    const V t39 = XOR(t21, t35);
    const V t36 = XOR(t35, t15);
    const V t41 = XOR(t38, AND(t39, a4));
    const V t42 = ANDN(a1, t41);
    const V t43 = XOR(t36, t42);
    const V t46 = OR(t29, AND(t42, t6));
    const V t50 = XOR(t46, t49);
    *o1 = XOR(*o1, NOT(t43));
    *o4 = XOR(*o4, t50);
}

/* 47 gates before the outputs; at most 14 signals are wanted at one time. */
static inline __attribute__((always_inline)) TARGET void
des_s2(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)
{
    const V t1 = OR(a2, a5);
    const V t4 = XOR(AND(t1, a4), a2);
    const V t9 = XOR(a6, a3);
    const V t6 = ANDN(AND(t4, a3), a6);
    const V t11 = XOR(a5, t4);
    const V t7 = XOR(a1, t6);
    const V t2 = ANDN(a1, t1);
    const V t8 = ANDN(a6, a2);
    const V t27 = XOR(t7, a2);
    const V t12 = XOR(OR(t9, t8), t11);
    const V t13 = XOR(t1, a6);
    const V t14 = OR(t12, t13);
    const V t29 = XOR(t14, a4);
    const V t35 = XOR(t13, t29);
    const V t15 = ANDN(t8, t14);
    const V t21 = AND(t2, t12);
    const V t16 = ANDN(t15, t11);
    const V t30 = XOR(t16, t29);
    const V t23 = XOR(t2, a5);
    const V t17 = XOR(a3, t16);
    const V t34 = ANDN(t17, a5);
    const V t18 = XOR(t1, t17);
    const V t19 = XOR(t7, t18);
    const V t20 = ANDN(t2, t19);
    const V t22 = XOR(t20, t21);
    *o1 = XOR(*o1, NOT(t22));
    const V t24 = ANDN(t22, t23);
    const V t26 = OR(t18, ANDN(t24, a6));
    const V t36 = XOR(t35, t19);
    const V t28 = ANDN(t26, t27);
    const V t37 = XOR(t34, t36);
    const V t31 = ANDN(t28, t30);
    const V t46 = XOR(t28, t24);
    const V t38 = XOR(t1, t37);
    const V t40 = OR(t24, t37);
    const V t47 = XOR(t46, t35);
    *o4 = XOR(*o4, NOT(t47));
    const V t32 = XOR(t31, t15);
    const V t41 = XOR(t40, t32);
    const V t33 = AND(t8, t32);
    const V t42 = AND(t38, t20);
    const V t39 = XOR(t33, t38);
    const V t43 = ANDN(t42, a3);
    *o2 = XOR(*o2, NOT(t39));
    const V t45 = XOR(OR(t41, t43), t31);
    *o3 = XOR(*o3, NOT(t45));
}

/* 47 gates before the outputs; at most 15 signals are wanted at one time. */
static inline __attribute__((always_inline)) TARGET void
des_s3(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)
{
    const V t2 = XOR(a4, a3);
    const V t1 = ANDN(a2, a3);
    const V t3 = XOR(a5, t2);
    const V t4 = ANDN(t3, t2);
    const V t5 = XOR(t4, a6);
    const V t9 = AND(t1, a5);
    const V t10 = OR(a6, t9);
    const V t6 = XOR(a4, t5);
    const V t11 = ANDN(t4, t10);
    const V t7 = XOR(a2, t6);
    const V t12 = XOR(t6, t11);
    const V t16 = XOR(t10, t3);
    const V t18 = XOR(t3, t6);
    const V t13 = OR(XOR(t1, t7), t12);
    const V t14 = ANDN(a1, t13);
    const V t15 = XOR(t1, t14);
    const V t17 = XOR(t15, t16);
    *o1 = XOR(*o1, NOT(t17));
    const V t20 = OR(t15, a2);
    const V t21 = ANDN(a3, t20);
    const V t28 = AND(OR(a6, t21), a4);
    const V t36 = AND(a3, t2);
    const V t19 = ANDN(t18, a2);
    const V t35 = OR(t19, XOR(t16, a1));
    const V t40 = AND(t20, t35);
    const V t37 = OR(t35, t36);
    const V t41 = ANDN(t14, t40);
    const V t22 = OR(t19, t21);
    const V t33 = OR(a1, t21);
    const V t23 = ANDN(t6, t22);
    const V t25 = OR(ANDN(t16, t23), a1);
    const V t45 = XOR(t28, OR(t18, t23));
    const V t30 = ANDN(t9, ANDN(t22, t28));
    const V t46 = ANDN(t45, a1);
    const V t26 = XOR(t7, t25);
    const V t38 = XOR(t26, t37);
    const V t47 = XOR(t7, t46);
    *o4 = XOR(*o4, t47);
    const V t31 = XOR(t26, t30);
    const V t39 = AND(a5, t38);
    const V t32 = XOR(t31, t2);
    *o2 = XOR(*o2, t32);
    const V t43 = XOR(t33, XOR(t39, t41));
    *o3 = XOR(*o3, NOT(t43));
}

/* 33 gates before the outputs; at most 11 signals are wanted at one time. */
static inline __attribute__((always_inline)) TARGET void
des_s4(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)
{
    const V t1 = ANDN(a3, a4);
    const V t3 = XOR(ANDN(t1, a5), a3);
    const V t11 = XOR(a2, a4);
    const V t4 = XOR(a4, t3);
    const V t6 = ANDN(AND(t4, a5), a1);
    const V t7 = OR(t1, t6);
    const V t8 = XOR(a2, t7);
    const V t9 = XOR(t3, t8);
    const V t16 = ANDN(t8, t4);
    const V t12 = OR(t11, t8);
    const V t14 = XOR(a5, AND(t9, t12));
    const V t10 = XOR(t9, a1);
    const V t28 = XOR(t12, a1);
    const V t30 = XOR(t28, ANDN(t14, a6));
    const V t31 = XOR(t4, t30);
    *o3 = XOR(*o3, NOT(t31));
    const V t19 = OR(a2, t4);
    const V t15 = XOR(a2, t14);
    const V t33 = XOR(t31, XOR(a6, t14));
    *o4 = XOR(*o4, NOT(t33));
    const V t18 = ANDN(t10, OR(t15, t16));
    const V t24 = ANDN(t11, XOR(t18, t7));
    const V t20 = ANDN(t18, t19);
    const V t22 = XOR(ANDN(a6, t20), t15);
    const V t25 = XOR(t22, t24);
    const V t27 = XOR(XOR(a6, t25), t20);
    *o1 = XOR(*o1, t27);
    *o2 = XOR(*o2, NOT(t25));
}

/* 49 gates before the outputs; at most 15 signals are wanted at one time. */
static inline __attribute__((always_inline)) TARGET void
des_s5(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)
{
    const V t1 = XOR(a5, a1);
    const V t2 = XOR(t1, a6);
    const V t3 = OR(t1, a3);
    const V t4 = ANDN(t2, t3);
    const V t6 = XOR(a2, ANDN(t3, a1));
    const V t10 = XOR(a2, t1);
    const V t11 = ANDN(t10, a6);
    const V t7 = XOR(a6, t6);
    const V t12 = OR(t7, a2);
    const V t14 = XOR(a1, XOR(t12, t11));
    const V t16 = XOR(t6, AND(t11, t14));
    const V t41 = AND(a3, t6);
    const V t17 = ANDN(t14, a3);
    const V t18 = XOR(t16, t17);
    const V t20 = OR(AND(t18, t12), a4);
    const V t8 = XOR(a3, t1);
    const V t21 = XOR(XOR(t7, t8), t20);
    *o2 = XOR(*o2, t21);
    const V t23 = OR(a5, XOR(t21, a4));
    const V t24 = XOR(a4, t23);
    const V t31 = XOR(t17, ANDN(a6, t24));
    const V t26 = XOR(t4, AND(a2, t24));
    const V t40 = AND(a4, t17);
    const V t42 = XOR(t41, t26);
    const V t28 = OR(OR(a5, t26), t14);
    const V t29 = AND(a4, t28);
    const V t43 = XOR(t42, t29);
    const V t33 = ANDN(t8, t29);
    const V t44 = OR(t43, t33);
    const V t34 = XOR(t14, t33);
    const V t45 = XOR(t40, t44);
    *o4 = XOR(*o4, t45);
    const V t32 = XOR(t29, t31);
    const V t35 = AND(t31, t34);
    const V t46 = ANDN(t10, t45);
    const V t37 = ANDN(OR(a3, t35), t18);
    const V t38 = XOR(t32, t37);
    *o3 = XOR(*o3, NOT(t38));
    const V t47 = XOR(XOR(t38, t21), t46);
    const V t49 = XOR(OR(t47, t35), t1);
    *o1 = XOR(*o1, t49);
}

/* 46 gates before the outputs; at most 14 signals are wanted at one time. */
static inline __attribute__((always_inline)) TARGET void
des_s6(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)
{
    const V t8 = OR(a4, a1);
    const V t1 = XOR(a5, a1);
    const V t2 = XOR(t1, a4);
    const V t9 = ANDN(a6, t8);
    const V t4 = XOR(a2, AND(t2, a5));
    const V t10 = XOR(t9, t4);
    const V t12 = ANDN(t1, OR(t10, a1));
    const V t13 = XOR(t10, t12);
    const V t18 = ANDN(t12, a3);
    const V t14 = ANDN(t13, t2);
    const V t29 = XOR(t4, AND(t8, t14));
    const V t43 = ANDN(t29, a2);
    const V t5 = XOR(t2, t4);
    const V t15 = XOR(t14, a3);
    const V t16 = XOR(t15, a1);
    const V t6 = ANDN(a3, t5);
    const V t17 = ANDN(t5, t16);
    const V t44 = XOR(t18, t13);
    const V t20 = OR(t17, XOR(t15, t18));
    const V t21 = ANDN(t15, a5);
    const V t22 = OR(t20, t21);
    const V t25 = ANDN(t21, t2);
    const V t26 = XOR(t22, t6);
    const V t23 = AND(a6, t22);
    const V t24 = XOR(XOR(t6, t2), t23);
    *o1 = XOR(*o1, NOT(t24));
    const V t27 = ANDN(t26, t13);
    const V t45 = ANDN(t27, t44);
    const V t36 = ANDN(t2, t13);
    const V t46 = OR(t43, t45);
    *o4 = XOR(*o4, t46);
    const V t33 = XOR(t27, t15);
    const V t30 = ANDN(t27, t29);
    const V t34 = XOR(a6, t33);
    const V t32 = ANDN(a4, XOR(t25, t30));
    const V t37 = XOR(t36, t34);
    const V t35 = XOR(t32, t34);
    *o2 = XOR(*o2, NOT(t35));
    const V t39 = OR(ANDN(t37, a5), t29);
    const V t41 = ANDN(t4, XOR(t15, t39));
    const V t42 = XOR(t41, t37);
    *o3 = XOR(*o3, t42);
}

/* 45 gates before the outputs; at most 14 signals are wanted at one time. */
static inline __attribute__((always_inline)) TARGET void
des_s7(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)
{
    const V t2 = XOR(a5, a4);
    const V t3 = XOR(t2, a6);
    const V t5 = XOR(t2, a2);
    const V t25 = XOR(a1, t5);
    const V t23 = AND(a2, a3);
    const V t26 = ANDN(a6, t25);
    const V t7 = XOR(ANDN(t5, a4), a2);
    const V t15 = ANDN(ANDN(a6, a3), t7);
    const V t4 = XOR(a3, t3);
    const V t8 = XOR(t4, t7);
    const V t1 = ANDN(a2, a4);
    const V t9 = XOR(t8, t1);
    const V t16 = XOR(t15, t9);
    const V t11 = ANDN(ANDN(t9, a4), a6);
    const V t13 = XOR(t1, ANDN(t11, t3));
    const V t21 = AND(a1, a6);
    const V t35 = AND(t4, t11);
    const V t41 = AND(OR(t4, t21), t9);
    const V t22 = ANDN(t8, t21);
    const V t28 = AND(t11, a2);
    const V t42 = XOR(a1, t41);
    const V t18 = XOR(XOR(t13, t16), a5);
    const V t24 = XOR(t18, t23);
    const V t36 = ANDN(a5, t13);
    const V t19 = OR(t13, t18);
    const V t27 = XOR(t24, t26);
    const V t44 = ANDN(t3, XOR(t36, a2));
    const V t45 = XOR(t42, t44);
    *o4 = XOR(*o4, t45);
    const V t30 = ANDN(XOR(t27, t28), a1);
    const V t20 = AND(a1, t19);
    const V t31 = XOR(t16, t30);
    const V t38 = XOR(t36, XOR(t8, t20));
    const V t32 = ANDN(t22, t31);
    const V t39 = XOR(t35, t38);
    const V t33 = XOR(t20, t32);
    const V t34 = XOR(t31, t27);
    *o3 = XOR(*o3, t39);
    *o2 = XOR(*o2, NOT(t34));
    *o1 = XOR(*o1, t33);
}

/* 42 gates before the outputs; at most 12 signals are wanted at one time. */
static inline __attribute__((always_inline)) TARGET void
des_s8(V a1, V a2, V a3, V a4, V a5, V a6, V *o1, V *o2, V *o3, V *o4)
{
    const V t13 = OR(a5, a1);
    const V t4 = XOR(a5, a2);
    const V t28 = ANDN(a6, a1);
    const V t9 = ANDN(a2, a3);
    const V t2 = XOR(a4, ANDN(a3, a5));
    const V t3 = XOR(a3, t2);
    const V t6 = XOR(a1, XOR(t3, t4));
    const V t10 = ANDN(t9, t2);
    const V t29 = ANDN(t10, t28);
    const V t11 = AND(a2, t10);
    const V t16 = ANDN(a2, a5);
    const V t21 = XOR(t9, t6);
    const V t12 = XOR(t9, t11);
    const V t14 = AND(t12, t13);
    const V t18 = ANDN(t14, XOR(t12, t16));
    const V t19 = XOR(t18, a6);
    const V t20 = ANDN(a1, t19);
    const V t22 = OR(t20, t21);
    const V t31 = XOR(t29, XOR(t6, t20));
    *o2 = XOR(*o2, NOT(t31));
    const V t24 = ANDN(t11, XOR(t3, t22));
    const V t26 = OR(a6, XOR(a4, t24));
    const V t7 = OR(t6, a5);
    const V t38 = XOR(t7, t3);
    const V t32 = ANDN(a1, a4);
    const V t15 = XOR(XOR(t7, a1), t14);
    const V t27 = XOR(t15, t26);
    const V t33 = AND(t22, t27);
    const V t35 = XOR(a5, ANDN(t33, t19));
    *o1 = XOR(*o1, NOT(t27));
    const V t37 = XOR(t6, OR(t32, t35));
    *o3 = XOR(*o3, t37);
    const V t40 = XOR(t38, ANDN(t33, t35));
    const V t42 = XOR(t15, AND(a6, t40));
    *o4 = XOR(*o4, NOT(t42));
}
