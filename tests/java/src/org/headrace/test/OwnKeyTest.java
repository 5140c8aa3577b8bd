// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.XECPublicKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.util.List;
import javax.crypto.KeyAgreement;
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

  private record OwnX25519(BigInteger getU) implements XECPublicKey {
    private static final long serialVersionUID = 1L;

    @Override
    public AlgorithmParameterSpec getParams() {
      return NamedParameterSpec.X25519;
    }

    @Override
    public String getAlgorithm() {
      return "X25519";
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

  private static byte[] agree(KeyAgreement agreement, KeyPair own, PublicKey peer) throws Exception {
    agreement.init(own.getPrivate());
    agreement.doPhase(peer, true);
    return agreement.generateSecret();
  }

  /** It is one modulo the prime: its bit 255, which does not count in the bytes of a key, does. */
  @Test
  void aNumberOfX25519Has256Bits() throws Exception {
    KeyPair own = Keys.pair("X25519", null);
    BigInteger prime = BigInteger.ONE.shiftLeft(255).subtract(BigInteger.valueOf(19));
    BigInteger ten = BigInteger.TEN;
    for (BigInteger u : List.of(prime.add(ten), prime.add(prime.shiftRight(3)), prime.shiftLeft(1).add(ten))) {
      byte[] wanted = agree(KeyAgreement.getInstance("X25519", "SunEC"), own, new OwnX25519(u.mod(prime)));
      assertArrayEquals(wanted, agree(KeyAgreement.getInstance("X25519", Ours.PROVIDER), own, new OwnX25519(u)));
    }
  }
}
