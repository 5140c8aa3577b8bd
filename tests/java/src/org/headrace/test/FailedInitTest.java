// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Provider;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import javax.crypto.KeyAgreement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Objects that refused a key or parameters, and are used again. */
class FailedInitTest {
  /** As with the JDK's, the key before; and no NullPointerException. */
  @ParameterizedTest
  @CsvSource({"SHA256withRSA,RSA,SunRsaSign", "SHA256withECDSA,EC,SunEC"})
  void aSignatureKeepsItsKey(String name, String algorithm, String jdk) throws Exception {
    KeyPair pair = KeyPairGenerator.getInstance(algorithm, jdk).generateKeyPair();
    KeyPair other = KeyPairGenerator.getInstance("X25519", "SunEC").generateKeyPair();
    for (Provider provider : new Provider[] {java.security.Security.getProvider(jdk), Ours.PROVIDER}) {
      Signature signature = Signature.getInstance(name, provider);
      signature.initSign(pair.getPrivate());
      assertThrows(InvalidKeyException.class, () -> signature.initSign(other.getPrivate()));
      byte[] signed = signature.sign();
      signature.initVerify(pair.getPublic());
      assertThrows(InvalidKeyException.class, () -> signature.initVerify(other.getPublic()));
      assertTrue(signature.verify(signed));
    }
  }

  /** As the JDK's does, and as no walk through orders of calls does for keys of each kind. */
  @ParameterizedTest
  @CsvSource({"X25519,X25519,true", "ECDH,EC,false", "DiffieHellman,DiffieHellman,false"})
  void anAgreementWithoutItsKey(String name, String algorithm, boolean isKept) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
    if (algorithm.startsWith("Diffie")) generator.initialize(1024);
    KeyPair pair = generator.generateKeyPair();
    KeyAgreement agreement = KeyAgreement.getInstance(name, Ours.PROVIDER);
    agreement.init(pair.getPrivate());
    agreement.doPhase(pair.getPublic(), true);
    assertThrows(InvalidKeyException.class, () -> agreement.init(Keys.rsa(2048).getPrivate()));
    if (isKept) assertEquals(32, agreement.generateSecret().length);
    else assertThrows(IllegalStateException.class, agreement::generateSecret);
    if (isKept) assertNull(agreement.doPhase(pair.getPublic(), true));
    else assertThrows(IllegalStateException.class, () -> agreement.doPhase(pair.getPublic(), true));
  }

  @Test
  void pssTakesNoMd5() throws Exception {
    Signature pss = Signature.getInstance("RSASSA-PSS", Ours.PROVIDER);
    for (String[] names : new String[][] {{"MD5", "SHA-256"}, {"SHA-256", "MD5"}})
      assertThrows(
          InvalidAlgorithmParameterException.class,
          () -> pss.setParameter(new PSSParameterSpec(names[0], "MGF1", new MGF1ParameterSpec(names[1]), 16, 1)));
    pss.setParameter(new PSSParameterSpec("SHA-1", "MGF1", MGF1ParameterSpec.SHA1, 16, 1));
    assertEquals("RSASSA-PSS", pss.getParameters().getAlgorithm());
  }

  private record RsaNumbers(BigInteger getModulus, BigInteger getPublicExponent) implements RSAPublicKey {
    private static final long serialVersionUID = 1L;

    @Override
    public String getAlgorithm() {
      return "RSA";
    }

    @Override
    public String getFormat() {
      return null;
    }

    @Override
    public byte[] getEncoded() {
      return null;
    }
  }

  /** A parameter of a program's own class may say anything; the library reads -1 as a digest's length. */
  @Test
  void pssTakesNoNegativeSalt() throws Exception {
    Signature pss = Signature.getInstance("RSASSA-PSS", Ours.PROVIDER);
    for (int salt : new int[] {-1, -2, Integer.MIN_VALUE}) {
      PSSParameterSpec spec =
          new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1) {
            @Override
            public int getSaltLength() {
              return salt;
            }
          };
      assertThrows(InvalidAlgorithmParameterException.class, () -> pss.setParameter(spec));
    }
  }

  /** Keys of a program's own class may have any numbers; a negative one is not that of its bytes. */
  @Test
  void rsaTakesNoNegativeNumbers() throws Exception {
    BigInteger n = ((RSAPublicKey) Keys.rsa(2048).getPublic()).getModulus(), e = BigInteger.valueOf(65537);
    Signature signature = Signature.getInstance("SHA256withRSA", Ours.PROVIDER);
    signature.initVerify(new RsaNumbers(n, e));
    for (RsaNumbers wrong :
        new RsaNumbers[] {new RsaNumbers(n.negate(), e), new RsaNumbers(n, e.negate()), new RsaNumbers(null, e)})
      assertThrows(InvalidKeyException.class, () -> signature.initVerify(wrong));
  }
}
