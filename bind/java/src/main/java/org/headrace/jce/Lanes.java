// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.util.function.IntFunction;

/**
 * Digests or MACs of many messages, side by side. Messages are gathered until a call is worthwhile;
 * those of arrays are copied, those of direct buffers are not.
 */
final class Lanes {
  /** The most messages a call (MANY_MACS of bind/java/native/many.h), and the longest that is copied. */
  private static final int MOST = 256;

  private static final int LONGEST = 16 * 1024;

  /** Where the tables are: addresses, lengths, and results of 64 bytes at most. */
  private static final int LENGTHS = MOST * Long.BYTES;

  private static final int RESULTS = 2 * LENGTHS;

  /** Computes num results of messages whose addresses and lengths are at these places. */
  interface Function {
    int call(long in, long lengths, int num, long out);
  }

  /** Computes one result of a message that is too long to be copied. */
  interface Alone {
    byte[] call(Piece message);
  }

  private final Scratch scratch;
  private final Function function;
  private final Alone alone;
  private final byte[][] results;
  private final int length;
  private final int[] places = new int[MOST]; // of the messages' results
  private int num;

  private Lanes(Scratch scratch, Function function, Alone alone, int messages, int length) {
    this.scratch = scratch;
    this.function = function;
    this.alone = alone;
    this.length = length;
    results = new byte[messages][];
  }

  /** The results of num messages, which the function of their numbers gives. */
  static byte[][] run(int num, IntFunction<Piece> messages, int length, Function function, Alone alone) {
    Scratch scratch = Scratch.take();
    try {
      Lanes lanes = new Lanes(scratch, function, alone, num, length);
      for (int i = 0; i < num; i++) {
        Piece piece = messages.apply(i);
        if (piece.array() == null) lanes.refer(i, piece.at(), piece.length());
        else lanes.add(i, piece);
      }
      lanes.flush();
      return lanes.results;
    } finally {
      scratch.giveBack();
    }
  }

  private void add(int place, Piece message) {
    int len = message.length();
    if (len > LONGEST) {
      results[place] = alone.call(message);
      return;
    }
    if (!scratch.hasRoom(len)) flush();
    refer(place, scratch.putApart(message.array(), (int) message.at(), len), len);
  }

  private void refer(int place, long address, int len) {
    scratch.memory.putLong(num * Long.BYTES, address);
    scratch.memory.putLong(LENGTHS + num * Long.BYTES, len);
    places[num++] = place;
    if (num == MOST) flush();
  }

  private void flush() {
    if (num == 0) return;
    Errors.check(
        function.call(scratch.address(0), scratch.address(LENGTHS), num, scratch.address(RESULTS)));
    for (int i = 0; i < num; i++) {
      byte[] result = new byte[length];
      scratch.memory.get(RESULTS + i * length, result);
      results[places[i]] = result;
    }
    num = 0;
    scratch.clear();
  }
}
