// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** The flat functions by java.lang.foreign: critical calls, which take arrays where they lie. */
@SuppressWarnings("restricted") // to call native functions is what this class is for
final class Linked {
  private static final SymbolLookup LIBRARY = SymbolLookup.loaderLookup(); // Natives has loaded it

  // Each handle has a class of its own, and so is made when it is first used: that takes milliseconds.

  private static final class New {
    static final MethodHandle CALL = function("hrj_new", "JI");
  }

  private static final class Copy {
    static final MethodHandle CALL = function("hrj_copy", "JJ");
  }

  private static final class Free {
    static final MethodHandle CALL = function("hrj_free", "VJ");
  }

  private static final class SetKey {
    static final MethodHandle CALL = function("hrj_set_key", "IJAI");
  }

  private static final class Start {
    static final MethodHandle CALL = function("hrj_start", "IJIAII");
  }

  private static final class Aad {
    static final MethodHandle CALL = function("hrj_aad", "IJAJI");
  }

  private static final class Lengths {
    static final MethodHandle CALL = function("hrj_lengths", "IJJJ");
  }

  private static final class Update {
    static final MethodHandle CALL = function("hrj_update", "IJAJIAJI");
  }

  private static final class Finish {
    static final MethodHandle CALL = function("hrj_finish", "IJAJI");
  }

  private static final class Once {
    static final MethodHandle CALL = function("hrj_once", "IJIAIIAIAJIAJI");
  }

  private static final class Seal {
    static final MethodHandle CALL = function("hrj_seal", "JAI");
  }

  private static final class SetSealed {
    static final MethodHandle CALL = function("hrj_set_sealed", "IJAIJ");
  }

  private static final class OnceSealed {
    static final MethodHandle CALL = function("hrj_once_sealed", "IIAIJIAIIAIAJIAJI");
  }

  private static final class DigestStart {
    static final MethodHandle CALL = function("hrj_digest_start", "IAI");
  }

  private static final class DigestUpdate {
    static final MethodHandle CALL = function("hrj_digest_update", "IAAJI");
  }

  private static final class DigestFinish {
    static final MethodHandle CALL = function("hrj_digest_finish", "IAIAJ");
  }

  private Linked() {}

  /**
   * A handle of a function whose result and arguments are named by letters: I an int, J a long or an
   * object, A an address, V nothing.
   */
  private static MethodHandle function(String name, String types) {
    MemoryLayout[] arguments = new MemoryLayout[types.length() - 1];
    for (int i = 0; i < arguments.length; i++) arguments[i] = layout(types.charAt(i + 1));
    FunctionDescriptor descriptor =
        types.charAt(0) == 'V'
            ? FunctionDescriptor.ofVoid(arguments)
            : FunctionDescriptor.of(layout(types.charAt(0)), arguments);
    MemorySegment address =
        LIBRARY.find(name).orElseThrow(() -> new UnsatisfiedLinkError("no function " + name));
    return Linker.nativeLinker().downcallHandle(address, descriptor, Linker.Option.critical(true));
  }

  private static MemoryLayout layout(char type) {
    return switch (type) {
      case 'I' -> ValueLayout.JAVA_INT;
      case 'J' -> ValueLayout.JAVA_LONG;
      default -> ValueLayout.ADDRESS;
    };
  }

  private static final byte[] NONE = {};
  private static final MemorySegment NULL = MemorySegment.NULL;

  /**
   * An array; without one, one of no bytes. Most calls use this, and no other kind of segment: where two
   * kinds could meet, or where more than these few methods make a segment, the compiler makes it on
   * the heap, and that takes longer than a short message.
   */
  private static MemorySegment of(byte[] array) {
    return MemorySegment.ofArray(array == null ? NONE : array);
  }

  /** An array; without one, the address 0, to which that of a direct buffer is added. */
  private static MemorySegment any(byte[] array) {
    return array == null ? MemorySegment.NULL : MemorySegment.ofArray(array);
  }

  /** The error for what a call threw: none does, so the JVM has a fault, such as a full stack, or this class. */
  private static AssertionError fault(Throwable thrown) {
    if (thrown instanceof Error e) throw e;
    return new AssertionError(thrown);
  }

