/* SPDX-License-Identifier: Apache-2.0 */
/* S7 and S9 of KASUMI (3GPP TS 35.202 section 4.5) over planes of bits, without their constants;
 * proved against the tables in tests/kasumi.c.  Who includes this has defined V, a type of words,
 * INLINE and TARGET, attributes of functions, and XOR2(a, b), XOR3(a, b, c), MUL(a, b): a & b,
 * ADDMUL(c, a, b): c ^ (a & b).
 * Written by tools/gen/kasumi_sboxes.py. */
#pragma once

/* 62 gates; S7(0) = 54 is left to the caller. */
INLINE TARGET void kasumi_s7(V y[7], const V x[7])
{
    const V t0 = XOR2(x[2], x[5]);
    const V t1 = ADDMUL(x[4], x[4], x[5]);
    const V t2 = ADDMUL(t1, x[3], x[6]);
    const V t3 = ADDMUL(t2, t0, x[0]);
    const V t4 = ADDMUL(x[6], x[3], x[5]);
    const V t5 = ADDMUL(x[1], x[3], x[4]);
    const V t6 = ADDMUL(t5, x[0], x[5]);
    const V t7 = ADDMUL(t6, t4, x[2]);
    const V t8 = ADDMUL(t7, t3, x[1]);
    const V t9 = XOR3(x[2], x[3], x[5]);
    const V t10 = ADDMUL(t9, x[2], x[4]);
    const V t11 = ADDMUL(t10, x[3], x[6]);
    const V t12 = XOR2(x[3], x[6]);
    const V t13 = ADDMUL(x[5], t12, x[1]);
    const V t14 = ADDMUL(t13, x[5], x[6]);
    const V t15 = ADDMUL(x[2], x[4], x[5]);
    const V t16 = ADDMUL(t15, t5, x[6]);
    const V t17 = ADDMUL(t16, t14, x[2]);
    const V t18 = ADDMUL(t17, t11, x[0]);
    const V t19 = ADDMUL(x[4], x[0], x[6]);
    const V t20 = ADDMUL(t19, x[1], x[5]);
    const V t21 = XOR2(x[1], x[4]);
    const V t22 = ADDMUL(t21, x[3], x[5]);
    const V t23 = ADDMUL(x[3], x[4], x[5]);
    const V t24 = XOR2(x[5], x[6]);
    const V t25 = ADDMUL(t24, t23, x[6]);
    const V t26 = ADDMUL(t25, t22, x[0]);
    const V t27 = ADDMUL(t26, t20, x[2]);
    const V t28 = ADDMUL(t12, x[3], x[4]);
    const V t29 = ADDMUL(t28, x[2], x[5]);
    const V t30 = ADDMUL(t29, x[1], x[6]);
    const V t31 = ADDMUL(t12, x[1], x[4]);
    const V t32 = ADDMUL(x[0], x[4], x[6]);
    const V t33 = ADDMUL(t32, x[1], x[5]);
    const V t34 = ADDMUL(t33, t31, x[2]);
    const V t35 = ADDMUL(t34, t30, x[0]);
    const V t36 = XOR3(x[0], x[1], x[3]);
    const V t37 = ADDMUL(t36, x[1], x[5]);
    const V t38 = ADDMUL(t37, t0, x[4]);
    const V t39 = ADDMUL(x[3], x[0], x[4]);
    const V t40 = ADDMUL(x[2], x[3], x[4]);
    const V t41 = XOR3(x[4], x[5], x[6]);
    const V t42 = ADDMUL(t41, t40, x[5]);
    const V t43 = ADDMUL(t42, t39, x[1]);
    const V t44 = ADDMUL(t43, t38, x[6]);
    const V t45 = XOR2(x[1], x[5]);
    const V t46 = ADDMUL(t0, t45, x[4]);
    const V t47 = ADDMUL(t46, x[3], x[6]);
    const V t48 = XOR3(x[3], x[4], x[6]);
    const V t49 = ADDMUL(t48, x[3], x[5]);
    const V t50 = ADDMUL(x[6], x[2], x[4]);
    const V t51 = ADDMUL(x[3], x[5], x[6]);
    const V t52 = ADDMUL(t51, t50, x[3]);
    const V t53 = ADDMUL(t52, t49, x[1]);
    const V t54 = ADDMUL(t53, t47, x[0]);
    const V t55 = ADDMUL(t0, t12, x[0]);
    const V t56 = ADDMUL(t55, x[4], x[6]);
    const V t57 = ADDMUL(x[4], x[5], x[6]);
    const V t58 = MUL(x[3], x[6]);
    const V t59 = ADDMUL(t4, t58, x[2]);
    const V t60 = ADDMUL(t59, t57, x[0]);
    const V t61 = ADDMUL(t60, t56, x[1]);
    y[0] = t44;
    y[1] = t27;
    y[2] = t35;
    y[3] = t8;
    y[4] = t54;
    y[5] = t18;
    y[6] = t61;
}

