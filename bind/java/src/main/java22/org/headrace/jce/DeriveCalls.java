// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Key derivation by java.lang.foreign, on copies outside the heap, which are wiped. */
final class DeriveCalls {
  private static final MethodHandle PBKDF2 = Calls.slowFunction("hrj_pbkdf2", "IIAIAIJAI");
  private static final MethodHandle EXTRACT = Calls.slowFunction("hrj_hkdf_extract", "IIAIAIAI");
  private static final MethodHandle EXPAND = Calls.slowFunction("hrj_hkdf_expand", "IIAIAIAI");

  private DeriveCalls() {}

  private static MemorySegment copy(Arena arena, byte[] array) {
    MemorySegment copy = arena.allocate(Math.max(array.length, 1));
    MemorySegment.copy(array, 0, copy, ValueLayout.JAVA_BYTE, 0, array.length);
    return copy;
  }

  private static void finish(MemorySegment first, MemorySegment second, MemorySegment from, byte[] out) {
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, 0, out, 0, out.length);
    for (MemorySegment segment : new MemorySegment[] {first, second, from}) segment.fill((byte) 0);
  }

  static int pbkdf2(int algorithm, byte[] password, byte[] salt, long iterations, byte[] out) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment first = copy(arena, password);
      MemorySegment second = copy(arena, salt);
      MemorySegment result = arena.allocate(out.length);
      int n =
          (int)
              PBKDF2.invokeExact(
                  algorithm, first, password.length, second, salt.length, iterations, result, out.length);
      finish(first, second, result, out);
      return n;
    } catch (Throwable t) {
      throw Calls.fault(t);
    }
  }

  static int hkdfExtract(int algorithm, byte[] salt, byte[] ikm, byte[] out) {
    return hkdf(EXTRACT, algorithm, salt, ikm, out);
  }

  static int hkdfExpand(int algorithm, byte[] prk, byte[] info, byte[] out) {
    return hkdf(EXPAND, algorithm, prk, info, out);
  }

  private static int hkdf(MethodHandle function, int algorithm, byte[] a, byte[] b, byte[] out) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment first = copy(arena, a);
      MemorySegment second = copy(arena, b);
      MemorySegment result = arena.allocate(out.length);
      int n = (int) function.invokeExact(algorithm, first, a.length, second, b.length, result, out.length);
      finish(first, second, result, out);
      return n;
    } catch (Throwable t) {
      throw Calls.fault(t);
    }
  }
}
