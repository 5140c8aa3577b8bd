// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;

/** Translates keys of ML-DSA and ML-KEM by their encodings: Java has no interface of their parts. */
final class MlKeys {
  private MlKeys() {}

  /** Reads as far as the algorithm. */
  private static MlSet begin(Der whole, boolean isPrivate) throws InvalidKeyException {
    if (isPrivate) whole.enter(Der.INTEGER); // the version
    return MlSet.ofOid(whole.enter(Der.SEQUENCE).enter(Der.OID).rest());
  }

  static PkKey translate(Key key) throws InvalidKeyException {
    byte[] encoded = KeyBytes.copy(key);
    if (encoded == null) throw new InvalidKeyException("a key without an encoding: " + key.getClass());
    boolean isPrivate = key instanceof PrivateKey;
    try {
      Der whole = whole(encoded);
      MlSet set = begin(whole, isPrivate);
      return PkKey.make(set, isPrivate, isPrivate ? secret(set, whole) : bits(whole));
    } finally {
      if (isPrivate) Arrays.fill(encoded, (byte) 0);
    }
  }

  private static byte[] bits(Der whole) throws InvalidKeyException {
    byte[] bits = last(whole, Der.BIT_STRING);
    if (bits.length == 0 || bits[0] != 0) throw new InvalidKeyException("not whole bytes");
    return Arrays.copyOfRange(bits, 1, bits.length);
  }

  /** The private key, the seed, or both, of RFC 9881's and RFC 9935's choices, or bare. */
  private static byte[] secret(MlSet set, Der whole) throws InvalidKeyException {
    byte[] bytes = whole.enter(Der.OCTET_STRING).rest();
    if (bytes.length == set.expanded() || bytes.length == set.seed()) return bytes;
    try {
      return chosen(new Der(bytes));
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  /** The key, the seed, or one after the other. */
  private static byte[] chosen(Der choice) throws InvalidKeyException {
    if (choice.is(Der.OCTET_STRING)) return last(choice, Der.OCTET_STRING);
    if (choice.is(Der.SEED)) return last(choice, Der.SEED);
    Der both = choice.enter(Der.SEQUENCE);
    requireEnd(choice);
    byte[] seed = both.enter(Der.OCTET_STRING).rest();
    byte[] expanded = last(both, Der.OCTET_STRING);
    byte[] out = Arrays.copyOf(seed, seed.length + expanded.length);
    System.arraycopy(expanded, 0, out, seed.length, expanded.length);
    for (byte[] copy : new byte[][] {seed, expanded}) Arrays.fill(copy, (byte) 0);
    return out;
  }

  // ---- encodings as keys ----

  /** The parameter set of an encoding. */
  static MlSet set(byte[] encoded, boolean isPrivate) throws InvalidKeyException {
    return begin(new Der(encoded).enter(Der.SEQUENCE), isPrivate);
  }

  /** Whether this is the encoding of a private key that every JDK with such keys reads: the key alone. */
  static boolean isExpanded(byte[] encoded) {
    try {
      Der whole = whole(encoded);
      MlSet set = begin(whole, true);
      Der bytes = whole.enter(Der.OCTET_STRING);
      return bytes.is(Der.OCTET_STRING) && bytes.enter(Der.OCTET_STRING).rest().length == set.expanded();
    } catch (InvalidKeyException e) {
      return false;
    }
  }

  /** An encoding whose seed or key alone has the tag of its choice, as the JDK wants it. */
  static byte[] withTag(byte[] encoded) throws InvalidKeyException {
    Der whole = whole(encoded);
    MlSet set = begin(whole, true);
    byte[] bytes = whole.enter(Der.OCTET_STRING).rest();
    byte[] inner = bytes;
    try {
      Der choice = new Der(bytes);
      boolean isBare = bytes.length == set.seed() || bytes.length == set.expanded();
      if (!isBare && choice.is(Der.OCTET_STRING)) inner = choice.enter(Der.OCTET_STRING).rest();
      if (inner.length == set.seed()) return set.encodeSeed(inner);
      return inner.length == set.expanded() ? set.encodePrivate(inner) : encoded.clone();
    } finally {
      Arrays.fill(bytes, (byte) 0);
      Arrays.fill(inner, (byte) 0);
    }
  }

  private static Der whole(byte[] encoded) throws InvalidKeyException {
    Der outer = new Der(encoded);
    Der whole = outer.enter(Der.SEQUENCE);
    requireEnd(outer);
    return whole;
  }

  /** The contents of an element that nothing follows. */
  private static byte[] last(Der in, int tag) throws InvalidKeyException {
    byte[] contents = in.enter(tag).rest();
    requireEnd(in);
    return contents;
  }

  private static void requireEnd(Der der) throws InvalidKeyException {
    if (der.rest().length != 0) throw new InvalidKeyException("more follows a key's encoding");
  }

  static MlPublicKey readPublic(byte[] encoded, String algorithm) throws InvalidKeyException {
    Der whole = whole(encoded);
    MlSet set = begin(whole, false).check(algorithm);
    byte[] bits = bits(whole);
    PkKey.make(set, false, bits.clone()).destroy(); // which checks it
    return new MlPublicKey(set, set.encodePublic(bits));
  }

  /** The private or the public key of a native one. */
  static byte[] part(PkKey key, int op) {
    byte[] bytes = new byte[key.set().expanded()]; // which is longer than the public one
    int length = Errors.check(key.run(op, PkOptions.NONE, bytes, new byte[0], 0, 0));
    return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
  }

  /** A key of any of the choices, which becomes the private key itself. */
  static MlPrivateKey readPrivate(byte[] encoded, String algorithm) throws InvalidKeyException {
    Der whole = whole(encoded);
    MlSet set = begin(whole, true).check(algorithm);
    PkKey key = PkKey.make(set, true, secret(set, whole));
    byte[] bytes = part(key, PkKey.PRIVATE);
    key.destroy();
    try {
      return new MlPrivateKey(set, set.encodePrivate(bytes));
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  /**
   * The pair of a new key's parts: the private key, the public one, and the seed, which only forms with a
   * seed need. They are the JDK's objects where it has such keys; but it computes the key of a seed, which
   * is what it is spared here, and so private keys with a seed are ours.
   */
  static KeyPair pair(MlSet set, MlForm form, byte[][] parts) throws GeneralSecurityException {
    byte[] own = form.encode(set, parts);
    byte[] open = set.encodePublic(parts[1]);
    if (!JdkKeys.has(set.family()))
      return new KeyPair(new MlPublicKey(set, open), new MlPrivateKey(set, own));
    KeyFactory jdk = JdkKeys.factory(set.family());
    PublicKey read = jdk.generatePublic(new X509EncodedKeySpec(open));
    if (form != MlForm.EXPANDED) return new KeyPair(read, new MlPrivateKey(set, own));
    try {
      return new KeyPair(read, jdk.generatePrivate(new PKCS8EncodedKeySpec(own)));
    } finally {
      Arrays.fill(own, (byte) 0);
    }
  }
}