/* 61 gates; S9(0) = 167 is left to the caller. */
INLINE TARGET void kasumi_s9(V y[9], const V x[9])
{
    const V t0 = XOR3(x[2], x[6], x[8]);
    const V t1 = XOR2(x[0], x[7]);
    const V t2 = XOR2(x[3], x[6]);
    const V t3 = XOR2(x[2], x[7]);
    const V t4 = XOR2(x[0], x[5]);
    const V t5 = ADDMUL(t4, t3, x[4]);
    const V t6 = ADDMUL(t5, t2, x[0]);
    const V t7 = ADDMUL(t6, t1, x[8]);
    const V t8 = ADDMUL(t7, t0, x[1]);
    const V t9 = XOR3(t1, x[1], x[8]);
    const V t10 = XOR3(x[1], x[5], x[7]);
    const V t11 = XOR2(x[3], x[8]);
    const V t12 = ADDMUL(x[2], x[5], x[8]);
    const V t13 = ADDMUL(t12, t11, x[7]);
    const V t14 = ADDMUL(t13, t10, x[4]);
    const V t15 = ADDMUL(t14, t9, x[6]);
    const V t16 = XOR3(t9, x[2], x[7]);
    const V t17 = ADDMUL(x[3], x[4], x[8]);
    const V t18 = ADDMUL(t17, x[0], x[2]);
    const V t19 = ADDMUL(t18, t0, x[5]);
    const V t20 = ADDMUL(t19, t16, x[7]);
    const V t21 = XOR3(x[1], x[2], x[3]);
    const V t22 = XOR2(x[3], x[7]);
    const V t23 = ADDMUL(x[4], x[1], x[3]);
    const V t24 = ADDMUL(t23, t22, x[6]);
    const V t25 = ADDMUL(t24, t10, x[0]);
    const V t26 = ADDMUL(t25, t21, x[8]);
    const V t27 = XOR3(t4, x[2], x[6]);
    const V t28 = XOR2(x[2], x[3]);
    const V t29 = ADDMUL(t3, t28, x[8]);
    const V t30 = ADDMUL(t29, t2, x[4]);
    const V t31 = ADDMUL(t30, x[2], x[5]);
    const V t32 = ADDMUL(t31, t27, x[1]);
    const V t33 = XOR3(t0, x[1], x[4]);
    const V t34 = XOR2(x[1], x[7]);
    const V t35 = ADDMUL(t1, x[4], x[6]);
    const V t36 = ADDMUL(t35, t34, x[8]);
    const V t37 = ADDMUL(t36, t0, x[3]);
    const V t38 = ADDMUL(t37, t33, x[5]);
    const V t39 = XOR3(t3, x[3], x[5]);
    const V t40 = XOR3(x[3], x[5], x[8]);
    const V t41 = XOR2(x[1], x[8]);
    const V t42 = ADDMUL(t41, x[5], x[7]);
    const V t43 = ADDMUL(t42, t22, x[4]);
    const V t44 = ADDMUL(t43, t40, x[0]);
    const V t45 = ADDMUL(t44, t39, x[6]);
    const V t46 = XOR2(x[0], x[1]);
    const V t47 = XOR3(x[0], x[3], x[8]);
    const V t48 = XOR2(x[1], x[6]);
    const V t49 = ADDMUL(t48, t22, x[2]);
    const V t50 = ADDMUL(t49, t1, x[1]);
    const V t51 = ADDMUL(t50, t47, x[5]);
    const V t52 = ADDMUL(t51, t46, x[4]);
    const V t53 = XOR3(x[0], x[1], x[7]);
    const V t54 = XOR3(t53, x[3], x[6]);
    const V t55 = XOR2(x[1], x[3]);
    const V t56 = ADDMUL(t11, x[5], x[7]);
    const V t57 = ADDMUL(t56, x[3], x[6]);
    const V t58 = ADDMUL(t57, t55, x[0]);
    const V t59 = ADDMUL(t58, x[4], x[5]);
    const V t60 = ADDMUL(t59, t54, x[2]);
    y[0] = t20;
    y[1] = t52;
    y[2] = t45;
    y[3] = t8;
    y[4] = t26;
    y[5] = t15;
    y[6] = t38;
    y[7] = t60;
    y[8] = t32;
}
