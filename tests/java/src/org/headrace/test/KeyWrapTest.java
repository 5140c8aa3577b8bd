// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.util.Arrays;
import java.util.Random;
import javax.crypto.Cipher;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Key wrap against the JDK's, and XTS against its definition. */
class KeyWrapTest {
  private static final String[] WRAPS = {
    "AES/KW/NoPadding", "AES/KWP/NoPadding", "AES_128/KW/NoPadding", "AES_256/KWP/NoPadding", "AESWrap",
    "AESWrapPad_192", "2.16.840.1.101.3.4.1.45"
  };
  private final Random random = new Random(23);

  private byte[] bytes(int len) {
    byte[] out = new byte[len];
    random.nextBytes(out);
    return out;
  }

  private static Cipher ours(String name) throws Exception {
    return Cipher.getInstance(name, Ours.PROVIDER);
  }

  private static Cipher theirs(String name) throws Exception {
    return Cipher.getInstance(name, "SunJCE");
  }

  private static Outcome<String> run(Cipher cipher, int mode, Key key, byte[] in, int split) {
    return Outcome.of(
        () -> {
          cipher.init(mode, key);
          String size = cipher.getOutputSize(in.length) + " ";
          cipher.update(in, 0, split);
          return size + Keys.hex(cipher.doFinal(in, split, in.length - split)) + Keys.hex(cipher.getIV());
        });
  }

  private void compare(String name, int keyLen) throws Exception {
    SecretKeySpec key = new SecretKeySpec(bytes(keyLen), "AES");
    Cipher own = ours(name), model = theirs(name);
    for (int len = 0; len <= 80; len++) {
      byte[] in = bytes(len);
      int split = random.nextInt(len + 1);
      Outcome<String> expected = run(model, Cipher.ENCRYPT_MODE, key, in, split);
      assertEquals(expected.key(), run(own, Cipher.ENCRYPT_MODE, key, in, split).key(), name + " " + len);
      if (expected.error() != null) continue;
      model.init(Cipher.ENCRYPT_MODE, key);
      byte[] wrapped = model.doFinal(in);
      own.init(Cipher.DECRYPT_MODE, key);
      assertArrayEquals(in, own.doFinal(wrapped));
      byte[] other = wrapped.clone();
      other[random.nextInt(other.length)] ^= (byte) (1 << random.nextInt(8));
      for (byte[] bad : new byte[][] {other, Arrays.copyOf(wrapped, len < 9 ? 9 : wrapped.length - 1)})
        assertEquals(
            run(model, Cipher.DECRYPT_MODE, key, bad, 0).toString(),
            run(own, Cipher.DECRYPT_MODE, key, bad, 0).toString());
    }
  }

  private static int[] keys(String name) {
    if (name.contains("_128")) return new int[] {16};
    if (name.contains("_192")) return new int[] {24};
    return name.contains("_256") || name.endsWith(".45") ? new int[] {32} : new int[] {16, 24, 32};
  }

  @Test
  void wrapsAsTheJdkDoes() throws Exception {
    for (String name : WRAPS)
      for (int keyLen : keys(name))
        compare(name, keyLen);
  }

  @Test
  void wrapsKeys() throws Exception {
    SecretKeySpec key = new SecretKeySpec(bytes(16), "AES");
    for (String name : new String[] {"AES/KW/NoPadding", "AES/KWP/NoPadding"}) {
      Key[] inner = {new SecretKeySpec(bytes(32), "HmacSHA256"), Keys.rsa(2048).getPrivate(), Keys.rsa(2048).getPublic()};
      int[] types = {Cipher.SECRET_KEY, Cipher.PRIVATE_KEY, Cipher.PUBLIC_KEY};
      for (int i = 0; i < inner.length; i++) {
        Cipher own = ours(name), model = theirs(name);
        own.init(Cipher.WRAP_MODE, key);
        model.init(Cipher.WRAP_MODE, key);
        Outcome<String> expected = wrap(model, inner[i]);
        assertEquals(expected.key(), wrap(own, inner[i]).key());
        if (expected.error() != null) continue;
        byte[] wrapped = model.wrap(inner[i]);
        own.init(Cipher.UNWRAP_MODE, key);
        assertEquals(inner[i], own.unwrap(wrapped, inner[i].getAlgorithm(), types[i]));
        wrapped[1] ^= 1;
        int type = types[i];
        assertThrows(InvalidKeyException.class, () -> own.unwrap(wrapped, "AES", type));
      }
    }
  }

