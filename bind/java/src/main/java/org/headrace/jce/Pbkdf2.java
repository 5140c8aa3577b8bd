// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.KeySpec;
import java.util.Arrays;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactorySpi;
import javax.crypto.interfaces.PBEKey;
import javax.crypto.spec.PBEKeySpec;

/** PBKDF2 (RFC 8018). The password's characters become bytes by UTF-8, as in the JDK. */
final class Pbkdf2 extends SecretKeyFactorySpi {
  private final String name;
  private final int hmac;

  /** `hmac` is the row of the HMAC. */
  Pbkdf2(String name, int hmac) {
    this.name = name;
    this.hmac = hmac;
  }

  @Override
  protected SecretKey engineGenerateSecret(KeySpec spec) throws InvalidKeySpecException {
    if (!(spec instanceof PBEKeySpec pbe))
      throw new InvalidKeySpecException("Only PBEKeySpec is accepted");
    byte[] salt = pbe.getSalt();
    if (salt == null) throw new InvalidKeySpecException("Salt not found");
    if (pbe.getKeyLength() == 0) throw new InvalidKeySpecException("Key length not found");
    char[] password = pbe.getPassword();
    byte[] encoded = encode(password);
    byte[] out = new byte[pbe.getKeyLength() / 8];
    try {
      if (out.length > 0)
        Errors.check(DeriveCalls.pbkdf2(hmac, encoded, salt, pbe.getIterationCount(), out));
    } finally {
      Arrays.fill(encoded, (byte) 0);
    }
    return new PasswordKey(name, password, salt, pbe.getIterationCount(), out);
  }

  private static byte[] encode(char[] password) {
    ByteBuffer buffer = StandardCharsets.UTF_8.encode(CharBuffer.wrap(password));
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    Arrays.fill(buffer.array(), (byte) 0);
    return bytes;
  }

  @Override
  protected KeySpec engineGetKeySpec(SecretKey key, Class<?> wanted) throws InvalidKeySpecException {
    if (!(key instanceof PBEKey pbe)) throw new InvalidKeySpecException("Only PBEKey is accepted");
    if (wanted == null || !wanted.isAssignableFrom(PBEKeySpec.class))
      throw new InvalidKeySpecException("Only PBEKeySpec is accepted");
    byte[] bytes = KeyBytes.copy(pbe);
    int bits = bytes.length * 8;
    Arrays.fill(bytes, (byte) 0);
    char[] password = KeyBytes.password(pbe);
    try {
      return new PBEKeySpec(password, pbe.getSalt(), pbe.getIterationCount(), bits);
    } finally {
      if (password != null) Arrays.fill(password, '\0');
    }
  }

  @Override
  protected SecretKey engineTranslateKey(SecretKey key) throws InvalidKeyException {
    if (key == null || !name.equalsIgnoreCase(key.getAlgorithm()))
      throw new InvalidKeyException(
          "Only PBKDF2 key with " + name.substring("PBKDF2With".length()) + " accepted");
    if (key.getClass() == PasswordKey.class) return key;
    if (!(key instanceof PBEKey pbe)) throw new InvalidKeyException("Missing/wrong password/salt");
    char[] password = KeyBytes.password(pbe);
    byte[] bytes = KeyBytes.copy(pbe);
    try {
      return engineGenerateSecret(
          new PBEKeySpec(password, pbe.getSalt(), pbe.getIterationCount(), bytes.length * 8));
    } catch (InvalidKeySpecException | IllegalArgumentException | NullPointerException e) {
      throw new InvalidKeyException("Invalid key component(s)", e);
    } finally {
      Arrays.fill(bytes, (byte) 0);
      if (password != null) Arrays.fill(password, '\0');
    }
  }
}
