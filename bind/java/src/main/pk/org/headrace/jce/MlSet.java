// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidKeyException;
import java.util.Arrays;
import java.util.List;

/** A parameter set of ML-DSA or ML-KEM: its name, its OID, and the lengths of its seed and private key. */
record MlSet(String name, byte[] oid, int seed, int expanded) {
  private static final List<MlSet> ALL =
      List.of(
          set("ML-DSA-44", 3, 17, 32, 2560),
          set("ML-DSA-65", 3, 18, 32, 4032),
          set("ML-DSA-87", 3, 19, 32, 4896),
          set("ML-KEM-512", 4, 1, 64, 1632),
          set("ML-KEM-768", 4, 2, 64, 2400),
          set("ML-KEM-1024", 4, 3, 64, 3168));

  private static final byte[] VERSION = {Der.INTEGER, 1, 0};

  /** A set of NIST's OID 2.16.840.1.101.3.4.arc.last. */
  private static MlSet set(String name, int arc, int last, int seed, int expanded) {
    byte[] oid = {0x60, (byte) 0x86, 0x48, 1, 0x65, 3, 4, (byte) arc, (byte) last};
    return new MlSet(name, oid, seed, expanded);
  }

  static MlSet ofOid(byte[] oid) throws InvalidKeyException {
    for (MlSet set : ALL) if (Arrays.equals(set.oid, oid)) return set;
    throw new InvalidKeyException("not a key of ML-DSA or ML-KEM");
  }

  /** The set of a name, or the one that the name of a family stands for; null if there is none. */
  static MlSet ofName(String name) {
    for (MlSet set : ALL) if (set.name.equalsIgnoreCase(name)) return set;
    return name.equals("ML-DSA") ? ALL.get(1) : name.equals("ML-KEM") ? ALL.get(4) : null;
  }

  String family() {
    return name.substring(0, "ML-DSA".length());
  }

  /** Whether an algorithm, a set or a family, has this set. */
  boolean isOf(String algorithm) {
    return algorithm.equals(name) || algorithm.equals(family());
  }

  MlSet check(String algorithm) throws InvalidKeyException {
    if (isOf(algorithm)) return this;
    throw new InvalidKeyException("Unsupported parameter set name: " + name);
  }

  private byte[] algorithm() {
    return Der.write(Der.SEQUENCE, Der.write(Der.OID, oid));
  }

  /** The SubjectPublicKeyInfo of a public key. */
  byte[] encodePublic(byte[] key) {
    return Der.write(Der.SEQUENCE, algorithm(), Der.write(Der.BIT_STRING, new byte[1], key));
  }

  /** The form in PKCS#8 that all who read such keys know: the key itself, without the seed. */
  byte[] encodePrivate(byte[] key) {
    return encode(Der.write(Der.OCTET_STRING, key));
  }

  byte[] encodeSeed(byte[] seed) {
    return encode(Der.write(Der.SEED, seed));
  }

  byte[] encodeBoth(byte[] seed, byte[] key) {
    byte[] first = Der.write(Der.OCTET_STRING, seed);
    byte[] second = Der.write(Der.OCTET_STRING, key);
    try {
      return encode(Der.write(Der.SEQUENCE, first, second));
    } finally {
      Arrays.fill(first, (byte) 0);
      Arrays.fill(second, (byte) 0);
    }
  }

  /** A choice of RFC 9881 or RFC 9935 in PKCS#8; it is wiped. */
  private byte[] encode(byte[] choice) {
    byte[] outer = Der.write(Der.OCTET_STRING, choice);
    try {
      return Der.write(Der.SEQUENCE, VERSION, algorithm(), outer);
    } finally {
      Arrays.fill(choice, (byte) 0);
      Arrays.fill(outer, (byte) 0);
    }
  }
}
