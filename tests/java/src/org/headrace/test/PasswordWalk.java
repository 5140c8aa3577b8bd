// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.Provider;
import java.security.spec.KeySpec;
import java.util.ArrayList;
import java.util.List;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.interfaces.PBEKey;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** PBKDF2: keys of passwords of any kind, translated and read again, by the side that made them and by the other. */
final class PasswordWalk extends Walk<SecretKeyFactory> {
  /** The keys that each side made in one step. */
  private record Made(SecretKey own, SecretKey model) {}

  private final String name;
  private final List<Made> made = new ArrayList<>();
  private SecretKey own;

  PasswordWalk(Dice dice, Provider.Service own, Provider model) throws Exception {
    super(dice, model);
    name = own.getAlgorithm();
    ours = SecretKeyFactory.getInstance(name, own.getProvider());
    theirs = SecretKeyFactory.getInstance(name, model);
  }

  @Override
  void step() {
    switch (made.isEmpty() ? 0 : dice.below(8)) {
      case 0, 1, 2 -> generate();
      case 3, 4 -> translate();
      case 5, 6 -> read();
      default -> compare();
    }
  }

  private PBEKeySpec spec() {
    String alphabet = "aB3 \u00e4\u20ac\ud83d\udd11\ud83d\0";
    char[] password = new char[dice.oneIn(6) ? 60 + dice.below(90) : dice.below(12)];
    for (int i = 0; i < password.length; i++) password[i] = alphabet.charAt(dice.below(alphabet.length()));
    if (dice.oneIn(12)) return new PBEKeySpec(dice.oneIn(3) ? null : password);
    byte[] salt = dice.bytes(1 + dice.below(dice.oneIn(6) ? 200 : 20));
    int iterations = 1 + dice.below(4);
    if (dice.oneIn(12)) return new PBEKeySpec(password, salt, iterations);
    return new PBEKeySpec(password, salt, iterations, dice.oneIn(4) ? 8 + dice.below(40) : 8 * (1 + dice.below(90)));
  }

  private void generate() {
    KeySpec spec = dice.oneIn(10) ? new SecretKeySpec(dice.bytes(16), name) : dice.oneIn(12) ? null : spec();
    // Which is seen first, that there is no password or no length, is not said.
    if (spec instanceof PBEKeySpec wiped && wiped.getKeyLength() > 0 && dice.oneIn(15)) wiped.clearPassword();
    keep("generateSecret(" + text(spec) + ")", f -> f.generateSecret(spec));
  }

  private static String text(KeySpec spec) {
    if (!(spec instanceof PBEKeySpec pbe)) return spec == null ? "null" : "other";
    return pbe.getIterationCount() + ", " + pbe.getKeyLength() + (pbe.getSalt() == null ? ", no salt" : "");
  }

  /** Does a step that makes a key. */
  private void keep(String text, Step<SecretKeyFactory> step) {
    Object done =
        both(
            text,
            f -> {
              SecretKey key = (SecretKey) step.by(f);
              if (f == ours) own = key;
              else if (made.size() < 12) made.add(new Made(own, key));
              return parts(key);
            });
    if (done == null) own = null;
  }

  private static Object parts(SecretKey key) {
    if (!(key instanceof PBEKey pbe)) return key;
    return all(key, new String(pbe.getPassword()), pbe.getSalt(), pbe.getIterationCount());
  }

  /** Two keys, one for each side: mostly what it made itself, else one for both, of any kind. */
  private Made any() {
    Made pair = made.get(dice.below(made.size()));
    if (dice.oneIn(2)) return pair;
    SecretKey key = switch (dice.below(10)) {
      case 0 -> null;
      case 1 -> new SecretKeySpec(dice.bytes(16), name);
      case 2 -> new SecretKeySpec(dice.bytes(16), "AES");
      case 3 -> AnyKey.opaque();
      case 4, 5, 6 -> pair.own;
      default -> pair.model;
    };
    return new Made(key, key);
  }

  private void translate() {
    Made keys = any();
    keep("translateKey(" + AnyKey.text(keys.model) + ")", f -> f.translateKey(f == ours ? keys.own : keys.model));
  }

  private void read() {
    Class<?> wanted = dice.of(PBEKeySpec.class, PBEKeySpec.class, KeySpec.class, SecretKeySpec.class, null);
    Made keys = any();
    both(
        "getKeySpec(" + AnyKey.text(keys.model) + ", " + wanted + ")",
        f -> {
          PBEKeySpec spec = (PBEKeySpec) f.getKeySpec(f == ours ? keys.own : keys.model, wanted);
          return all(new String(spec.getPassword()), spec.getSalt(), spec.getIterationCount(), spec.getKeyLength());
        });
  }

  /** Keys of both sides are equal, and have one hash. */
  private void compare() {
    Made pair = made.get(dice.below(made.size())), other = made.get(dice.below(made.size()));
    both(
        "equals",
        f -> {
          SecretKey key = f == ours ? pair.own : pair.model;
          return all(key.equals(pair.own), key.equals(pair.model), key.equals(other.own), key.equals(null), key.hashCode());
        });
  }
}
