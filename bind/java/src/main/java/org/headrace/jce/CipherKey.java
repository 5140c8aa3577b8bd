// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidKeyException;
import java.security.Key;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of a Cipher or Mac in the library. Programs init a Cipher for each message, mostly with the
 * same key object: its bytes are then neither asked for nor expanded again.
 */
final class CipherKey {
  /**
   * A length of keys, in bytes, and the library's row for it, which does not take the last part of a key
   * that repeats its first: Java's keys of DES have three parts.
   */
  record Size(int length, int row, boolean repeats) {
    static final int PART = 8;

    Size(int length, int row) {
      this(length, row, false);
    }
  }

  /** The names that keys of a cipher may have, if not all may; what a wrong length is called, and a format. */
  private record Kind(List<String> names, String wrongLength, String wrongFormat) {}

  private static final String NOT_RAW = "Wrong format: RAW bytes needed";

  private static final Map<String, Kind> KINDS =
      Map.of(
          "AES", new Kind(List.of("AES", "Rijndael"), "Invalid AES key length: %d bytes", NOT_RAW),
          "AESWrap", new Kind(List.of("AES", "Rijndael"), "Invalid key length: %d bytes", null),
          "DESede", new Kind(List.of("DESede", "TripleDES"), "Wrong key size", NOT_RAW),
          "DES", new Kind(List.of("DES"), "Wrong key size", NOT_RAW),
          "ChaCha20-Poly1305",
          new Kind(List.of(), "Key length must be 256 bits", "Key encoding format must be RAW"));

  private final String cipher;
  private final Size[] sizes;
  private KeyObject object;
  private NamedCipherKey named; // null: the key is here
  private NamedObject handle; // of the last key that stays in the service
  private Key last; // whose bytes cannot have changed since

  /** `cipher` is its name in messages of exceptions, such as AES. */
  CipherKey(String cipher, Size... sizes) {
    this.cipher = cipher;
    this.sizes = sizes;
  }

  /** Takes a key for an operation of enum hr_op; returns whether it is certainly the key before. */
  boolean set(Key key, int op) throws InvalidKeyException {
    if (key instanceof NamedCipherKey secret) return setNamed(secret, op);
    boolean isSame = set(key) && named == null;
    named = null;
    return isSame;
  }

  private boolean setNamed(NamedCipherKey key, int op) throws InvalidKeyException {
    boolean isSame = named != null && named.isSame(key);
    last = null;
    PkKey opened = key.open(rowFor(key.row()), op);
    // A handle ends when its key does, and another may have come.
    if (handle == null || !handle.isOf(opened)) handle = new NamedObject(key, opened);
    if (object == null || object.get() != handle) object = new KeyObject(0, handle);
    named = key;
    return isSame;
  }

  /** The row for keys of the row that a key of the accelerator has: another one, if that is none of these. */
  int rowFor(int row) {
    for (Size size : sizes) if (size.row() == row) return row;
    return sizes[0].row();
  }

  /** Whether the key stays in the accelerator's service. */
  boolean isNamed() {
    return named != null;
  }

  /** Takes a key whose bytes are here; returns whether they are those of the key before. */
  boolean set(Key key) throws InvalidKeyException {
    if (key != null && key == last) return true;
    if (key == null) throw new InvalidKeyException("No installed provider supports this key: (null)");
    byte[] encoded = KeyBytes.copy(key);
    if (encoded == null) throw new InvalidKeyException("Key encoding must not be null");
    last = null;
    boolean isTaken = false;
    try {
      // The JDK looks at the length first where there is one only.
      boolean hasOne = sizes.length == 1 && cipher.equals("AES");
      if (hasOne) sizeOf(encoded.length);
      requireKind(key);
      Size size = sizeOf(encoded.length);
      // The old one is not freed here: a program that shares a Cipher by mistake may be using it.
      if (object == null || object.row() != size.row()) object = new KeyObject(size.row());
      if (size.repeats()) encoded = withoutRepeated(encoded);
      isTaken = true;
      boolean isSame = object.setKey(encoded);
      // A SecretKeySpec cannot be changed, nor destroyed by anything but the JDK.
      if (key.getClass() == SecretKeySpec.class) last = key;
      return isSame;
    } finally {
      if (!isTaken) Arrays.fill(encoded, (byte) 0);
    }
  }

  private static byte[] withoutRepeated(byte[] key) throws InvalidKeyException {
    int length = key.length - Size.PART;
    int different = 0;
    for (int i = 0; i < Size.PART; i++) different |= key[i] ^ key[length + i];
    if (different != 0) throw new InvalidKeyException("the third part of a key must be its first again");
    byte[] taken = Arrays.copyOf(key, length);
    Arrays.fill(key, (byte) 0);
    return taken;
  }

  private Size sizeOf(int length) throws InvalidKeyException {
    for (Size size : sizes) if (size.length() == length) return size;
    Kind kind = KINDS.get(cipher);
    if (sizes.length == 1 && (kind == null || cipher.equals("AES")))
      throw new InvalidKeyException("The key must be " + sizes[0].length() + " bytes");
    String text = kind == null ? "Invalid " + cipher + " key length: %d bytes" : kind.wrongLength();
    throw new InvalidKeyException(String.format(text, length));
  }

  private void requireKind(Key key) throws InvalidKeyException {
    Kind kind = KINDS.get(cipher);
    if (kind == null) return;
    if (kind.wrongFormat() != null && !"RAW".equalsIgnoreCase(key.getFormat()))
      throw new InvalidKeyException(kind.wrongFormat());
    if (kind.names().isEmpty()) return;
    for (String good : kind.names()) if (good.equalsIgnoreCase(key.getAlgorithm())) return;
    throw new InvalidKeyException("Wrong algorithm: " + String.join(" or ", kind.names()) + " required");
  }

  /** The key's object, for messages in pieces. */
  NativeObject object() {
    return object.get();
  }

  /** The key, for whole messages. */
  KeyObject key() {
    return object;
  }

  /** A copy of the key and the state of its message. */
  KeyObject copy() {
    return object.copy();
  }

  /** The same key, in a copy of its object. */
  CipherKey with(KeyObject copy) {
    CipherKey twin = new CipherKey(cipher, sizes);
    twin.object = copy;
    twin.last = last;
    return twin;
  }

  /** Puts such a copy in their place. */
  void replace(KeyObject copy) {
    object = copy;
  }

  /** Null of a key that shows none, or that its program has destroyed. */
  private static byte[] bytesOf(Key key) {
    try {
      return KeyBytes.copy(key);
    } catch (IllegalStateException e) {
      return null;
    }
  }

  /** Whether two keys that were taken are the same, or have the same bytes. */
  static boolean areEqual(Key one, Key other) {
    if (one == other) return true;
    if (one instanceof NamedCipherKey a) return other instanceof NamedCipherKey b && a.isSame(b);
    byte[] bytes = bytesOf(one);
    byte[] others = bytesOf(other);
    boolean areEqual = bytes != null && others != null && MessageDigest.isEqual(bytes, others);
    for (byte[] secret : new byte[][] {bytes, others}) if (secret != null) Arrays.fill(secret, (byte) 0);
    return areEqual;
  }

  /** The length of any key in bits. */
  static int bits(Key key) throws InvalidKeyException {
    if (key instanceof NamedCipherKey secret) return 8 * secret.length();
    byte[] bytes = KeyBytes.copy(key);
    if (bytes == null) throw new InvalidKeyException("Key encoding must not be null");
    Arrays.fill(bytes, (byte) 0);
    return bytes.length * 8;
  }
}
