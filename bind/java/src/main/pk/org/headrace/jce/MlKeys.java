// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidKeyException;
import java.security.Key;
import java.security.PrivateKey;
import java.util.Arrays;
import java.util.List;

/** Translates keys of ML-DSA and ML-KEM by their encodings: Java has no interface of their parts. */
final class MlKeys {
  /** A parameter set: its name, its OID, and the lengths of its seed and of its private key. */
  private record Row(String name, byte[] oid, int seed, int expanded) {}

  private static final List<Row> ROWS =
      List.of(
          row("ML-DSA-44", 3, 17, 32, 2560),
          row("ML-DSA-65", 3, 18, 32, 4032),
          row("ML-DSA-87", 3, 19, 32, 4896),
          row("ML-KEM-512", 4, 1, 64, 1632),
          row("ML-KEM-768", 4, 2, 64, 2400),
          row("ML-KEM-1024", 4, 3, 64, 3168));

  private MlKeys() {}

  /** A row of NIST's OID 2.16.840.1.101.3.4.arc.last. */
  private static Row row(String name, int arc, int last, int seed, int expanded) {
    byte[] oid = {0x60, (byte) 0x86, 0x48, 1, 0x65, 3, 4, (byte) arc, (byte) last};
    return new Row(name, oid, seed, expanded);
  }

  /** The name of a key's parameter set. */
  static String name(Key key) throws InvalidKeyException {
    if (key instanceof NamedKey.Ml named) return named.set();
    byte[] encoded = KeyBytes.copy(key);
    if (encoded == null) throw new InvalidKeyException("a key without an encoding: " + key.getClass());
    try {
      return begin(new Der(encoded).enter(Der.SEQUENCE), key instanceof PrivateKey).name();
    } finally {
      if (key instanceof PrivateKey) Arrays.fill(encoded, (byte) 0);
    }
  }

  /** Reads as far as the algorithm. */
  private static Row begin(Der whole, boolean isPrivate) throws InvalidKeyException {
    if (isPrivate) whole.enter(Der.INTEGER); // the version
    byte[] oid = whole.enter(Der.SEQUENCE).enter(Der.OID).rest();
    for (Row row : ROWS) if (Arrays.equals(row.oid(), oid)) return row;
    throw new InvalidKeyException("not a key of ML-DSA or ML-KEM");
  }

  static PkKey translate(Key key) throws InvalidKeyException {
    byte[] encoded = KeyBytes.copy(key);
    if (encoded == null) throw new InvalidKeyException("a key without an encoding: " + key.getClass());
    boolean isPrivate = key instanceof PrivateKey;
    try {
      Der whole = new Der(encoded).enter(Der.SEQUENCE);
      Row row = begin(whole, isPrivate);
      return PkKey.make(Rows.number(row.name()), isPrivate, isPrivate ? secret(row, whole) : bits(whole));
    } finally {
      if (isPrivate) Arrays.fill(encoded, (byte) 0);
    }
  }

  private static byte[] bits(Der whole) throws InvalidKeyException {
    byte[] bits = whole.enter(Der.BIT_STRING).rest();
    if (bits.length == 0 || bits[0] != 0) throw new InvalidKeyException("not whole bytes");
    return Arrays.copyOfRange(bits, 1, bits.length);
  }

  /** The private key, the seed, or both, of RFC 9881's and RFC 9935's choices, or bare. */
  private static byte[] secret(Row row, Der whole) throws InvalidKeyException {
    byte[] bytes = whole.enter(Der.OCTET_STRING).rest();
    if (bytes.length == row.expanded() || bytes.length == row.seed()) return bytes;
    Der choice = new Der(bytes);
    if (choice.is(Der.OCTET_STRING)) return choice.enter(Der.OCTET_STRING).rest();
    if (choice.is(Der.SEED)) return choice.enter(Der.SEED).rest();
    Der both = choice.enter(Der.SEQUENCE);
    byte[] seed = both.enter(Der.OCTET_STRING).rest();
    byte[] expanded = both.enter(Der.OCTET_STRING).rest();
    byte[] out = Arrays.copyOf(seed, seed.length + expanded.length);
    System.arraycopy(expanded, 0, out, seed.length, expanded.length);
    return out;
  }
}
