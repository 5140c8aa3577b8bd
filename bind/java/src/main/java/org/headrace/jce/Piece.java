// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A piece of memory as {@link Calls} takes it: an array and where in it the piece begins; or, without
 * an array, the address of a direct buffer, which the piece keeps reachable.
 */
record Piece(byte[] array, long at, int length, ByteBuffer direct) {
  static final Piece EMPTY = new Piece(new byte[0], 0, 0, null);

  static Piece of(byte[] array, int at, int length) {
    return length == 0 ? EMPTY : new Piece(array, at, length, null);
  }

  /** What remains of a buffer, without a change to it. A heap buffer that is read-only is copied. */
  static Piece toRead(ByteBuffer buffer) {
    return buffer.isDirect() || buffer.hasArray() ? toWrite(buffer) : copy(buffer);
  }

  /** What remains of a buffer that is not read-only, without a change to it. */
  static Piece toWrite(ByteBuffer buffer) {
    int length = buffer.remaining();
    if (length == 0) return EMPTY;
    return buffer.hasArray()
        ? new Piece(buffer.array(), buffer.arrayOffset() + buffer.position(), length, null)
        : new Piece(null, address(buffer), length, buffer.slice());
  }

  /**
   * Where what remains of a direct buffer begins. It is looked at first: a buffer of an arena throws if that
   * was closed, or is another thread's.
   */
  static long address(ByteBuffer buffer) {
    if (buffer.hasRemaining()) buffer.get(buffer.position());
    return Calls.address(buffer) + buffer.position();
  }

  private static Piece copy(ByteBuffer buffer) {
    byte[] copy = new byte[buffer.remaining()];
    buffer.duplicate().get(copy);
    return of(copy, 0, copy.length);
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
