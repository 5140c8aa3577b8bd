// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.security.AlgorithmParameters;
import java.security.Provider;
import java.security.Security;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.headrace.jce.HeadraceProvider;
import org.junit.jupiter.api.Test;

/** Ciphers: what the random walks of DifferentialTest do not do. */
class CipherTest {
  private final Provider ours = new HeadraceProvider();
  private final Provider jdk = Security.getProvider("SunJCE");

  /** What the second encryption under the same key and nonce throws. */
  private static Class<?> reuse(Provider provider, String name, String key, AlgorithmParameterSpec spec)
      throws Exception {
    Cipher cipher = Cipher.getInstance(name, provider);
    SecretKeySpec bytes = new SecretKeySpec(new byte[32], key);
    cipher.init(Cipher.ENCRYPT_MODE, bytes, spec);
    assertNotNull(cipher.doFinal(new byte[3]));
    assertThrows(IllegalStateException.class, () -> cipher.doFinal(new byte[3]));
    return assertThrows(Exception.class, () -> cipher.init(Cipher.ENCRYPT_MODE, bytes, spec)).getClass();
  }

  @Test
  void aNonceServesOnce() throws Exception {
    GCMParameterSpec gcm = new GCMParameterSpec(128, new byte[12]);
    assertEquals(
        reuse(jdk, "AES/GCM/NoPadding", "AES", gcm), reuse(ours, "AES/GCM/NoPadding", "AES", gcm));
    IvParameterSpec iv = new IvParameterSpec(new byte[12]);
    assertEquals(
        reuse(jdk, "ChaCha20-Poly1305", "ChaCha20", iv), reuse(ours, "ChaCha20-Poly1305", "ChaCha20", iv));
  }

  /** The JDK has no parameters of Camellia. */
  @Test
  void parametersOfCamelliaSuffice() throws Exception {
    Cipher cipher = Cipher.getInstance("Camellia/CBC/PKCS5Padding", ours);
    SecretKeySpec key = new SecretKeySpec(new byte[16], "Camellia");
    cipher.init(Cipher.ENCRYPT_MODE, key);
    byte[] text = {1, 2, 3};
    byte[] encrypted = cipher.doFinal(text);
    AlgorithmParameters parameters = cipher.getParameters();
    cipher.init(Cipher.DECRYPT_MODE, key, parameters);
    assertArrayEquals(text, cipher.doFinal(encrypted));
  }

  /** Neither by one call nor in pieces. */
  @Test
  void badPaddingLeavesNoText() throws Exception {
    Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding", ours);
    SecretKeySpec key = new SecretKeySpec(new byte[16], "AES");
    IvParameterSpec iv = new IvParameterSpec(new byte[16]);
    cipher.init(Cipher.ENCRYPT_MODE, key, iv);
    byte[] text = new byte[100];
    Arrays.fill(text, (byte) 5);
    byte[] encrypted = cipher.doFinal(text);
    encrypted[encrypted.length - 17] ^= 1;
    cipher.init(Cipher.DECRYPT_MODE, key, iv);
    byte[] out = new byte[120];
    assertThrows(
        BadPaddingException.class, () -> cipher.doFinal(encrypted, 0, encrypted.length, out, 0));
    assertArrayEquals(new byte[120], out);
    int first = cipher.update(encrypted, 0, 32, out, 0);
    assertThrows(
        BadPaddingException.class,
        () -> cipher.doFinal(encrypted, 32, encrypted.length - 32, out, first));
    assertArrayEquals(new byte[120 - first], Arrays.copyOfRange(out, first, 120));
  }
}
