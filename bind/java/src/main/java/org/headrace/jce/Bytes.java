// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.Arrays;

/** Bytes that grow, and are wiped: AAD, and ciphertext of which nothing may be given out yet. */
final class Bytes {
  private static final byte[] NONE = {};

  private byte[] array = NONE;
  private int length;

  byte[] array() {
    return array;
  }

  int length() {
    return length;
  }

  /** The first `len` bytes. */
  Piece first(int len) {
    byte[] all = array; // once: another thread may replace it
    if (len > all.length) throw new IllegalStateException("several threads use this object");
    return Piece.of(all, 0, len);
  }

  /** Makes room for `more` bytes, and returns where they go. */
  private int grow(int more) {
    int at = length;
    int needed = Math.addExact(length, more);
    if (needed > array.length) {
      long twice = 2L * array.length + 64;
      byte[] larger = Arrays.copyOf(array, Math.max(needed, (int) Math.min(twice, Integer.MAX_VALUE - 8)));
      Arrays.fill(array, (byte) 0);
      array = larger;
    }
    length = needed;
    return at;
  }

  void add(byte[] from, int at, int len) {
    if (len == 0) return;
    int to = grow(len); // may replace the array
    System.arraycopy(from, at, array, to, len);
  }

  void add(Piece from) {
    int to = grow(from.length());
    from.copyTo(array, to);
  }

  void clear() {
    if (length > 0) Arrays.fill(array, 0, length, (byte) 0);
    length = 0;
    if (array.length > 1 << 16) array = NONE;
  }
}
