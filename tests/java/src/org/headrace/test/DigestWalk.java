// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.MessageDigest;
import java.security.Provider;

/** Digests: pieces in arrays and buffers, clones, and output where there is too little room. */
final class DigestWalk extends Walk<MessageDigest> {
  DigestWalk(Dice dice, Provider.Service own, Provider model) throws Exception {
    super(dice, model);
    ours = MessageDigest.getInstance(own.getAlgorithm(), own.getProvider());
    theirs = MessageDigest.getInstance(own.getAlgorithm(), model);
  }

  @Override
  void step() {
    Memory memory = Memory.any(dice, null, 0, false);
    int number = dice.below(256), wrong = dice.below(70) - 3, room = dice.below(80);
    switch (dice.below(9)) {
      case 0 -> both("update(byte)", d -> update(d, (byte) number));
      case 1 -> both("update(array)", d -> update(d, memory.content(), memory.in(), memory.length()));
      case 2 -> both("update(array, wrong place)", d -> update(d, new byte[20], wrong, room));
      case 3, 4 ->
          both(
              "update(buffer)",
              d -> {
                var in = memory.copy().input();
                d.update(in);
                return in.position();
              });
      case 5 -> both("digest()", MessageDigest::digest);
      case 6 ->
          both(
              "digest(array, " + wrong + ", " + room + ")",
              d -> {
                byte[] out = new byte[90];
                return all(d.digest(out, wrong, room), out);
              });
      case 7 -> copy();
      default -> both("length, reset", d -> {
            if (dice.oneIn(1)) d.reset();
            return d.getDigestLength();
          });
    }
  }

  private static Object update(MessageDigest digest, byte one) {
    digest.update(one);
    return "done";
  }

  private static Object update(MessageDigest digest, byte[] array, int at, int length) {
    digest.update(array, at, length);
    return "done";
  }

  /** The copy goes on, after the original has taken something more. */
  private void copy() {
    try {
      MessageDigest own = (MessageDigest) ours.clone(), model = (MessageDigest) theirs.clone();
      both("update(byte) of the original", d -> update(d, (byte) 1));
      ours = own;
      theirs = model;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }
}
