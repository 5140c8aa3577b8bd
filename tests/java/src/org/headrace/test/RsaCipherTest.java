// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.interfaces.RSAPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPrivateKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Cipher;
import javax.crypto.NoSuchPaddingException;
import javax.crypto.SecretKey;
import javax.crypto.spec.OAEPParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.Test;

/** RSA as a cipher: what the random walks of {@link RsaWalk} do not meet. */
class RsaCipherTest {
  private static final BouncyCastleProvider CASTLE = new BouncyCastleProvider();
  private static final Map<Integer, KeyPair> PAIRS = new ConcurrentHashMap<>();

  /** Keys of a size: from the JDK's generator, from ours, or as objects of Bouncy Castle. */
  static KeyPair pair(int bits, int kind) {
    return PAIRS.computeIfAbsent(
        10 * bits + kind,
        n -> {
          try {
            if (kind == 0 && bits <= 2048) return Keys.rsa(bits);
            if (kind == 2) return castle(pair(bits, 0));
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA", Ours.PROVIDER);
            generator.initialize(bits);
            return generator.generateKeyPair();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private static KeyPair castle(KeyPair pair) throws Exception {
    KeyFactory factory = KeyFactory.getInstance("RSA", CASTLE);
    return new KeyPair(
        factory.generatePublic(new X509EncodedKeySpec(pair.getPublic().getEncoded())),
        factory.generatePrivate(new PKCS8EncodedKeySpec(pair.getPrivate().getEncoded())));
  }

  @Test
  void namesAreTheJdks() throws Exception {
    for (String name :
        new String[] {
          "RSA", "rsa/ecb/pkcs1padding", "RSA/ECB/OAEPWithSHA1AndMGF1Padding", "RSA/ECB/OAEPWithSHA-512/256AndMGF1Padding",
          "RSA/ECB/OAEPWithSHA256AndMGF1Padding", "RSA/ECB/OAEPWithSHA3-256AndMGF1Padding", "RSA/CBC/PKCS1Padding",
          "RSA/None/PKCS1Padding", "RSA/ECB/PKCS5Padding", "RSA/ECB/"
        }) {
      Outcome<Cipher> mine = Outcome.of(() -> Cipher.getInstance(name, Ours.PROVIDER));
      Outcome<Cipher> other = Outcome.of(() -> Cipher.getInstance(name, "SunJCE"));
      assertEquals(other.thrown(), mine.thrown(), name);
    }
  }

  /** A transformation's digest is none of MGF1: the JDK takes SHA-1 there, Bouncy Castle does not. */
  @Test
  void castleReadsOaep() throws Exception {
    KeyPair pair = Keys.rsa(2048);
    for (String digest : new String[] {"SHA-1", "SHA-256", "SHA-512"}) {
      String name = "RSA/ECB/OAEPWith" + digest + "AndMGF1Padding";
      Cipher own = Cipher.getInstance(name, Ours.PROVIDER), other = Cipher.getInstance(name, CASTLE);
      own.init(Cipher.ENCRYPT_MODE, pair.getPublic());
      other.init(
          Cipher.DECRYPT_MODE, pair.getPrivate(), own.getParameters().getParameterSpec(OAEPParameterSpec.class));
      assertArrayEquals(new byte[20], other.doFinal(own.doFinal(new byte[20])), name);
    }
  }

  /** Keys of all kinds come out as they went in. */
  @Test
  void wrapsKeys() throws Exception {
    KeyPair large = pair(4096, 1), small = Keys.rsa(1024);
    Cipher own = Cipher.getInstance("RSA/ECB/OAEPWithSHA-256AndMGF1Padding", Ours.PROVIDER);
    for (Key key : new Key[] {new SecretKeySpec(new byte[32], "AES"), small.getPublic()}) {
      own.init(Cipher.WRAP_MODE, large.getPublic());
      byte[] wrapped = own.wrap(key);
      own.init(Cipher.UNWRAP_MODE, large.getPrivate());
      assertEquals(
          key, own.unwrap(wrapped, key.getAlgorithm(), key instanceof SecretKey ? Cipher.SECRET_KEY : Cipher.PUBLIC_KEY));
    }
  }

  /** A key that the library cannot use is refused, so that Java goes on to the next provider. */
  @Test
  void refusesOtherKeys() throws Exception {
    RSAPrivateKey whole = (RSAPrivateKey) Keys.rsa(1024).getPrivate();
    PrivateKey bare =
        KeyFactory.getInstance("RSA").generatePrivate(new RSAPrivateKeySpec(whole.getModulus(), whole.getPrivateExponent()));
    for (Key key : new Key[] {bare, Keys.rsa(512).getPrivate(), Keys.rsa(512).getPublic()}) {
      Cipher own = Cipher.getInstance("RSA/ECB/PKCS1Padding", Ours.PROVIDER);
      assertThrows(InvalidKeyException.class, () -> own.init(Cipher.DECRYPT_MODE, key));
    }
  }

  /** With every byte of a ciphertext changed, OAEP says no more than that it is wrong. */
  @Test
  void oneExceptionForAllOfOaep() throws Exception {
    KeyPair pair = Keys.rsa(1024);
    Cipher own = Cipher.getInstance("RSA/ECB/OAEPPadding", Ours.PROVIDER);
    own.init(Cipher.ENCRYPT_MODE, pair.getPublic());
    byte[] sealed = own.doFinal(new byte[] {1, 2, 3});
    own.init(Cipher.DECRYPT_MODE, pair.getPrivate());
    for (int i = 1; i < sealed.length; i++) { // the first may make it larger than the modulus
      byte[] changed = sealed.clone();
      changed[i] ^= 1;
      Outcome<byte[]> outcome = Outcome.of(() -> own.doFinal(changed));
      assertEquals("javax.crypto.BadPaddingException: Padding error in decryption", outcome.toString());
    }
    assertArrayEquals(new byte[] {1, 2, 3}, own.doFinal(sealed));
  }

  @Test
  void noPaddingIsPlainRsa() throws Exception {
    KeyPair pair = Keys.rsa(1024);
    Cipher own = Cipher.getInstance("RSA/ECB/NoPadding", Ours.PROVIDER);
    own.init(Cipher.ENCRYPT_MODE, pair.getPrivate());
    byte[] power = own.doFinal(new byte[] {2});
    own.init(Cipher.DECRYPT_MODE, pair.getPublic());
    byte[] two = new byte[128];
    two[127] = 2;
    assertArrayEquals(two, own.doFinal(power));
    own.init(Cipher.ENCRYPT_MODE, pair.getPublic());
    assertArrayEquals(new byte[128], own.doFinal());
    byte[] most = new byte[128];
    Arrays.fill(most, (byte) -1);
    assertThrows(javax.crypto.BadPaddingException.class, () -> own.doFinal(most));
    assertThrows(NoSuchPaddingException.class, () -> Cipher.getInstance("RSA/ECB/Other", Ours.PROVIDER));
    assertThrows(NoSuchAlgorithmException.class, () -> Cipher.getInstance("RSA/GCM/NoPadding", Ours.PROVIDER));
  }
}
