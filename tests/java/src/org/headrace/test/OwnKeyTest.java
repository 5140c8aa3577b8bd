// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Keys of public key of a program's own classes, which may show what no key of the JDK shows. */
class OwnKeyTest {
  /** A key whose number is that of another one, which changes. */
  private static final class Changing implements ECPrivateKey {
    private transient ECPrivateKey now;

    @Override
    public BigInteger getS() {
      return now.getS();
    }

    @Override
    public ECParameterSpec getParams() {
      return now.getParams();
    }

    @Override
    public String getAlgorithm() {
      return "EC";
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

  private static List<KeyPair> pairs() throws Exception {
    ECGenParameterSpec curve = new ECGenParameterSpec("secp256r1");
    return List.of(Keys.pair("EC", curve), Keys.pair("EC", curve));
  }

  private static Signature signature(String provider) throws Exception {
    return Signature.getInstance("SHA256withECDSA", provider);
  }

  @Test
  void signsByTheNumberThatIsShownNow() throws Exception {
    Changing key = new Changing();
    Signature signer = Signature.getInstance("SHA256withECDSA", Ours.PROVIDER);
    for (KeyPair pair : pairs()) {
      key.now = (ECPrivateKey) pair.getPrivate();
      signer.initSign(key);
      byte[] signature = signer.sign();
      Signature verifier = signature("SunEC");
      verifier.initVerify(pair.getPublic());
      assertTrue(verifier.verify(signature));
    }
  }

  @Test
  void verifiesByTheEncodingThatIsShownNow() throws Exception {
    byte[] shown = pairs().get(0).getPublic().getEncoded();
    PublicKey key = AnyKey.publicKey("EC", shown);
    Signature verifier = Signature.getInstance("SHA256withECDSA", Ours.PROVIDER);
    for (KeyPair pair : pairs()) {
      byte[] now = pair.getPublic().getEncoded();
      System.arraycopy(now, 0, shown, 0, now.length);
      Signature signer = signature("SunEC");
      signer.initSign(pair.getPrivate());
      byte[] signature = signer.sign();
      verifier.initVerify(key);
      assertTrue(verifier.verify(signature));
    }
  }
}
