// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The flat functions of public key by java.lang.foreign. They take long, so they are no critical calls
 * and work on copies outside the heap, which are wiped.
 */
final class PkCalls {
  // One class a handle, as in Calls.

  private static final class Make {
    static final MethodHandle CALL = Calls.slowFunction("hrj_pk_new", "JIIAI");
  }

  private static final class Free {
    static final MethodHandle CALL = Calls.slowFunction("hrj_pk_free", "VJ");
  }

  private static final class OutLength {
    static final MethodHandle CALL = Calls.slowFunction("hrj_pk_out_len", "IJ");
  }

  private static final class Run {
    static final MethodHandle CALL = Calls.slowFunction("hrj_pk_run", "IJIIIIIAIAIAI");
  }

  private static final class Generate {
    static final MethodHandle CALL = Calls.slowFunction("hrj_pk_generate", "IIIJAI");
  }

  private static final class NamedKeys {
    static final MethodHandle CALL = Calls.slowFunction("hrj_accel_list", "IAI");
  }

  private static final class NamedPublic {
    static final MethodHandle CALL = Calls.slowFunction("hrj_accel_public", "IAIAI");
  }

  private static final class NamedOpen {
    static final MethodHandle CALL = Calls.slowFunction("hrj_accel_open", "JAIII");
  }

  private PkCalls() {}

  private static MemorySegment copy(Arena arena, byte[] array, int at, int len) {
    if (array == null) return MemorySegment.NULL;
    MemorySegment copy = arena.allocate(Math.max(len, 1));
    MemorySegment.copy(array, at, copy, ValueLayout.JAVA_BYTE, 0, len);
    return copy;
  }

  private static int length(byte[] array) {
    return array == null ? 0 : array.length;
  }

  private static void giveBack(byte[] array, MemorySegment from, int len) {
    if (len > 0) MemorySegment.copy(from, ValueLayout.JAVA_BYTE, 0, array, 0, len);
    from.fill((byte) 0);
  }

  static long make(int algorithm, int isPrivate, byte[] parts, int len) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = copy(arena, parts, 0, len);
      long key = (long) Make.CALL.invokeExact(algorithm, isPrivate, copy, len);
      copy.fill((byte) 0);
      return key;
    } catch (Throwable t) {
      throw Calls.fault(t);
    }
  }

  static void free(long key) {
    try {
      Free.CALL.invokeExact(key);
    } catch (Throwable t) {
      throw Calls.fault(t);
    }
  }

  static int outLength(long key) {
    try {
      return (int) OutLength.CALL.invokeExact(key);
    } catch (Throwable t) {
      throw Calls.fault(t);
    }
  }

  static int run(
      long key, int op, int padding, int digest, int mgfDigest, int saltLen, byte[] label,
      byte[] out, byte[] in, int at, int len) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment to = copy(arena, out, 0, length(out));
      MemorySegment from = copy(arena, in, at, len);
      MemorySegment name = copy(arena, label, 0, length(label));
      int result =
          (int)
              Run.CALL.invokeExact(
                  key, op, padding, digest, mgfDigest, saltLen, name, length(label), to, length(out),
                  from, len);
      if (out != null) giveBack(out, to, result);
      from.fill((byte) 0);
      return result;
    } catch (Throwable t) {
      throw Calls.fault(t);
    }
  }

  static int generate(int algorithm, int bits, long exponent, byte[] out) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment to = arena.allocate(out.length);
      int result = (int) Generate.CALL.invokeExact(algorithm, bits, exponent, to, out.length);
      giveBack(out, to, result);
      return result;
    } catch (Throwable t) {
      throw Calls.fault(t);
    }
  }

  static int namedKeys(byte[] out) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment to = arena.allocate(out.length);
      int result = (int) NamedKeys.CALL.invokeExact(to, out.length);
      giveBack(out, to, result);
      return result;
    } catch (Throwable t) {
      throw Calls.fault(t);
    }
  }

  static int namedPublic(byte[] name, byte[] out) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment to = arena.allocate(out.length);
      MemorySegment from = copy(arena, name, 0, name.length);
      int result = (int) NamedPublic.CALL.invokeExact(from, name.length, to, out.length);
      giveBack(out, to, result);
      return result;
    } catch (Throwable t) {
      throw Calls.fault(t);
    }
  }

  static long namedOpen(byte[] name, int algorithm, int outLength) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = copy(arena, name, 0, name.length);
      return (long) NamedOpen.CALL.invokeExact(from, name.length, algorithm, outLength);
    } catch (Throwable t) {
      throw Calls.fault(t);
    }
  }
}
