// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.SecureRandom;
import java.util.SplittableRandom;

/** Random choices of one walk, which its seed repeats. */
final class Dice {
  /** More than two pieces of the provider, so that it takes a message in several calls. */
  private static final int LONG = 40_000;

  private final SplittableRandom random;

  Dice(long seed) {
    random = new SplittableRandom(seed);
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  boolean oneIn(int n) {
    return below(n) == 0;
  }

  @SafeVarargs
  final <T> T of(T... all) {
    return all[below(all.length)];
  }

  byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) bytes[i] = (byte) random.nextInt(256);
    return bytes;
  }

  /** A length of a piece of a message: mostly short, often of whole blocks, now and then long. */
  int length() {
    return switch (below(16)) {
      case 0 -> 0;
      case 1 -> oneIn(4) ? below(LONG) : below(2000);
      case 2, 3, 4, 5 -> 16 * below(20);
      case 6 -> 16 * below(20) + of(-1, 1) & 511;
      default -> below(80);
    };
  }

  long seed() {
    return random.nextLong();
  }

  /** A source of random numbers that gives both sides the same. */
  static SecureRandom secure(long seed) {
    SplittableRandom numbers = new SplittableRandom(seed);
    return new SecureRandom() {
      private static final long serialVersionUID = 1L;

      @Override
      public void nextBytes(byte[] bytes) {
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) numbers.nextInt(256);
      }
    };
  }
}
