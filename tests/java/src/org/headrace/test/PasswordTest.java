// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.security.spec.InvalidKeySpecException;
import java.util.HexFormat;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.interfaces.PBEKey;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;
import org.headrace.jce.HeadraceProvider;
import org.junit.jupiter.api.Test;

/** PBKDF2: RFC 6070, the JDK's own results, and what one may do with the keys. */
class PasswordTest {
  private final HeadraceProvider provider = new HeadraceProvider();

  private SecretKeyFactory ours(String hash) throws Exception {
    return SecretKeyFactory.getInstance("PBKDF2WithHmac" + hash, provider);
  }

  private static PBEKeySpec spec(String password, String salt, int iterations, int bits) {
    return new PBEKeySpec(password.toCharArray(), salt.getBytes(), iterations, bits);
  }

  @Test
  void isThatOfRfc6070() throws Exception {
    SecretKey key = ours("SHA1").generateSecret(spec("password", "salt", 4096, 160));
    assertArrayEquals(
        HexFormat.of().parseHex("4b007901b765489abead49d926f721d065a429c1"), key.getEncoded());
  }

  @Test
  void isThatOfTheJdk() throws Exception {
    for (String hash : new String[] {"SHA1", "SHA224", "SHA256", "SHA384", "SHA512"})
      for (String password : new String[] {"", "password", "pässwörd €", "a".repeat(300)})
        for (int bits : new int[] {8, 128, 600, 4096}) {
          SecretKey theirs =
              SecretKeyFactory.getInstance("PBKDF2WithHmac" + hash, "SunJCE")
                  .generateSecret(spec(password, "other salt", 3, bits));
          SecretKey own = ours(hash).generateSecret(spec(password, "other salt", 3, bits));
          assertArrayEquals(theirs.getEncoded(), own.getEncoded());
          assertEquals(theirs, own);
          assertEquals(own, theirs);
          assertEquals(theirs.getAlgorithm(), own.getAlgorithm());
          assertArrayEquals(theirs.getEncoded(), ours(hash).translateKey(theirs).getEncoded());
        }
  }

  @Test
  void refusesWhatTheJdkRefuses() throws Exception {
    SecretKeyFactory factory = ours("SHA256");
    assertThrows(InvalidKeySpecException.class, () -> factory.generateSecret(new SecretKeySpec(new byte[8], "x")));
    assertThrows(InvalidKeySpecException.class, () -> factory.generateSecret(new PBEKeySpec("x".toCharArray())));
    assertThrows(
        InvalidKeySpecException.class,
        () -> factory.generateSecret(new PBEKeySpec("x".toCharArray(), new byte[8], 1)));
  }

  @Test
  void isReadByAJvmWithoutHeadrace() throws Exception {
    SecretKey key = ours("SHA256").generateSecret(spec("x", "salt", 5, 128));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new ObjectOutputStream(bytes).writeObject(key);
    Object read = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
    assertEquals(SecretKeySpec.class, read.getClass());
    assertArrayEquals(key.getEncoded(), ((SecretKey) read).getEncoded());
  }

  @Test
  void isWiped() throws Exception {
    PBEKey key = (PBEKey) ours("SHA256").generateSecret(spec("x", "salt", 5, 128));
    assertArrayEquals("x".toCharArray(), key.getPassword());
    key.destroy();
    assertTrue(key.isDestroyed());
    assertThrows(IllegalStateException.class, key::getEncoded);
    assertThrows(IllegalStateException.class, key::getPassword);
  }
}
