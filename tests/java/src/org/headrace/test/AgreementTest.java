// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAKeyGenParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.security.spec.XECPublicKeySpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.crypto.KeyAgreement;
import javax.crypto.interfaces.DHPublicKey;
import javax.crypto.spec.DHParameterSpec;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Key agreement, and new keys, compared with the JDK's. */
class AgreementTest {
  private static final String[][] KINDS = {
    {"ECDH", "EC", "secp256r1"}, {"ECDH", "EC", "secp384r1"}, {"ECDH", "EC", "secp521r1"},
    {"XDH", "X25519", null}, {"X25519", "X25519", null}
  };

  private static KeyPair theirs(String[] kind) throws Exception {
    return Keys.pair(kind[1], kind[2] == null ? null : new ECGenParameterSpec(kind[2]));
  }

  private static KeyPair ours(String[] kind) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(kind[1], Ours.PROVIDER);
    if (kind[2] != null) generator.initialize(new ECGenParameterSpec(kind[2]));
    return generator.generateKeyPair();
  }

  private static byte[] agree(KeyAgreement agreement, KeyPair own, PublicKey peer) throws Exception {
    agreement.init(own.getPrivate());
    agreement.doPhase(peer, true);
    return agreement.generateSecret();
  }

  @TestFactory
  Collection<DynamicTest> asTheJdk() {
    List<DynamicTest> tests = new ArrayList<>();
    for (String[] kind : KINDS)
      tests.add(DynamicTest.dynamicTest(String.join(" ", kind), () -> compare(kind)));
    return tests;
  }

  private static void compare(String[] kind) throws Exception {
    KeyAgreement our = KeyAgreement.getInstance(kind[0], Ours.PROVIDER);
    KeyAgreement their = KeyAgreement.getInstance(kind[0], "SunEC");
    for (int i = 0; i < 20; i++) {
      KeyPair a = i % 2 == 0 ? theirs(kind) : ours(kind);
      KeyPair b = i % 3 == 0 ? theirs(kind) : ours(kind);
      byte[] secret = agree(our, a, b.getPublic());
      assertArrayEquals(agree(their, b, a.getPublic()), secret);
      assertArrayEquals(agree(our, b, a.getPublic()), secret);
    }
  }

  private interface Misuse {
    Object use(KeyAgreement agreement, KeyPair pair) throws Exception;
  }

  @TestFactory
  Collection<DynamicTest> misuse() throws Exception {
    KeyPair rsa = Keys.rsa(2048);
    KeyPair other = Keys.pair("EC", new ECGenParameterSpec("secp384r1"));
    PublicKey small =
        KeyFactory.getInstance("XDH", "SunEC")
            .generatePublic(new XECPublicKeySpec(NamedParameterSpec.X25519, BigInteger.ZERO));
    List<Misuse> all =
        List.of(
            (a, p) -> a.generateSecret(),
            (a, p) -> a.doPhase(p.getPublic(), true),
            (a, p) -> init(a, null),
            (a, p) -> init(a, new KeyPair(null, rsa.getPrivate())),
            (a, p) -> init(a, p).generateSecret(),
            (a, p) -> init(a, p).doPhase(p.getPublic(), false),
            (a, p) -> init(a, p).doPhase(rsa.getPublic(), true),
            (a, p) -> init(a, p).doPhase(p.getPrivate(), true),
            (a, p) -> init(a, p).doPhase(other.getPublic(), true),
            (a, p) -> init(a, p).doPhase(small, true),
            (a, p) -> {
              a.init(p.getPrivate(), new ECGenParameterSpec("secp256r1"));
              return null;
            },
            (a, p) -> {
              init(a, p).doPhase(p.getPublic(), true);
              return a.doPhase(p.getPublic(), true);
            },
            (a, p) -> {
              init(a, p).doPhase(p.getPublic(), true);
              return a.generateSecret(new byte[20], 0);
            },
            (a, p) -> {
              init(a, p).doPhase(p.getPublic(), true);
              return a.generateSecret("AES");
            },
            (a, p) -> {
              init(a, p).doPhase(p.getPublic(), true);
              return a.generateSecret("TlsPremasterSecret").getAlgorithm();
            },
            (a, p) -> {
              init(a, p).doPhase(p.getPublic(), true);
              return a.generateSecret("Generic").getAlgorithm();
            },
            (a, p) -> {
              init(a, p).doPhase(p.getPublic(), true);
              a.generateSecret();
              return a.generateSecret();
            });
    List<DynamicTest> tests = new ArrayList<>();
    for (String[] kind : KINDS)
      for (int i = 0; i < all.size(); i++) {
        Misuse misuse = all.get(i);
        tests.add(DynamicTest.dynamicTest(String.join(" ", kind) + " " + i, () -> compareMisuse(kind, misuse)));
      }
    return tests;
  }

  private static KeyAgreement init(KeyAgreement agreement, KeyPair pair) throws Exception {
    agreement.init(pair == null ? null : pair.getPrivate());
    return agreement;
  }

  private static void compareMisuse(String[] kind, Misuse misuse) throws Exception {
    KeyPair pair = theirs(kind);
    Outcome<Object> mine = Outcome.of(() -> misuse.use(KeyAgreement.getInstance(kind[0], Ours.PROVIDER), pair));
    Outcome<Object> other = Outcome.of(() -> misuse.use(KeyAgreement.getInstance(kind[0], "SunEC"), pair));
    if (System.getProperty("messages") != null && !mine.toString().equals(other.toString()))
      System.err.println(String.join(" ", kind) + ": ours " + mine + "; theirs " + other);
    assertEquals(other.thrown(), mine.thrown(), () -> mine + " " + other);
  }

  /** New keys are of the JDK's classes, have its encodings, and fit each other. */
  @TestFactory
  Collection<DynamicTest> newKeys() {
    String[][] kinds = {
      {"RSA", "SHA256withRSA"}, {"EC", "SHA256withECDSA"}, {"Ed25519", "Ed25519"}, {"EdDSA", "EdDSA"}
    };
    List<DynamicTest> tests = new ArrayList<>();
    for (String[] kind : kinds)
      tests.add(
          DynamicTest.dynamicTest(
              kind[0],
              () -> {
                KeyPairGenerator generator = KeyPairGenerator.getInstance(kind[0], Ours.PROVIDER);
                KeyPair pair = generator.generateKeyPair();
                KeyPair theirs = Keys.pair(kind[0], null);
                assertEquals(theirs.getPublic().getClass(), pair.getPublic().getClass());
                assertEquals(theirs.getPrivate().getClass(), pair.getPrivate().getClass());
                assertEquals(theirs.getPublic().getEncoded().length, pair.getPublic().getEncoded().length, 2);
                checkPair(kind[1], pair);
              }));
    return tests;
  }

  private static void checkPair(String algorithm, KeyPair pair) throws Exception {
    Signature signer = Signature.getInstance(algorithm);
    signer.initSign(pair.getPrivate());
    signer.update((byte) 1);
    byte[] signature = signer.sign();
    signer.initVerify(pair.getPublic());
    signer.update((byte) 1);
    assertTrue(signer.verify(signature));
  }

  /** As in the JDK a name of parameters is in small letters, too. */
  @Test
  void parametersHaveNames() throws Exception {
    KeyPair own = Keys.pair("X25519", null), peer = Keys.pair("X25519", null);
    KeyAgreement named = KeyAgreement.getInstance("XDH", Ours.PROVIDER);
    named.init(own.getPrivate(), new NamedParameterSpec("x25519"));
    named.doPhase(peer.getPublic(), true);
    assertArrayEquals(agree(KeyAgreement.getInstance("XDH", "SunEC"), own, peer.getPublic()), named.generateSecret());
  }

  /** A peer's key of a program's own class. */
  private record Peer(
      BigInteger getY, DHParameterSpec getParams, String getAlgorithm, String getFormat, byte[] getEncoded)
      implements DHPublicKey {
    private static final long serialVersionUID = 1L;

    Peer(BigInteger y, DHParameterSpec group) {
      this(y, group, "DH", null, null);
    }
  }

  /** Numbers that another's group lacks are not compared. */
  @Test
  void groupsOfDiffieHellmanMayLackNumbers() throws Exception {
    KeyPair own = PairsOfKeys.any(new Dice(1), "DH");
    DHParameterSpec group = ((DHPublicKey) own.getPublic()).getParams();
    BigInteger y = ((DHPublicKey) own.getPublic()).getY();
    BigInteger p = group.getP(), g = group.getG(), odd = p.subtract(BigInteger.TWO);
    DHParameterSpec[] groups = {
      group, new DHParameterSpec(p, null), new DHParameterSpec(null, g), new DHParameterSpec(null, null),
      new DHParameterSpec(odd, null), new DHParameterSpec(null, odd), new DHParameterSpec(odd, g)
    };
    for (DHParameterSpec of : groups)
      for (DHParameterSpec given : groups) {
        Outcome<byte[]> mine = agreed(KeyAgreement.getInstance("DH", Ours.PROVIDER), own, given, new Peer(y, of));
        Outcome<byte[]> other = agreed(KeyAgreement.getInstance("DH", "SunJCE"), own, given, new Peer(y, of));
        // The JDK throws NullPointerException where a peer's key has no p.
        Class<?> thrown = other.thrown() == NullPointerException.class ? InvalidKeyException.class : other.thrown();
        assertEquals(thrown, mine.thrown(), () -> mine + " " + other);
        assertArrayEquals(other.value(), mine.value());
      }
    KeyAgreement agreement = KeyAgreement.getInstance("DH", Ours.PROVIDER);
    agreement.init(own.getPrivate());
    assertThrows(InvalidKeyException.class, () -> agreement.doPhase(new Peer(y, null), true));
  }

  private static Outcome<byte[]> agreed(KeyAgreement agreement, KeyPair own, DHParameterSpec params, Peer peer) {
    return Outcome.of(
        () -> {
          agreement.init(own.getPrivate(), params);
          agreement.doPhase(peer, true);
          return agreement.generateSecret();
        });
  }

  @Test
  void rsaTakesSizesAndExponents() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA", Ours.PROVIDER);
    for (int size : new int[] {1024, 2048}) {
      generator.initialize(new RSAKeyGenParameterSpec(size, BigInteger.valueOf(65539)));
      RSAPrivateCrtKey key = (RSAPrivateCrtKey) generator.generateKeyPair().getPrivate();
      assertEquals(size, key.getModulus().bitLength());
      assertEquals(BigInteger.valueOf(65539), key.getPublicExponent());
    }
    generator.initialize(2048);
    checkPair("SHA256withRSA", generator.generateKeyPair());
  }

  @Test
  void generatorsRefuseAsTheJdk() throws Exception {
    List<AlgorithmParameterSpec> specs =
        List.of(
            new ECGenParameterSpec("secp192r1x"), new RSAKeyGenParameterSpec(100, BigInteger.TWO),
            NamedParameterSpec.X448, new RSAKeyGenParameterSpec(2048, BigInteger.TWO));
    for (String algorithm : new String[] {"RSA", "EC", "Ed25519", "X25519"})
      for (AlgorithmParameterSpec spec : specs) {
        Outcome<Void> mine = Outcome.of(() -> initialize(KeyPairGenerator.getInstance(algorithm, Ours.PROVIDER), spec));
        Outcome<Void> other = Outcome.of(() -> initialize(KeyPairGenerator.getInstance(algorithm), spec));
        assertEquals(other.thrown(), mine.thrown(), () -> algorithm + " " + mine + " " + other);
      }
  }

  private static Void initialize(KeyPairGenerator generator, AlgorithmParameterSpec spec) throws Exception {
    generator.initialize(spec);
    return null;
  }

  /** Factories and parameters are the JDK's. */
  @Test
  void factoriesAndParameters() throws Exception {
    KeyPair pair = Keys.pair("EC", new ECGenParameterSpec("secp256r1"));
    KeyFactory factory = KeyFactory.getInstance("EC", Ours.PROVIDER);
    assertEquals(pair.getPublic(), factory.generatePublic(new X509EncodedKeySpec(pair.getPublic().getEncoded())));
    assertEquals(
        pair.getPrivate(), factory.generatePrivate(new PKCS8EncodedKeySpec(pair.getPrivate().getEncoded())));
    AlgorithmParameters params = AlgorithmParameters.getInstance("EC", Ours.PROVIDER);
    params.init(new ECGenParameterSpec("secp256r1"));
    assertEquals(
        ((ECPublicKey) pair.getPublic()).getParams().getOrder(),
        params.getParameterSpec(ECParameterSpec.class).getOrder());
    assertThrows(InvalidKeyException.class, () -> factory.translateKey(Keys.rsa(2048).getPublic()));
  }
}