  static long make(int algorithm) {
    try {
      return (long) New.CALL.invokeExact(algorithm);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static long copy(long object) {
    try {
      return (long) Copy.CALL.invokeExact(object);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static void free(long object) {
    try {
      Free.CALL.invokeExact(object);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int setKey(long object, byte[] key, int len) {
    try {
      return (int) SetKey.CALL.invokeExact(object, of(key), len);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int start(long object, int op, byte[] iv, int ivLen, int extra) {
    try {
      return (int) Start.CALL.invokeExact(object, op, of(iv), ivLen, extra);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int aad(long object, byte[] aad, long at, int len) {
    try {
      if (aad == null) return (int) Aad.CALL.invokeExact(object, MemorySegment.NULL, at, len);
      return (int) Aad.CALL.invokeExact(object, of(aad), at, len);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int lengths(long object, long aadLen, long len) {
    try {
      return (int) Lengths.CALL.invokeExact(object, aadLen, len);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int update(
      long object, byte[] out, long outAt, int room, byte[] in, long inAt, int len) {
    try {
      if (out == null && outAt != 0 || in == null)
        return (int) Update.CALL.invokeExact(object, any(out), outAt, room, any(in), inAt, len);
      return (int) Update.CALL.invokeExact(object, of(out), outAt, room, of(in), inAt, len);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int finish(long object, byte[] out, long outAt, int room) {
    try {
      if (out == null)
        return (int) Finish.CALL.invokeExact(object, MemorySegment.NULL, outAt, room);
      return (int) Finish.CALL.invokeExact(object, of(out), outAt, room);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  /**
   * A whole message: a call for each kind of its memory. So this method has more than 325 bytes of bytecode,
   * the most that HotSpot inlines (FreqInlineSize), and that is wanted: inlined into programs that call
   * {@code Cipher}, the constructors of segments would lie deeper than it inlines (MaxInlineLevel), and it would
   * then make four segments and their sessions on the heap for each message.
   */
  static int once(
      long object, int op, byte[] iv, int ivLen, int extra, byte[] aad, int aadLen,
      byte[] out, long outAt, int room, byte[] in, long inAt, int len) {
    try {
      if (aad == null) {
        if (out != null && in != null)
          return (int)
              Once.CALL.invokeExact(
                  object, op, of(iv), ivLen, extra, NULL, aadLen,
                  of(out), outAt, room, of(in), inAt, len);
        if (out != null)
          return (int)
              Once.CALL.invokeExact(
                  object, op, of(iv), ivLen, extra, NULL, aadLen,
                  of(out), outAt, room, NULL, inAt, len);
        if (in != null)
          return (int)
              Once.CALL.invokeExact(
                  object, op, of(iv), ivLen, extra, NULL, aadLen,
                  NULL, outAt, room, of(in), inAt, len);
        return (int)
            Once.CALL.invokeExact(
                object, op, of(iv), ivLen, extra, NULL, aadLen,
                NULL, outAt, room, NULL, inAt, len);
      }
      if (out != null && in != null)
        return (int)
            Once.CALL.invokeExact(
                object, op, of(iv), ivLen, extra, of(aad), aadLen,
                of(out), outAt, room, of(in), inAt, len);
      if (out != null)
        return (int)
            Once.CALL.invokeExact(
                object, op, of(iv), ivLen, extra, of(aad), aadLen,
                of(out), outAt, room, NULL, inAt, len);
      if (in != null)
        return (int)
            Once.CALL.invokeExact(
                object, op, of(iv), ivLen, extra, of(aad), aadLen,
                NULL, outAt, room, of(in), inAt, len);
      return (int)
          Once.CALL.invokeExact(
              object, op, of(iv), ivLen, extra, of(aad), aadLen,
              NULL, outAt, room, NULL, inAt, len);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static long seal(byte[] key, int len) {
    try {
      return (long) Seal.CALL.invokeExact(of(key), len);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int setSealed(long object, byte[] sealed, int len, long number) {
    try {
      return (int) SetSealed.CALL.invokeExact(object, of(sealed), len, number);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int onceSealed(
      int algorithm, byte[] sealed, int keyLen, long number,
      int op, byte[] iv, int ivLen, int extra, byte[] aad, int aadLen,
      byte[] out, long outAt, int room, byte[] in, long inAt, int len) {
    try {
      if (out == null || in == null)
        return (int)
            OnceSealed.CALL.invokeExact(
                algorithm, of(sealed), keyLen, number, op, of(iv), ivLen, extra, of(aad), aadLen,
                any(out), outAt, room, any(in), inAt, len);
      return (int)
          OnceSealed.CALL.invokeExact(
              algorithm, of(sealed), keyLen, number, op, of(iv), ivLen, extra, of(aad), aadLen,
              of(out), outAt, room, of(in), inAt, len);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int digestStart(long[] state, int algorithm) {
    try {
      return (int) DigestStart.CALL.invokeExact(MemorySegment.ofArray(state), algorithm);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int digestUpdate(long[] state, byte[] in, long at, int len) {
    try {
      if (in == null)
        return (int)
            DigestUpdate.CALL.invokeExact(MemorySegment.ofArray(state), MemorySegment.NULL, at, len);
      return (int) DigestUpdate.CALL.invokeExact(MemorySegment.ofArray(state), of(in), at, len);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int digestFinish(long[] state, int algorithm, byte[] out, long at) {
    try {
      return (int)
          DigestFinish.CALL.invokeExact(MemorySegment.ofArray(state), algorithm, of(out), at);
    } catch (Throwable t) {
      throw fault(t);
    }
  }
}
