// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A block of memory that each side gets a copy of, and two places in it: input, and room for output,
 * which may overlap. As buffers they lie in an array, with an offset, or outside the heap.
 */
record Memory(byte[] content, int in, int length, int out, int room, boolean direct, boolean readOnly) {
  /** One side's copy. */
  final class Copy {
    final byte[] array = content.clone();
    private final ByteBuffer whole;

    Copy() {
      if (direct) {
        whole = ByteBuffer.allocateDirect(content.length);
        whole.put(content).clear();
      } else {
        whole = ByteBuffer.wrap(array);
      }
    }

    private ByteBuffer at(int from, int size) {
      ByteBuffer buffer = from % 2 == 0 ? whole.duplicate() : whole.slice(from, size);
      return from % 2 == 0 ? buffer.limit(from + size).position(from) : buffer;
    }

    ByteBuffer input() {
      ByteBuffer buffer = at(in, length);
      return readOnly ? buffer.asReadOnlyBuffer() : buffer;
    }

    ByteBuffer output() {
      return at(out, room);
    }

    /** What lies in the block now. */
    byte[] now() {
      byte[] bytes = new byte[content.length];
      whole.duplicate().clear().get(bytes);
      return bytes;
    }
  }

  Copy copy() {
    return new Copy();
  }

  byte[] input() {
    return Arrays.copyOfRange(content, in, in + length);
  }

  /** Input of any length, or the bytes given, and room for `needed` bytes or a little less or more. */
  static Memory any(Dice dice, byte[] given, int needed, boolean overlap) {
    int length = given == null ? dice.length() : given.length;
    int room = Math.max(0, length + needed + (dice.oneIn(6) ? dice.below(40) - 30 : 0));
    int in = dice.below(20), out = in + length + dice.below(20), size = out + room + dice.below(8);
    if (overlap) {
      out = dice.oneIn(2) ? in : Math.max(0, in + dice.below(40) - 20);
      size = Math.max(in + length, out + room) + dice.below(8);
    }
    byte[] content = dice.bytes(size);
    if (given != null) System.arraycopy(given, 0, content, in, length);
    // A buffer that may only be read shows no array, by which the JDK would see that both overlap.
    return new Memory(content, in, length, out, room, dice.oneIn(2), !overlap && dice.oneIn(3));
  }
}