  private static Outcome<String> wrap(Cipher cipher, Key key) {
    return Outcome.of(() -> Keys.hex(cipher.wrap(key)));
  }

  @Test
  void refusesAndGoesOn() throws Exception {
    SecretKeySpec key = new SecretKeySpec(bytes(16), "AES");
    Cipher own = ours("AES/KW/NoPadding");
    own.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(new byte[8]));
    byte[] text = bytes(24), out = new byte[64];
    own.update(text, 0, 10);
    assertThrows(ShortBufferException.class, () -> own.doFinal(text, 10, 14, new byte[31], 0));
    assertEquals(32, own.doFinal(text, 10, 14, out, 3));
    own.init(Cipher.DECRYPT_MODE, key, new IvParameterSpec(new byte[8]));
    // In place, one byte on, by buffers.
    ByteBuffer target = ByteBuffer.wrap(out, 4, 60);
    assertEquals(24, own.doFinal(ByteBuffer.wrap(out, 3, 32), target));
    assertArrayEquals(text, Arrays.copyOfRange(out, 4, 28));
    for (int len : new int[] {0, 4, 16})
      assertThrows(
          InvalidAlgorithmParameterException.class,
          () -> own.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(new byte[len])));
    assertThrows(
        InvalidKeyException.class, () -> own.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[15], "AES")));
  }

  /** The JDK's ciphers take keys of their own names only. */
  @Test
  void takesKeysOfItsName() throws Exception {
    String[] ciphers = {
      "AES/CBC/NoPadding", "AES/GCM/NoPadding", "AES_192/GCM/NoPadding", "DESede/CBC/NoPadding", "DES/ECB/NoPadding",
      "ChaCha20-Poly1305"
    };
    for (String name : ciphers)
      for (String algorithm : new String[] {"AES", "rijndael", "DESede", "TripleDES", "DES", "ChaCha20", "RAW"})
        for (int len : new int[] {8, 16, 24, 32}) {
          SecretKeySpec key = new SecretKeySpec(bytes(len), algorithm);
          assertEquals(init(theirs(name), key), init(ours(name), key), name + ", a key of " + algorithm);
        }
  }

  private static String init(Cipher cipher, Key key) {
    return Outcome.of(
            () -> {
              cipher.init(Cipher.ENCRYPT_MODE, key);
              return "";
            })
        .toString();
  }

  // ---- XTS ----

  @Test
  void encryptsUnits() throws Exception {
    int[] lengths = {16, 17, 31, 32, 33, 512, 16384, 16385, 16399, 16400, 32768, 40000, 49167};
    for (int keyLen : new int[] {32, 64})
      for (int len : lengths) {
        byte[] key = bytes(keyLen), iv = bytes(16), text = bytes(len);
        SecretKeySpec spec = new SecretKeySpec(key, "AES");
        Cipher own = ours("AES/XTS/NoPadding");
        own.init(Cipher.ENCRYPT_MODE, spec, new IvParameterSpec(iv));
        int split = random.nextInt(len);
        own.update(text, 0, split);
        byte[] out = own.doFinal(text, split, len - split);
        assertArrayEquals(XtsModel.crypt(false, key, iv, text), out, "length " + len);
        assertArrayEquals(out, own.doFinal(text), "the same again");
        own.init(Cipher.DECRYPT_MODE, spec, own.getParameters());
        byte[] moved = new byte[len + 5];
        System.arraycopy(out, 0, moved, 5, len);
        assertEquals(len, own.doFinal(moved, 5, len, moved, 2));
        assertArrayEquals(text, Arrays.copyOfRange(moved, 2, 2 + len));
      }
  }

  @Test
  void refusesOneKeyTwice() throws Exception {
    SecretKeySpec key = new SecretKeySpec(new byte[32], "AES");
    IvParameterSpec iv = new IvParameterSpec(new byte[16]);
    Cipher own = ours("AES/XTS/NoPadding");
    assertThrows(InvalidKeyException.class, () -> own.init(Cipher.ENCRYPT_MODE, key, iv));
    own.init(Cipher.DECRYPT_MODE, key, iv);
    own.doFinal(new byte[16]);
    assertThrows(javax.crypto.IllegalBlockSizeException.class, () -> own.doFinal(new byte[15]));
  }
}
