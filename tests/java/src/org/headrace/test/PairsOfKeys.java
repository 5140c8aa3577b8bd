// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Pairs of keys of the JDK's for walks, each made once: for the name of a signature or an agreement. */
final class PairsOfKeys {
  private static final Map<String, KeyPair> MADE = new ConcurrentHashMap<>();

  private PairsOfKeys() {}

  /** The generators of an algorithm, with a parameter each. */
  private static String[] kinds(String name) {
    if (name.contains("RSA")) return new String[] {"RSA 1024", "RSA 2048"};
    if (name.equals("DHKEM")) return new String[] {"EC secp256r1", "EC secp384r1", "EC secp521r1", "X25519"};
    if (name.contains("ECD")) return new String[] {"EC secp256r1", "EC secp384r1", "EC secp521r1"};
    if (name.contains("DSA") && name.contains("with")) return new String[] {"DSA 1024", "DSA 2048"};
    if (name.matches("DH|Diffie.*")) return new String[] {"DH 1024", "DH 2048"};
    if (name.equals("ML-DSA")) return new String[] {"ML-DSA-44", "ML-DSA-65"};
    if (name.equals("ML-KEM")) return new String[] {"ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"};
    return new String[] {name.equals("EdDSA") ? "Ed25519" : name.equals("XDH") ? "X25519" : name};
  }

  /** One of two pairs of one of the kinds that fit a name. */
  static KeyPair any(Dice dice, String name) {
    String[] kinds = kinds(name);
    return make(kinds[dice.below(kinds.length)], dice.below(2));
  }

  /** A pair that does not fit. */
  static KeyPair other(String name) {
    return make(name.contains("RSA") ? "EC secp256r1" : "RSA 1024", 0);
  }

  static KeyPair dsa(int bits) {
    return make("DSA " + bits, 0);
  }

  private static KeyPair make(String kind, int number) {
    return MADE.computeIfAbsent(
        kind + number,
        k -> {
          try {
            String[] words = kind.split(" ");
            KeyPairGenerator generator = generator(words[0]);
            if (words[0].equals("EC")) generator.initialize(new ECGenParameterSpec(words[1]));
            else if (words.length > 1) generator.initialize(Integer.parseInt(words[1]));
            else generator.initialize(new NamedParameterSpec(kind));
            return generator.generateKeyPair();
          } catch (Exception e) {
            throw new IllegalStateException(kind, e);
          }
        });
  }

  /** The JDK's; our own of ML-DSA, where the JDK has none. */
  private static KeyPairGenerator generator(String algorithm) throws NoSuchAlgorithmException {
    return algorithm.startsWith("ML-") ? KeyPairGenerator.getInstance(algorithm, Ours.PROVIDER) : KeyPairGenerator.getInstance(algorithm);
  }
}
