// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Places of output that are behind the end of its array, which {@code Cipher} itself lets pass. */
class PlacesTest {
  private static final int LENGTH = 64;

  private static AlgorithmParameterSpec params(String name) {
    if (name.contains("GCM")) return new GCMParameterSpec(128, new byte[12]);
    if (name.contains("ECB") || name.contains("KW")) return null;
    return new IvParameterSpec(new byte[name.startsWith("DESede") ? 8 : name.startsWith("ChaCha20") ? 12 : 16]);
  }

  private static SecretKeySpec key(String name) {
    byte[] bytes = new byte[Transformations.keys(name.replace("XTS", "_256"))[0]];
    for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) i;
    return new SecretKeySpec(bytes, name.startsWith("ChaCha20") ? "ChaCha20" : name.replaceAll("/.*", ""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "AES/CBC/PKCS5Padding", "AES/ECB/NoPadding", "AES/CTR/NoPadding", "DESede/CBC/NoPadding",
        "AES/GCM/NoPadding", "ChaCha20-Poly1305", "AES/KW/NoPadding", "AES/XTS/NoPadding"
      })
  void nothingIsWrittenBehindAnArray(String name) throws Exception {
    for (int place : new int[] {LENGTH + 1, LENGTH + 40, Integer.MAX_VALUE}) {
      Cipher cipher = Cipher.getInstance(name, Ours.PROVIDER);
      cipher.init(Cipher.ENCRYPT_MODE, key(name), params(name));
      byte[] in = new byte[32], out = new byte[LENGTH];
      assertThrows(ShortBufferException.class, () -> cipher.doFinal(in, 0, 32, out, place));
      assertThrows(ShortBufferException.class, () -> cipher.update(in, 0, 32, out, place));
      // The message goes on.
      byte[] text = cipher.doFinal(in);
      cipher.init(Cipher.DECRYPT_MODE, key(name), params(name));
      assertThrows(ShortBufferException.class, () -> cipher.doFinal(text, 0, text.length, out, place));
      assertArrayEquals(in, cipher.doFinal(text));
      assertArrayEquals(new byte[LENGTH], Arrays.copyOf(out, LENGTH));
    }
  }
}
