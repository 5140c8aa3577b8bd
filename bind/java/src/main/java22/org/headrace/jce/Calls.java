// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;

/** The flat functions by java.lang.foreign: critical calls, which take arrays where they lie. */
@SuppressWarnings("restricted") // to call native functions is what this class is for
final class Calls {
  private static final SymbolLookup LIBRARY =
      SymbolLookup.libraryLookup(java.nio.file.Path.of(Library.path()), Arena.global());

  private static final MethodHandle VERSION = function("hrj_version", "I");
  private static final MethodHandle ALGORITHM = function("hrj_algorithm", "IAI");
  private static final MethodHandle NEW = function("hrj_new", "JI");
  private static final MethodHandle COPY = function("hrj_copy", "JJ");
  private static final MethodHandle FREE = function("hrj_free", "VJ");
  private static final MethodHandle SET_KEY = function("hrj_set_key", "IJAI");
  private static final MethodHandle START = function("hrj_start", "IJIAII");
  private static final MethodHandle AAD = function("hrj_aad", "IJAI");
  private static final MethodHandle UPDATE = function("hrj_update", "IJAIAI");
  private static final MethodHandle FINISH = function("hrj_finish", "IJAI");
  private static final MethodHandle ONCE = function("hrj_once", "IJIAIIAIAIAI");
  private static final MethodHandle DIGEST_START = function("hrj_digest_start", "IAI");
  private static final MethodHandle DIGEST_UPDATE = function("hrj_digest_update", "IAAI");
  private static final MethodHandle DIGEST_FINISH = function("hrj_digest_finish", "IAIA");

  private Calls() {}

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

  private static MemorySegment part(byte[] array, long at) {
    if (array == null) return MemorySegment.ofAddress(at);
    return at == 0 ? MemorySegment.ofArray(array) : MemorySegment.ofArray(array).asSlice(at);
  }

  /** What a call threw: none does, so this is a fault of the machine or of this class. */
  private static AssertionError fault(Throwable thrown) {
    return new AssertionError(thrown);
  }

  static int version() {
    try {
      return (int) VERSION.invokeExact();
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int algorithm(byte[] name, int len) {
    try {
      return (int) ALGORITHM.invokeExact(part(name, 0), len);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static long make(int algorithm) {
    try {
      return (long) NEW.invokeExact(algorithm);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static long copy(long object) {
    try {
      return (long) COPY.invokeExact(object);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static void free(long object) {
    try {
      FREE.invokeExact(object);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int setKey(long object, byte[] key, int len) {
    try {
      return (int) SET_KEY.invokeExact(object, part(key, 0), len);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int start(long object, int op, byte[] iv, int ivLen, int extra) {
    try {
      return (int) START.invokeExact(object, op, part(iv, 0), ivLen, extra);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int aad(long object, byte[] aad, long at, int len) {
    try {
      return (int) AAD.invokeExact(object, part(aad, at), len);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int update(
      long object, byte[] out, long outAt, int room, byte[] in, long inAt, int len) {
    try {
      return (int) UPDATE.invokeExact(object, part(out, outAt), room, part(in, inAt), len);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int finish(long object, byte[] out, long outAt, int room) {
    try {
      return (int) FINISH.invokeExact(object, part(out, outAt), room);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int once(
      long object, int op, byte[] iv, int ivLen, int extra, byte[] aad, int aadLen,
      byte[] out, long outAt, int room, byte[] in, long inAt, int len) {
    try {
      return (int)
          ONCE.invokeExact(
              object, op, part(iv, 0), ivLen, extra, part(aad, 0), aadLen, part(out, outAt), room,
              part(in, inAt), len);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int digestStart(long[] state, int algorithm) {
    try {
      return (int) DIGEST_START.invokeExact(MemorySegment.ofArray(state), algorithm);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int digestUpdate(long[] state, byte[] in, long at, int len) {
    try {
      return (int) DIGEST_UPDATE.invokeExact(MemorySegment.ofArray(state), part(in, at), len);
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static int digestFinish(long[] state, int algorithm, byte[] out, long at) {
    try {
      return (int)
          DIGEST_FINISH.invokeExact(MemorySegment.ofArray(state), algorithm, part(out, at));
    } catch (Throwable t) {
      throw fault(t);
    }
  }

  static long address(ByteBuffer buffer) {
    return MemorySegment.ofBuffer(buffer.duplicate().clear()).address();
  }
}
