// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.security.InvalidAlgorithmParameterException;
import java.util.Arrays;
import java.util.Random;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.Test;

/** CCM, which the JDK has not, and the AEADs of Camellia, against Bouncy Castle's. */
class CcmTest {
  private static final BouncyCastleProvider THEIRS = new BouncyCastleProvider();
  private static final String[] NAMES = {"AES/CCM/NoPadding", "Camellia/CCM/NoPadding", "Camellia/GCM/NoPadding"};
  private final Random random = new Random(25);

  private byte[] bytes(int len) {
    byte[] out = new byte[len];
    random.nextBytes(out);
    return out;
  }

  private byte[] run(Cipher cipher, int mode, SecretKeySpec key, GCMParameterSpec spec, byte[] aad, byte[] in)
      throws Exception {
    cipher.init(mode, key, spec);
    int half = random.nextInt(aad.length + 1), split = random.nextInt(in.length + 1);
    cipher.updateAAD(aad, 0, half);
    cipher.updateAAD(aad, half, aad.length - half);
    byte[] out = new byte[cipher.getOutputSize(in.length)];
    int done = cipher.update(in, 0, split, out, 0);
    done += cipher.doFinal(in, split, in.length - split, out, done);
    return Arrays.copyOf(out, done);
  }

  private void compare(String name, int len, int aadLen) throws Exception {
    SecretKeySpec key = new SecretKeySpec(bytes(new int[] {16, 24, 32}[random.nextInt(3)]), name.split("/")[0]);
    boolean isCcm = name.contains("CCM");
    int ivLen = !isCcm ? 12 : len > 65535 ? 12 : 7 + random.nextInt(7);
    int bits = isCcm ? 32 + 16 * random.nextInt(7) : 128;
    GCMParameterSpec spec = new GCMParameterSpec(bits, bytes(ivLen));
    byte[] text = bytes(len), aad = bytes(aadLen);
    Cipher own = Cipher.getInstance(name, Ours.PROVIDER), model = Cipher.getInstance(name, THEIRS);
    byte[] expected = run(model, Cipher.ENCRYPT_MODE, key, spec, aad, text);
    assertArrayEquals(expected, run(own, Cipher.ENCRYPT_MODE, key, spec, aad, text), name + " " + len);
    assertArrayEquals(text, run(own, Cipher.DECRYPT_MODE, key, spec, aad, expected));
    expected[random.nextInt(expected.length)] ^= 1;
    assertThrows(AEADBadTagException.class, () -> run(own, Cipher.DECRYPT_MODE, key, spec, aad, expected));
    assertThrows(
        AEADBadTagException.class, () -> run(own, Cipher.DECRYPT_MODE, key, spec, aad, Arrays.copyOf(expected, 3)));
  }

  @Test
  void isBouncyCastles() throws Exception {
    for (String name : NAMES)
      for (int len : new int[] {0, 1, 15, 16, 17, 1000, 16384, 16385, 50000, 70000})
        for (int aadLen : new int[] {0, 1, 13, 20000, 66000}) compare(name, len, aadLen);
  }

  @Test
  void keepsATextUntilItHasEnded() throws Exception {
    SecretKeySpec key = new SecretKeySpec(bytes(16), "AES");
    byte[] text = bytes(48);
    Cipher own = Cipher.getInstance("AES/CCM/NoPadding", Ours.PROVIDER);
    own.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, bytes(12)));
    assertEquals(0, own.update(text, 0, 20, new byte[0], 0));
    assertEquals(64, own.getOutputSize(28));
    assertThrows(IllegalStateException.class, () -> own.updateAAD(text));
    assertThrows(ShortBufferException.class, () -> own.doFinal(text, 20, 28, new byte[63], 0));
    byte[] out = own.doFinal(text, 20, 28);
    assertThrows(IllegalStateException.class, () -> own.doFinal(text));
    own.init(Cipher.DECRYPT_MODE, key, own.getParameters());
    assertArrayEquals(text, own.doFinal(out));
  }

  @Test
  void refusesParametersAndLongTexts() throws Exception {
    SecretKeySpec key = new SecretKeySpec(bytes(16), "AES");
    Cipher own = Cipher.getInstance("AES/CCM/NoPadding", Ours.PROVIDER);
    for (int[] bad : new int[][] {{128, 6}, {128, 14}, {24, 12}, {40, 12}})
      assertThrows(
          InvalidAlgorithmParameterException.class,
          () -> own.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(bad[0], bytes(bad[1]))));
    own.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, bytes(13)));
    assertThrows(IllegalBlockSizeException.class, () -> own.doFinal(new byte[65536]));
  }
}
