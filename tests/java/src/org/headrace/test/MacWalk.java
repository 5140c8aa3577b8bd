// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.Key;
import java.security.Provider;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** MACs: keys of any kind, calls without a key, pieces, clones and too little room. */
final class MacWalk extends Walk<Mac> {
  private final int[] keys; // lengths
  private final String name;
  private final boolean hasNonce;
  private Key lastKey;
  private AlgorithmParameterSpec lastParams;
  private boolean isKeyed;
  private boolean mustInit;

  MacWalk(Dice dice, Provider.Service own, Provider model) throws Exception {
    super(dice, model);
    ours = Mac.getInstance(own.getAlgorithm(), own.getProvider());
    theirs = Mac.getInstance(own.getAlgorithm(), model);
    name = own.getAlgorithm();
    hasNonce = name.contains("GMAC");
    if (name.startsWith("Hmac")) keys = new int[] {1, 16, 20, 64, 65, 128, 129, 300};
    else if (name.startsWith("POLY")) keys = new int[] {32};
    else keys = name.startsWith("DES") ? new int[] {24} : new int[] {16, 24, 32};
  }

  @Override
  void step() {
    Memory memory = Memory.any(dice, null, 0, false);
    int number = dice.below(256), wrong = dice.below(70) - 3;
    int step = mustInit ? 0 : dice.below(11);
    // Bouncy Castle's GMAC takes pieces after the tag as long as they are short; ours does not (BlockMacTest).
    mustInit = hasNonce && step >= 6 && step <= 8;
    switch (step) {
      case 0, 1 -> init();
      case 2 -> both("update(byte)", m -> update(m, new byte[] {(byte) number}, 0, 1));
      case 3 -> both("update(array)", m -> update(m, memory.content(), memory.in(), memory.length()));
      case 4, 5 ->
          both(
              "update(buffer)",
              m -> {
                var in = memory.copy().input();
                m.update(in);
                return in.position();
              });
      case 6 -> both("doFinal()", Mac::doFinal);
      case 7 -> both("doFinal(array)", m -> m.doFinal(memory.input()));
      case 8 ->
          both(
              "doFinal(array, " + wrong + ")",
              m -> {
                byte[] out = new byte[70];
                m.doFinal(out, wrong);
                return out;
              });
      case 9 -> {
        if (!isForeign) copy(); // Bouncy Castle's cannot be cloned
      }
      default -> reset();
    }
  }

  /** Bouncy Castle's GMAC takes no message after a reset. Ours does, as Mac's documentation says, unless there was a tag. */
  private void reset() {
    both(
        "reset",
        m -> {
          m.reset();
          return m.getMacLength();
        });
    mustInit = hasNonce;
  }

  private static Object update(Mac mac, byte[] array, int at, int length) {
    mac.update(array, at, length);
    return "done";
  }

  private void init() {
    byte[] bytes = dice.bytes(dice.below(keys[dice.below(keys.length)]) / (dice.oneIn(3) ? 1 : 1000));
    byte[] right = dice.bytes(keys[dice.below(keys.length)]);
    // Bouncy Castle takes three keys for the retail MAC, of which the standard has two.
    if (name.startsWith("ISO9797ALG3") && right.length == 24) System.arraycopy(right, 0, right, 16, 8);
    Key key = isForeign ? new SecretKeySpec(right, "AES") : AnyKey.secret(dice, bytes.length > 0 ? bytes : right);
    AlgorithmParameterSpec params = dice.oneIn(8) && !isForeign ? new IvParameterSpec(dice.bytes(16)) : null;
    if (hasNonce) params = new IvParameterSpec(dice.bytes(dice.of(12, 12, 16, 1, 60)));
    if (hasNonce && lastKey != null && dice.oneIn(5)) {
      init(lastKey, lastParams);
      return;
    }
    init(key, params);
  }

  private void init(Key key, AlgorithmParameterSpec params) {
    lastKey = key;
    lastParams = params;
    Object done = both(
        "init(" + AnyKey.text(key) + ", " + params + ")",
        m -> {
          // SunJCE hashes a long key after what it has of a message that was begun.
          if (isKeyed) m.reset();
          m.init(key, params);
          return "done";
        });
    isKeyed = true;
    mustInit = hasNonce && done == null;
  }

  private void copy() {
    try {
      Mac own = (Mac) ours.clone(), model = (Mac) theirs.clone();
      both("doFinal() of the original", Mac::doFinal);
      ours = own;
      theirs = model;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }
}
