/* SPDX-License-Identifier: Apache-2.0 */
/* Made by tools/gen/aes_circuits.py, which has the derivation: AES's S-box and its inverse, both
 * without the constant 0x63, as circuits on eight planes: q[j] has bit j of many bytes. */
/* clang-format off */

/* SubBytes: 110 gates. */
INLINE TARGET void sub_planes(vec q[8])
{
    const vec t0 = q[0] ^ q[5], t1 = q[3] ^ q[4], t2 = q[2] ^ q[5], t3 = q[3] ^ t0,
        t4 = q[4] ^ q[5], t5 = q[6] ^ t4, t6 = t2 ^ t3, t7 = t5 ^ t6, t8 = q[7] ^ t7,
        t9 = q[1] ^ t1, t10 = t5 ^ t9, t11 = q[7] ^ t10, t12 = q[0] ^ t11, t13 = q[6] ^ t9,
        t14 = q[2] ^ t11, t15 = q[3] ^ t14, t16 = q[5] ^ t11, t17 = q[4] ^ t16, t18 = t7 ^ t11,
        t19 = t7 ^ t13, t20 = t14 | t13, t21 = t16 & ~t4, t22 = t2 & t10, t23 = q[3] & t19,
        t24 = t0 & t17, t25 = t3 & t8, t26 = t15 & ~t7, t27 = t11 & ~t12, t28 = t6 | t18,
        t29 = t20 ^ t26, t30 = t23 ^ t28, t31 = t21 ^ t27, t32 = t29 ^ t31, t33 = t22 ^ t28,
        t34 = t29 ^ t33, t35 = t24 ^ t26, t36 = t30 ^ t35, t37 = t25 ^ t27, t38 = t30 ^ t37,
        t39 = t34 ^ t1, t40 = t36 ^ t5, t41 = t32 ^ t39, t42 = t40 ^ t38, t43 = t32 & ~t40,
        t44 = t39 & ~t38, t45 = t41 | t42, t46 = t43 ^ t45, t47 = t43 ^ t44, t48 = t47 ^ t40,
        t49 = t46 ^ t48, t50 = t48 & t40, t51 = t46 & t42, t52 = t49 & t38, t53 = t50 ^ t52,
        t54 = t50 ^ t51, t55 = t51 ^ t52, t56 = t48 & t32, t57 = t46 & t41, t58 = t49 & t39,
        t59 = t56 ^ t57, t60 = t57 ^ t58, t61 = t56 ^ t58, t62 = t53 ^ t59, t63 = t54 ^ t60,
        t64 = t55 ^ t61, t65 = t53 & t14, t66 = t54 & t16, t67 = t55 & t2, t68 = t59 & q[3],
        t69 = t60 & t0, t70 = t61 & t3, t71 = t62 & t15, t72 = t63 & t12, t73 = t64 & t6,
        t74 = t53 & t13, t75 = t54 & t4, t76 = t55 & t10, t77 = t59 & t19, t78 = t60 & t17,
        t79 = t61 & t8, t80 = t62 & t7, t81 = t63 & t11, t82 = t64 & t18, t83 = t80 ^ t82,
        t84 = t81 ^ t82, t85 = t79 ^ t77, t86 = t78 ^ t77, t87 = t75 ^ t76, t88 = t74 ^ t76,
        t89 = t67 ^ t65, t90 = t66 ^ t65, t91 = t86 ^ t88, t92 = t83 ^ t88, t93 = t87 ^ t84,
        t94 = t85 ^ t84, t95 = t71 ^ t92, t96 = t90 ^ t95, t97 = t72 ^ t94, t98 = t70 ^ t97,
        t99 = t96 ^ t97, t100 = t93 ^ t99, t101 = t69 ^ t100, t102 = t91 ^ t100,
        t103 = t94 ^ t102, t104 = t95 ^ t98, t105 = t73 ^ t98, t106 = t104 ^ t101,
        t107 = t89 ^ t101, t108 = t68 ^ t107, t109 = t105 ^ t107;
    q[0] = t103, q[1] = t91, q[2] = t92, q[3] = t106, q[4] = t102, q[5] = t99, q[6] = t108,
        q[7] = t109;
}

