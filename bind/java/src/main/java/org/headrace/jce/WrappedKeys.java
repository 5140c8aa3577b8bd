// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/** Keys from the bytes that a Cipher has unwrapped. */
final class WrappedKeys {
  private WrappedKeys() {}

  /** A copy of the bytes of a key that is to be wrapped. */
  static byte[] bytes(Key key) throws InvalidKeyException {
    byte[] bytes = KeyBytes.copy(key);
    if (bytes == null || bytes.length == 0)
      throw new InvalidKeyException("Cannot get an encoding of the key to be wrapped");
    return bytes;
  }

  /** A key of Cipher's constant `type`; the bytes are copied. */
  static Key make(byte[] bytes, String algorithm, int type)
      throws InvalidKeyException, NoSuchAlgorithmException {
    try {
      return switch (type) {
        case Cipher.SECRET_KEY -> new SecretKeySpec(bytes, algorithm);
        case Cipher.PRIVATE_KEY ->
            KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
        case Cipher.PUBLIC_KEY ->
            KeyFactory.getInstance(algorithm).generatePublic(new X509EncodedKeySpec(bytes));
        default -> throw new InvalidKeyException("Unknown key type " + type);
      };
    } catch (InvalidKeySpecException e) {
      throw new InvalidKeyException("Cannot construct key", e);
    }
  }
}
