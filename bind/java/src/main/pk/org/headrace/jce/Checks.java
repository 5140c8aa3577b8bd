// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/** Signatures that are verified side by side; they are gathered until a call is worthwhile. */
final class Checks implements AutoCloseable {
  /** MANY_CHECKS of bind/java/native/many.h, and the size of its struct many_check. */
  private static final int MOST = 64;

  private static final int SIZE = 5 * Long.BYTES;
  private static final int RESULTS = MOST * SIZE;

  private final Scratch scratch = Scratch.take();
  private final Object cache = KeyCache.hold(); // keeps native keys from one signature to the next
  private final boolean[] results;
  private final int[] places = new int[MOST]; // of the signatures' results
  private final PkSignature.Check[] checks = new PkSignature.Check[MOST]; // keeps keys until they have been used
  private PkSignature.Check first; // has the operation and the options of all
  private int num;

  /** Writes into an array of results that are false. */
  Checks(boolean[] results) {
    this.results = results;
  }

  void add(int place, PkSignature.Check check) {
    int len = check.in().length + check.signature().length;
    if (!isLikeFirst(check) || !scratch.hasRoom(len + labelLength(check))) flush();
    if (!scratch.hasRoom(len + labelLength(check))) {
      results[place] = check.isRight();
      return;
    }
    if (num == 0) first = check;
    ByteBuffer table = scratch.memory;
    int at = num * SIZE;
    table.putLong(at, check.key().address());
    at = put(put(at + Long.BYTES, check.in()), check.signature());
    places[num] = place;
    checks[num++] = check;
    if (num == MOST) flush();
  }

  private int put(int at, byte[] bytes) {
    scratch.memory.putLong(at, scratch.put(bytes, 0, bytes.length));
    scratch.memory.putLong(at + Long.BYTES, bytes.length);
    return at + 2 * Long.BYTES;
  }

  private static int labelLength(PkSignature.Check check) {
    byte[] label = check.options().label();
    return label == null ? 0 : label.length;
  }

  private boolean isLikeFirst(PkSignature.Check check) {
    return num == 0 || check.op() == first.op() && check.options().equals(first.options());
  }

  private void flush() {
    if (num == 0) return;
    PkOptions o = first.options();
    byte[] label = o.label();
    int labelLength = labelLength(first);
    long labelAt = labelLength == 0 ? 0 : scratch.put(label, 0, labelLength);
    Errors.check(
        ManyCalls.verify(
            first.op(), o.padding(), o.digest(), o.mgfDigest(), o.saltLength(), labelAt, labelLength,
            scratch.address(0), num, scratch.address(RESULTS)));
    Reference.reachabilityFence(checks);
    for (int i = 0; i < num; i++) {
      PkSignature.Check other = checks[i].other();
      boolean isRight = scratch.memory.getInt(RESULTS + i * Integer.BYTES) == 0;
      results[places[i]] = isRight || other != null && other.isRight();
      checks[i] = null;
    }
    num = 0;
    scratch.clear();
  }

  /** Verifies what is left. */
  void finish() {
    flush();
  }

  @Override
  public void close() {
    scratch.giveBack();
    Reference.reachabilityFence(cache);
  }
}
