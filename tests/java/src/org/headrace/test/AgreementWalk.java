// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.Key;
import java.security.KeyPair;
import java.security.Provider;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.KeyAgreement;
import javax.crypto.interfaces.DHKey;
import javax.crypto.spec.IvParameterSpec;

/** Key agreement: keys of several groups, phases and secrets in any order. */
final class AgreementWalk extends Walk<KeyAgreement> {
  private final String name;
  private KeyPair pair;
  private boolean hasSecret;

  AgreementWalk(Dice dice, Provider.Service own, Provider model) throws Exception {
    super(dice, model);
    name = own.getAlgorithm();
    ours = KeyAgreement.getInstance(name, own.getProvider());
    theirs = KeyAgreement.getInstance(name, model);
  }

  @Override
  void step() {
    // JDK 17 looks at the room before it looks for a secret.
    int room = hasSecret && dice.oneIn(3) ? dice.below(140) : 300, at = dice.below(3);
    String algorithm = dice.of("TlsPremasterSecret", "AES", "Generic", "Other", null);
    switch (pair == null ? 0 : dice.below(9)) {
      case 0, 1 -> init();
      case 2, 3, 4 -> phase();
      case 5, 6 -> hasSecret &= both("generateSecret", KeyAgreement::generateSecret) == null;
      case 7 ->
          hasSecret &=
              both(
              "generateSecret(" + room + ", " + at + ")",
              a -> {
                byte[] out = new byte[room];
                return all(a.generateSecret(out, Math.min(at, room)), out);
              }) == null;
      default -> hasSecret &= both("generateSecret(" + algorithm + ")", a -> a.generateSecret(algorithm)) == null;
    }
  }

  private void init() {
    KeyPair next = PairsOfKeys.any(dice, name);
    Key own = switch (dice.below(12)) {
      case 0 -> null;
      case 1 -> next.getPublic();
      case 2 -> PairsOfKeys.other(name).getPrivate();
      default -> next.getPrivate();
    };
    AlgorithmParameterSpec params =
        dice.oneIn(10) ? new IvParameterSpec(new byte[8]) : next.getPublic() instanceof DHKey dh && dice.oneIn(3) ? dh.getParams() : null;
    Object done =
        both(
            "init(" + AnyKey.text(own) + ", " + params + ")",
            a -> {
              if (params == null) a.init(own);
              else a.init(own, params);
              return "done";
            });
    boolean isTaken = done != null || name.startsWith("X") && own == next.getPrivate();
    if (!isTaken && mayGoOn(params)) return;
    pair = isTaken ? next : null;
    hasSecret = false;
  }

  /**
   * Whether the object is used on after it refused a key or params. Not one of ECDH that refused a key, as
   * JDK 17 goes on with the key before, and JDK 25 and ours have none; nor one of Diffie-Hellman, where the
   * JDK throws a NullPointerException, or goes on with the key before and the params that it refused.
   */
  private boolean mayGoOn(AlgorithmParameterSpec params) {
    return name.startsWith("X") || name.equals("ECDH") && params != null;
  }

  /** Mostly with a key of the same group. */
  private void phase() {
    KeyPair peer = PairsOfKeys.any(dice, name);
    for (int i = 0; i < 4 && !Keys.describe(peer).equals(Keys.describe(pair)); i++) peer = PairsOfKeys.any(dice, name);
    Key other = switch (dice.below(12)) {
      case 0 -> null;
      case 1 -> peer.getPrivate();
      case 2 -> PairsOfKeys.other(name).getPublic();
      default -> peer.getPublic();
    };
    boolean isLast = !dice.oneIn(6);
    Object done =
        both(
            "doPhase(" + AnyKey.text(other) + ", " + isLast + ")",
            a -> {
              Key next = a.doPhase(other, isLast);
              return next == null ? "done" : next;
            });
    // JDK 17 makes a secret of a peer that it refused.
    if (done == null) pair = null;
    hasSecret = done != null && isLast;
  }
}
