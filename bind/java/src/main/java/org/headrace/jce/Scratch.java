// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Memory outside the heap through which batches go, since a call that takes long must not hold arrays.
 * It begins with tables, and has the bytes of messages behind them: few enough that they stay in the
 * CPU's second cache between their copying and their use. It is wiped after each batch, and kept for
 * the next.
 */
final class Scratch {
  /** The bytes of tables, and of messages. */
  static final int TABLES = 24 * 1024;

  static final int ROOM = 272 * 1024;

  private static final int LINE = 64; // of the CPU's caches

  private static final ArrayBlockingQueue<Scratch> IDLE = new ArrayBlockingQueue<>(16);

  /** All of it, from the beginning of a cache line on; its tables are written by their places. */
  final ByteBuffer memory =
      ByteBuffer.allocateDirect(TABLES + ROOM + LINE).alignedSlice(LINE).order(ByteOrder.nativeOrder());

  private final long address = Calls.address(memory);
  private int used = TABLES;
  private int most = TABLES; // that was used since it was wiped

  private Scratch() {}

  static Scratch take() {
    Scratch idle = IDLE.poll();
    return idle != null ? idle : new Scratch();
  }

  void giveBack() {
    clear();
    ManyCalls.wipe(address, most);
    most = TABLES;
    IDLE.offer(this);
  }

  /** The address of a place in it. */
  long address(int at) {
    return address + at;
  }

  boolean hasRoom(int len) {
    return len <= TABLES + ROOM - used;
  }

  /** Copies bytes, for which there is room, and returns their address. */
  long put(byte[] from, int at, int len) {
    memory.put(used, from, at, len);
    long to = address + used;
    used += len;
    return to;
  }

  /**
   * The same for messages of lanes: they begin an odd number of cache lines behind each other. Lanes read one
   * place of all their messages at a time; at distances of a power of two those share few sets of a cache.
   */
  long putApart(byte[] from, int at, int len) {
    long to = put(from, at, len);
    used = Math.min(used - len + ((len + LINE - 1) / LINE | 1) * LINE, TABLES + ROOM);
    return to;
  }

  /** Forgets the messages. */
  void clear() {
    most = Math.max(most, used);
    used = TABLES;
  }
}
