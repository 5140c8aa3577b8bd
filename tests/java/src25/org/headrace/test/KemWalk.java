// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import javax.crypto.DecapsulateException;
import javax.crypto.KEM;

/** ML-KEM and DHKEM: senders and receivers by keys of any kind, and ciphertexts that were changed, cut, or made for another key. */
final class KemWalk extends Walk<KemWalk.Side> {
  /** What one side has. */
  static final class Side {
    private final KEM kem;
    private KEM.Encapsulator sender;
    private KEM.Decapsulator receiver;

    Side(KEM kem) {
      this.kem = kem;
    }
  }

  private final String name;
  private final List<byte[]> sent = new ArrayList<>();
  private boolean hasSender;
  private boolean hasReceiver;

  KemWalk(Dice dice, Provider.Service own, Provider model) throws Exception {
    super(dice, model);
    name = own.getAlgorithm();
    ours = new Side(KEM.getInstance(name, own.getProvider()));
    theirs = new Side(KEM.getInstance(name, model));
  }

  @Override
  void step() {
    switch (dice.below(9)) {
      case 0, 1 -> sender();
      case 2, 3 -> receiver();
      case 4, 5 -> {
        if (hasSender) encapsulate();
      }
      case 6 -> {
        if (hasSender) both("sender's sizes", s -> all(s.sender.secretSize(), s.sender.encapsulationSize(), s.sender.providerName().length() > 0));
        if (hasReceiver) both("receiver's sizes", s -> all(s.receiver.secretSize(), s.receiver.encapsulationSize()));
      }
      default -> {
        if (hasReceiver && !sent.isEmpty()) decapsulate();
      }
    }
  }

  private KeyPair pair() {
    return dice.oneIn(10) ? PairsOfKeys.any(dice, "ML-DSA") : PairsOfKeys.any(dice, dice.oneIn(6) ? "ML-KEM" : name);
  }

  private AlgorithmParameterSpec spec() {
    return dice.oneIn(12) ? NamedParameterSpec.X25519 : null;
  }

  private void sender() {
    KeyPair pair = pair();
    PublicKey key = dice.oneIn(15) ? dice.of(null, PairsOfKeys.other(name).getPublic()) : pair.getPublic();
    AlgorithmParameterSpec spec = spec();
    long seed = dice.seed();
    Object done =
        both(
            "newEncapsulator(" + AnyKey.text(key) + ", " + spec + ")",
            s -> {
              s.sender = s.kem.newEncapsulator(key, spec, Dice.secure(seed));
              return "done";
            });
    hasSender |= done != null; // else the one before is used on
  }

  private void receiver() {
    KeyPair pair = pair();
    PrivateKey key = dice.oneIn(15) ? dice.of(null, PairsOfKeys.other(name).getPrivate()) : pair.getPrivate();
    AlgorithmParameterSpec spec = spec();
    Object done =
        both(
            "newDecapsulator(" + AnyKey.text(key) + ", " + spec + ")",
            s -> {
              s.receiver = s.kem.newDecapsulator(key, spec);
              return "done";
            });
    hasReceiver |= done != null;
  }

  /** A part of a secret of so many bytes, or what is none. */
  private int[] part(int size) {
    int[] part = {dice.below(size + 3) - 1, dice.below(size + 2)};
    return dice.oneIn(2) ? new int[] {0, size} : part;
  }

  private void encapsulate() {
    int[] part = part(theirs.sender.secretSize());
    String algorithm = dice.of("AES", "Generic", "Other", null);
    Object done =
        both(
            "encapsulate(" + part[0] + ", " + part[1] + ", " + algorithm + ")",
            s -> {
              KEM.Encapsulated out = documented(part, algorithm, () -> s.sender.encapsulate(part[0], part[1], algorithm));
              if (s == theirs) sent.add(out.encapsulation());
              return all(out.key(), out.encapsulation(), out.params());
            });
    hasSender &= done != null; // by then the random numbers may have been taken or not
  }

  private void decapsulate() {
    int[] part = part(theirs.receiver.secretSize());
    String algorithm = dice.of("AES", "Generic", "Other", null);
    byte[] text = sent.get(dice.below(sent.size())).clone();
    byte[] given = switch (dice.below(8)) {
      case 0 -> java.util.Arrays.copyOf(text, text.length - 1 + dice.below(3));
      case 1 -> dice.oneIn(3) ? null : new byte[0];
      default -> text;
    };
    if (given == text && dice.oneIn(3)) text[dice.below(text.length)] ^= (byte) (1 << dice.below(8));
    // The highest bit of X25519, which only the JDK takes for a part of a number.
    if (name.equals("DHKEM") && text.length == 32) text[31] &= 0x7f;
    both(
        "decapsulate(" + (given == null ? "null" : given.length) + ", " + part[0] + ", " + part[1] + ", " + algorithm + ")",
        s -> documented(part, algorithm, () -> s.receiver.decapsulate(given, part[0], part[1], algorithm)));
  }

  /** Our exceptions for wrong parts and names are those of KEM's documentation, and JDK 25's ML-KEM has others. */
  private <T> T documented(int[] part, String algorithm, Callable<T> call) throws Exception {
    try {
      return call.call();
    } catch (RuntimeException | DecapsulateException e) {
      boolean isWrong = algorithm == null || part[0] < 0 || part[0] >= part[1] || part[1] > 32;
      throw isWrong && !name.equals("DHKEM") ? new IllegalArgumentException(e) : e;
    }
  }
}