/* InvSubBytes: 111 gates. */
INLINE TARGET void inv_sub_planes(vec q[8])
{
    const vec t0 = q[2] ^ q[5], t1 = q[0] ^ q[5], t2 = q[0] ^ t0, t3 = q[4] ^ q[5],
        t4 = q[1] ^ t3, t5 = q[2] ^ t4, t6 = t2 ^ t3, t7 = q[1] ^ t1, t8 = q[3] ^ q[5],
        t9 = q[4] ^ t2, t10 = q[7] ^ t5, t11 = t9 ^ t10, t12 = q[3] ^ t4, t13 = t10 ^ t12,
        t14 = t9 ^ t13, t15 = q[6] ^ t8, t16 = t9 ^ t15, t17 = t10 ^ t16, t18 = t12 ^ t16,
        t19 = t11 ^ t18, t20 = t7 & t10, t21 = t1 & t17, t22 = q[1] & ~t16, t23 = t5 & ~t11,
        t24 = q[2] | t18, t25 = t4 & t19, t26 = t6 & ~t9, t27 = t2 | t13, t28 = t3 & t14,
        t29 = t21 ^ t26, t30 = t24 ^ t26, t31 = t20 ^ t28, t32 = t29 ^ t31, t33 = t22 ^ t27,
        t34 = t29 ^ t33, t35 = t23 ^ t28, t36 = t30 ^ t35, t37 = t25 ^ t27, t38 = t30 ^ t37,
        t39 = t32 ^ t0, t40 = t38 ^ t8, t41 = t34 ^ t39, t42 = t40 ^ t36, t43 = t36 & ~t34,
        t44 = t42 & ~t39, t45 = t41 | t40, t46 = t43 ^ t45, t47 = t44 ^ t45, t48 = t47 ^ t34,
        t49 = t46 ^ t48, t50 = t46 & t40, t51 = t48 & t42, t52 = t49 & t36, t53 = t51 ^ t52,
        t54 = t50 ^ t52, t55 = t50 ^ t51, t56 = t46 & t34, t57 = t48 & t41, t58 = t49 & t39,
        t59 = t57 ^ t58, t60 = t56 ^ t58, t61 = t56 ^ t57, t62 = t53 ^ t59, t63 = t54 ^ t60,
        t64 = t55 ^ t61, t65 = t53 & t7, t66 = t54 & t1, t67 = t55 & q[1], t68 = t59 & t5,
        t69 = t60 & q[2], t70 = t61 & t4, t71 = t62 & t6, t72 = t63 & t2, t73 = t64 & t3,
        t74 = t53 & t10, t75 = t54 & t17, t76 = t55 & t16, t77 = t59 & t11, t78 = t60 & t18,
        t79 = t61 & t19, t80 = t62 & t9, t81 = t63 & t13, t82 = t64 & t14, t83 = t75 ^ t76,
        t84 = t74 ^ t76, t85 = t78 ^ t77, t86 = t79 ^ t77, t87 = t86 ^ t84, t88 = t69 ^ t71,
        t89 = t66 ^ t71, t90 = t65 ^ t89, t91 = t67 ^ t89, t92 = t80 ^ t81, t93 = t82 ^ t81,
        t94 = t92 ^ t83, t95 = t85 ^ t83, t96 = t70 ^ t91, t97 = t72 ^ t91, t98 = t68 ^ t73,
        t99 = t90 ^ t73, t100 = t86 ^ t97, t101 = t84 ^ t93, t102 = t99 ^ t93,
        t103 = t100 ^ t102, t104 = t95 ^ t102, t105 = t87 ^ t104, t106 = t88 ^ t104,
        t107 = t98 ^ t106, t108 = t96 ^ t106, t109 = t94 ^ t108, t110 = t87 ^ t109;
    q[0] = t109, q[1] = t105, q[2] = t110, q[3] = t101, q[4] = t107, q[5] = t108, q[6] = t103,
        q[7] = t97;
}
/* clang-format on */
