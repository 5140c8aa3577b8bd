// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.security.InvalidKeyException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.interfaces.PBEKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Keys of a program's own classes, which hand out the array that they have, and wipe it. */
class OwnArrayTest {
  private static class OwnKey implements SecretKey {
    final byte[] bytes;
    final String format;

    OwnKey(byte[] bytes, String format) {
      this.bytes = bytes;
      this.format = format;
    }

    @Override
    public String getAlgorithm() {
      return "AES";
    }

    @Override
    public String getFormat() {
      return format;
    }

    @Override
    public byte[] getEncoded() {
      return bytes;
    }
  }

  private static final class OwnPassword extends OwnKey implements PBEKey {
    final char[] password = "secret".toCharArray();

    OwnPassword() {
      super(bytes(), "RAW");
    }

    @Override
    public String getAlgorithm() {
      return "PBKDF2WithHmacSHA256";
    }

    @Override
    public char[] getPassword() {
      return password;
    }

    @Override
    public byte[] getSalt() {
      return new byte[8];
    }

    @Override
    public int getIterationCount() {
      return 1;
    }
  }

  private static byte[] bytes() {
    byte[] bytes = new byte[32];
    for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) (i + 1);
    return bytes;
  }

  private interface Use {
    byte[] of(SecretKey key, Runnable afterInit) throws Exception;
  }

  private static void checkThat(Use use) throws Exception {
    byte[] want = use.of(new SecretKeySpec(bytes(), "AES"), () -> {});
    OwnKey key = new OwnKey(bytes(), "RAW");
    assertArrayEquals(want, use.of(key, () -> {}));
    assertArrayEquals(bytes(), key.bytes);
    assertArrayEquals(want, use.of(key, () -> Arrays.fill(key.bytes, (byte) 0)));
  }

  @Test
  void theArrayOfAKeyStays() throws Exception {
    for (String name : new String[] {"AES/GCM/NoPadding", "AES/CTR/NoPadding"})
      checkThat(
          (key, afterInit) -> {
            Cipher cipher = Cipher.getInstance(name, Ours.PROVIDER);
            byte[] iv = new byte[16];
            cipher.init(
                Cipher.ENCRYPT_MODE, key, name.contains("GCM") ? new GCMParameterSpec(128, iv) : new IvParameterSpec(iv));
            afterInit.run();
            return cipher.doFinal(new byte[40]);
          });
    checkThat(
        (key, afterInit) -> {
          Mac mac = Mac.getInstance("HmacSHA256", Ours.PROVIDER);
          mac.init(key);
          afterInit.run();
          return mac.doFinal(new byte[40]);
        });
  }

  @Test
  void aWrappedKeyAndAPasswordStay() throws Exception {
    Cipher cipher = Cipher.getInstance("AES/KW/NoPadding", Ours.PROVIDER);
    cipher.init(Cipher.WRAP_MODE, new SecretKeySpec(bytes(), "AES"));
    OwnKey key = new OwnKey(bytes(), "RAW");
    cipher.wrap(key);
    assertArrayEquals(bytes(), key.bytes);
    OwnPassword password = new OwnPassword();
    SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256", Ours.PROVIDER).translateKey(password);
    assertArrayEquals("secret".toCharArray(), password.password);
    assertArrayEquals(bytes(), password.bytes);
  }

  /** Such as one that a device has, whose encoding is not the key. */
  @Test
  void aKeyOfAnotherFormatIsRefused() throws Exception {
    Cipher cipher = Cipher.getInstance("AES/CBC/NoPadding", Ours.PROVIDER);
    for (String format : new String[] {null, "PKCS#11"})
      assertThrows(
          InvalidKeyException.class,
          () -> cipher.init(Cipher.ENCRYPT_MODE, new OwnKey(bytes(), format), new IvParameterSpec(new byte[16])));
  }

  /** As the JDK's, on which programs rely that write it at once. */
  @Test
  void updateReturnsAnArray() throws Exception {
    Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding", Ours.PROVIDER);
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(bytes(), "AES"), new IvParameterSpec(new byte[16]));
    assertArrayEquals(new byte[0], cipher.update(new byte[3]));
  }
}
