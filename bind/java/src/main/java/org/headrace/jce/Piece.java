// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.IntSupplier;

/**
 * A piece of memory as {@link Calls} takes it: an array and where in it the piece begins; or, without
 * an array, the address of a direct buffer, which the piece keeps reachable. With both, the array's bytes
 * are to be copied into the buffer.
 */
record Piece(byte[] array, long at, int length, ByteBuffer direct) {
  static final Piece EMPTY = new Piece(new byte[0], 0, 0, null);

  static Piece of(byte[] array, int at, int length) {
    return length == 0 ? EMPTY : new Piece(array, at, length, null);
  }

  /** What remains of a buffer, without a change to it; a copy of it if it does not lie where it can be used. */
  static Piece toRead(ByteBuffer buffer) {
    ByteBuffer own = buffer.slice(); // whose place no other thread changes
    return isUsable(own) ? inPlace(own) : copy(own);
  }

  /** What remains of a buffer that is not read-only, or as much of it as a call writes at most. */
  static Piece toWrite(ByteBuffer buffer, IntSupplier most) {
    ByteBuffer own = buffer.slice();
    if (isUsable(own)) return inPlace(own);
    int length = Math.min(own.limit(), Math.max(0, most.getAsInt()));
    return new Piece(new byte[length], 0, length, own);
  }

  /** Whether a call can use a direct buffer where it lies: no other thread can free its memory meanwhile. */
  static boolean isNative(ByteBuffer buffer) {
    return buffer.isDirect() && Calls.isLasting(buffer);
  }

  private static boolean isUsable(ByteBuffer own) {
    return own.hasArray() || isNative(own);
  }

  private static Piece inPlace(ByteBuffer own) {
    if (own.limit() == 0) return EMPTY;
    return own.hasArray()
        ? new Piece(own.array(), own.arrayOffset(), own.limit(), null)
        : new Piece(null, address(own), own.limit(), own);
  }

  /**
   * Where a direct buffer's memory begins. It is looked at first: a buffer of an arena throws if that was
   * closed, or is another thread's.
   */
  private static long address(ByteBuffer own) {
    own.get(0);
    return Calls.address(own);
  }

  private static Piece copy(ByteBuffer own) {
    byte[] copy = new byte[own.limit()];
    own.get(0, copy);
    return of(copy, 0, copy.length);
  }

  /** Puts the first `len` bytes, which were written, where they belong. */
  void deliver(int len) {
    if (array == null || direct == null) return;
    direct.put(0, array, 0, len);
    Arrays.fill(array, (byte) 0);
  }

  /** The first `len` bytes. */
  Piece first(int len) {
    return len == length ? this : new Piece(array, at, len, direct);
  }

  /** All but the first `len` bytes. */
  Piece rest(int len) {
    return new Piece(
        array, at + len, length - len, direct == null ? null : direct.slice(len, length - len));
  }

  private boolean touches(Piece out, int len) {
    return array == out.array && at < out.at + len && out.at < at + length;
  }

  /** This piece, or a copy of it if an output of `len` bytes touches it and begins at another place. */
  Piece apartFrom(Piece out, int len) {
    return at != out.at && touches(out, len) ? copy() : this;
  }

  /** This piece, or a copy of it if an output of `len` bytes touches it. */
  Piece untouchedBy(Piece out, int len) {
    return touches(out, len) ? copy() : this;
  }

  private Piece copy() {
    byte[] copy = new byte[length];
    copyTo(copy, 0);
    return of(copy, 0, length);
  }

  void copyTo(byte[] to, int toAt) {
    if (array != null) System.arraycopy(array, (int) at, to, toAt, length);
    else direct.get(0, to, toAt, length);
  }

  /** Takes the first `len` bytes of an array. */
  void take(byte[] from, int len) {
    if (array != null) System.arraycopy(from, 0, array, (int) at, len);
    else direct.put(0, from, 0, len);
  }

  /** Zeroes the first `len` bytes. */
  void wipe(int len) {
    if (array != null) Arrays.fill(array, (int) at, (int) at + len, (byte) 0);
    else direct.put(0, new byte[len]);
  }
}
