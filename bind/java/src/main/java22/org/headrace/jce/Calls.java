// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;

/**
 * The flat functions of the library, at first by JNI, later by java.lang.foreign. A short message takes
 * 50 ns less by the latter, but to link the first function takes 80 ms and each other one 7, which a
 * short program would lose.
 */
final class Calls {
  /** How many calls there are before functions are linked, each when it is called. */
  private static final int FEW = 20_000;

  // Threads may read these late: either way of a call is right.
  private static int calls;
  private static boolean isLinked;

  private Calls() {}

  private static boolean isLinked() {
    if (isLinked) return true;
    if (++calls > FEW) isLinked = true;
    return isLinked;
  }

  static int version() {
    return Natives.version();
  }

  static long cpu() {
    return Natives.cpu();
  }

  static int algorithm(byte[] name, int len) {
    return Natives.algorithm(name, len);
  }

  static long make(int algorithm) {
    return isLinked() ? Linked.make(algorithm) : Natives.make(algorithm);
  }

  static long copy(long object) {
    return isLinked() ? Linked.copy(object) : Natives.copy(object);
  }

  static void free(long object) {
    if (isLinked()) Linked.free(object);
    else Natives.free(object);
  }

  static long live() {
    return Natives.live();
  }

  static int setKey(long object, byte[] key, int len) {
    return isLinked() ? Linked.setKey(object, key, len) : Natives.setKey(object, key, len);
  }

  static int start(long object, int op, byte[] iv, int ivLen, int extra) {
    return isLinked()
        ? Linked.start(object, op, iv, ivLen, extra)
        : Natives.start(object, op, iv, ivLen, extra);
  }

  static int aad(long object, byte[] aad, long at, int len) {
    return isLinked() ? Linked.aad(object, aad, at, len) : Natives.aad(object, aad, at, len);
  }

  static int lengths(long object, long aadLen, long len) {
    return isLinked() ? Linked.lengths(object, aadLen, len) : Natives.lengths(object, aadLen, len);
  }

  static int update(long object, byte[] out, long outAt, int room, byte[] in, long inAt, int len) {
    return isLinked()
        ? Linked.update(object, out, outAt, room, in, inAt, len)
        : Natives.update(object, out, outAt, room, in, inAt, len);
  }

  static int finish(long object, byte[] out, long outAt, int room) {
    return isLinked() ? Linked.finish(object, out, outAt, room) : Natives.finish(object, out, outAt, room);
  }

  static int once(
      long object, int op, byte[] iv, int ivLen, int extra, byte[] aad, int aadLen,
      byte[] out, long outAt, int room, byte[] in, long inAt, int len) {
    return isLinked()
        ? Linked.once(object, op, iv, ivLen, extra, aad, aadLen, out, outAt, room, in, inAt, len)
        : Natives.once(object, op, iv, ivLen, extra, aad, aadLen, out, outAt, room, in, inAt, len);
  }

  static long seal(byte[] key, int len) {
    return isLinked() ? Linked.seal(key, len) : Natives.seal(key, len);
  }

  static int setSealed(long object, byte[] sealed, int len, long number) {
    return isLinked()
        ? Linked.setSealed(object, sealed, len, number)
        : Natives.setSealed(object, sealed, len, number);
  }

  static int onceSealed(
      int algorithm, byte[] sealed, int keyLen, long number,
      int op, byte[] iv, int ivLen, int extra, byte[] aad, int aadLen,
      byte[] out, long outAt, int room, byte[] in, long inAt, int len) {
    return isLinked()
        ? Linked.onceSealed(
            algorithm, sealed, keyLen, number, op, iv, ivLen, extra,
            aad, aadLen, out, outAt, room, in, inAt, len)
        : Natives.onceSealed(
            algorithm, sealed, keyLen, number, op, iv, ivLen, extra,
            aad, aadLen, out, outAt, room, in, inAt, len);
  }

  static int digestStart(long[] state, int algorithm) {
    return isLinked() ? Linked.digestStart(state, algorithm) : Natives.digestStart(state, algorithm);
  }

  static int digestUpdate(long[] state, byte[] in, long at, int len) {
    return isLinked() ? Linked.digestUpdate(state, in, at, len) : Natives.digestUpdate(state, in, at, len);
  }

  static int digestFinish(long[] state, int algorithm, byte[] out, long at) {
    return isLinked()
        ? Linked.digestFinish(state, algorithm, out, at)
        : Natives.digestFinish(state, algorithm, out, at);
  }

  /**
   * The classes of scopes that no other thread ends, found by examples: Java tells in no other way whether an
   * arena is shared. Memory of a scope of another class may go away during a call, which does not hold it.
   */
  private static final class Lasting {
    static final Set<Class<?>> SCOPES = scopes();

    private static Set<Class<?>> scopes() {
      Set<Class<?>> scopes = new HashSet<>();
      try (Arena own = Arena.ofConfined(); Arena shared = Arena.ofShared()) {
        for (Arena arena : new Arena[] {own, Arena.global(), Arena.ofAuto()}) scopes.add(arena.scope().getClass());
        scopes.add(scope(ByteBuffer.allocateDirect(1)));
        scopes.remove(shared.scope().getClass());
      }
      return scopes;
    }

    static Class<?> scope(ByteBuffer buffer) {
      return MemorySegment.ofBuffer(buffer).scope().getClass();
    }
  }

  /** Whether no other thread can free a direct buffer's memory. */
  static boolean isLasting(ByteBuffer buffer) {
    return Lasting.SCOPES.contains(Lasting.scope(buffer));
  }

  static long address(ByteBuffer buffer) {
    return MemorySegment.ofBuffer(buffer.duplicate().clear()).address();
  }
}
