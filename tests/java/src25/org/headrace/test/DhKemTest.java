// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Security;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.XECPublicKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPrivateKeySpec;
import java.security.spec.XECPublicKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.DecapsulateException;
import javax.crypto.KDF;
import javax.crypto.KEM;
import javax.crypto.KeyAgreement;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** DHKEM by javax.crypto.KEM: RFC 9180, and against the JDK's. */
class DhKemTest {
  private static final Provider JDK = Security.getProvider("SunJCE");
  private static final Provider SUN_EC = Security.getProvider("SunEC");

  private static KEM kem(Provider provider) throws Exception {
    return KEM.getInstance("DHKEM", provider);
  }

  private static AlgorithmParameterSpec params(String curve) {
    return curve.startsWith("X") ? new NamedParameterSpec(curve) : new ECGenParameterSpec(curve);
  }

  private static KeyPair pair(String curve, Provider provider) throws Exception {
    return Keys.pair(curve.startsWith("X") ? "X25519" : "EC", curve.startsWith("X") ? null : params(curve), provider);
  }

  private static PrivateKey key(String curve, String hex) throws Exception {
    return curve.startsWith("X")
        ? KeyFactory.getInstance("X25519", SUN_EC).generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, Ours.bytes(hex)))
        : KeyFactory.getInstance("EC", SUN_EC).generatePrivate(new ECPrivateKeySpec(new BigInteger(hex, 16), Keys.curve(curve)));
  }

  /** A private key, a ciphertext and its secret: appendices A.1.1, A.3.1 and A.6.1. */
  @ParameterizedTest
  @CsvSource({
    "X25519, 4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8,"
        + " 37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431,"
        + " fe0e18c9f024ce43799ae393c7e8fe8fce9d218875e8227b0187c04e7d2ea1fc",
    "secp256r1, f3ce7fdae57e1a310d87f1ebbde6f328be0a99cdbcadf4d6589cf29de4b8ffd2,"
        + " 04a92719c6195d5085104f469a8b9814d5838ff72b60501e2c4466e5e67b325a"
        + "c98536d7b61a1af4b78e5b7f951c0900be863c403ce65c9bfcb9382657222d18c4,"
        + " c0d26aeab536609a572b07695d933b589dcf363ff9d93c93adea537aeabb8cb8",
    "secp521r1, 01462680369ae375e4b3791070a7458ed527842f6a98a79ff5e0d4cbde83c271"
        + "96a3916956655523a6a2556a7af62c5cadabe2ef9da3760bb21e005202f7b2462847,"
        + " 040138b385ca16bb0d5fa0c0665fbbd7e69e3ee29f63991d3e9b5fa740aab890"
        + "0aaeed46ed73a49055758425a0ce36507c54b29cc5b85a5cee6bae0cf1c21f27"
        + "31ece2013dc3fb7c8d21654bb161b463962ca19e8c654ff24c94dd2898de1205"
        + "1f1ed0692237fb02b2f8d1dc1c73e9b366b529eb436e98a996ee522aef863dd5739d2f29b0,"
        + " 776ab421302f6eff7d7cb5cb1adaea0cd50872c71c2d63c30c4f1d5e43653336"
        + "fef33b103c67e7a98add2d3b66e2fda95b5b2a667aa9dac7e59cc1d46d30e818"
  })
  void isThatOfRfc9180(String curve, String own, String sent, String secret) throws Exception {
    KEM.Decapsulator receiver = kem(Ours.PROVIDER).newDecapsulator(key(curve, own));
    assertEquals(secret, Keys.hex(receiver.decapsulate(Ours.bytes(sent)).getEncoded()));
  }

  /** The key of the message of appendix A.1.1 as random bytes, of which the JDK makes it. */
  @Test
  void sendsAsRfc9180() throws Exception {
    byte[] own = Ours.bytes("52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736");
    SecureRandom random =
        new SecureRandom() {
          private static final long serialVersionUID = 1L;

          @Override
          public void nextBytes(byte[] bytes) {
            System.arraycopy(own, 0, bytes, 0, own.length);
          }
        };
    byte[] u = Ours.bytes("3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d");
    KEM.Encapsulated sent = kem(Ours.PROVIDER).newEncapsulator(x25519(number(u)), null, random).encapsulate();
    assertEquals("37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431", Keys.hex(sent.encapsulation()));
    assertEquals("fe0e18c9f024ce43799ae393c7e8fe8fce9d218875e8227b0187c04e7d2ea1fc", Keys.hex(sent.key().getEncoded()));
  }

  /** The number whose bytes these are, the least first. */
  private static BigInteger number(byte[] bytes) {
    byte[] turned = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) turned[i] = bytes[bytes.length - 1 - i];
    return new BigInteger(1, turned);
  }

  private static byte[] bytes(BigInteger number) {
    byte[] out = new byte[32];
    for (int i = 0; i < 256; i++) if (number.testBit(i)) out[i / 8] |= (byte) (1 << i % 8);
    return out;
  }

  private static PublicKey x25519(BigInteger u) throws Exception {
    return KeyFactory.getInstance("X25519", SUN_EC).generatePublic(new XECPublicKeySpec(NamedParameterSpec.X25519, u));
  }

  private static void checkSecret(PublicKey open, KEM sender, PrivateKey own, KEM receiver) throws Exception {
    KEM.Encapsulator made = sender.newEncapsulator(open);
    KEM.Encapsulated sent = made.encapsulate(), next = made.encapsulate();
    assertEquals(sent.key(), receiver.newDecapsulator(own).decapsulate(sent.encapsulation()));
    assertFalse(Arrays.equals(sent.encapsulation(), next.encapsulation()), "each message has a new key");
    assertFalse(sent.key().equals(next.key()), "each message has a new secret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"secp256r1", "secp384r1", "secp521r1", "X25519"})
  void secretsAreTheJdks(String curve) throws Exception {
    KEM own = kem(Ours.PROVIDER), model = kem(JDK);
    for (Provider keys : new Provider[] {SUN_EC, Ours.PROVIDER, new BouncyCastleProvider()})
      for (int i = 0; i < 10; i++) {
        KeyPair pair = pair(curve, keys);
        checkSecret(pair.getPublic(), own, pair.getPrivate(), model);
        checkSecret(pair.getPublic(), model, pair.getPrivate(), own);
        checkSecret(pair.getPublic(), own, pair.getPrivate(), own);
      }
  }

  /** Of the same random numbers both make the same. */
  @ParameterizedTest
  @ValueSource(strings = {"secp256r1", "secp384r1", "secp521r1", "X25519"})
  void randomNumbersAreThePrograms(String curve) throws Exception {
    PublicKey open = pair(curve, SUN_EC).getPublic();
    KEM.Encapsulated[] sent = new KEM.Encapsulated[2];
    for (int i = 0; i < 2; i++)
      sent[i] = kem(i == 0 ? JDK : Ours.PROVIDER).newEncapsulator(open, null, Dice.secure(4)).encapsulate();
    assertEquals(sent[0].key(), sent[1].key());
    assertArrayEquals(sent[0].encapsulation(), sent[1].encapsulation());
  }

  // ---- what is refused ----

  private interface Use {
    Object by(KEM kem) throws Exception;
  }

  private static void compare(String name, Use use) {
    Outcome<Object> mine = Outcome.of(() -> use.by(kem(Ours.PROVIDER))), model = Outcome.of(() -> use.by(kem(JDK)));
    assertEquals(model.key(), mine.key(), name + ": " + model + "; ours: " + mine);
  }

  private static List<byte[]> hostile(String curve, byte[] right, PublicKey open) {
    int length = right.length;
    List<byte[]> all = new ArrayList<>(Arrays.asList(null, new byte[0], new byte[1], new byte[length], Arrays.copyOf(right, length - 1)));
    all.add(Arrays.copyOf(right, length + 1));
    for (int bit = 0; bit < 8 * length; bit += 7) {
      byte[] changed = right.clone();
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      all.add(changed);
    }
    byte[] full = new byte[length];
    Arrays.fill(full, (byte) -1);
    if (curve.startsWith("X")) full[length - 1] = 0x7f;
    all.add(full);
    if (curve.startsWith("X")) smallOrders().forEach(u -> all.add(bytes(u)));
    else addForms(all, right, ((ECPublicKey) open).getParams());
    return all;
  }

  private static final BigInteger P = BigInteger.TWO.pow(255).subtract(BigInteger.valueOf(19));

  /** The numbers below 2^255 whose secrets are zero. */
  private static List<BigInteger> smallOrders() {
    return List.of(
        BigInteger.ZERO, BigInteger.ONE, P.subtract(BigInteger.ONE), P, P.add(BigInteger.ONE),
        new BigInteger("325606250916557431795983626356110631294008115727848805560023387167927233504"),
        new BigInteger("39382357235489614581723060781553021112529911719440698176882885853963445705823"));
  }

  /** The secret as RFC 9180 defines it, by the JDK's X25519 and HKDF. */
  private static byte[] secret(PrivateKey own, BigInteger u, byte[] sent, byte[] open) throws Exception {
    KeyAgreement agreement = KeyAgreement.getInstance("X25519", SUN_EC);
    agreement.init(own);
    agreement.doPhase(x25519(u), true);
    byte[] suite = Ours.bytes("48504b452d7631" + "4b454d0020"); // "HPKE-v1", "KEM", 0x0020
    KDF kdf = KDF.getInstance("HKDF-SHA256", JDK);
    return kdf.deriveData(
        HKDFParameterSpec.ofExtract()
            .addIKM(suite)
            .addIKM("eae_prk".getBytes(StandardCharsets.US_ASCII))
            .addIKM(agreement.generateSecret())
            .thenExpand(join(new byte[] {0, 32}, suite, "shared_secret".getBytes(StandardCharsets.US_ASCII), sent, open), 32));
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) all.writeBytes(part);
    return all.toByteArray();
  }

  /** RFC 7748, section 5: the highest bit of a number is not part of it. The JDK's DHKEM takes it for one. */
  @Test
  void highestBitIsIgnored() throws Exception {
    KeyPair pair = pair("X25519", SUN_EC);
    byte[] open = bytes(((XECPublicKey) pair.getPublic()).getU());
    KEM.Decapsulator receiver = kem(Ours.PROVIDER).newDecapsulator(pair.getPrivate());
    for (int i = 0; i < 2; i++) {
      byte[] sent = bytes(BigInteger.valueOf(9 + 256 * i));
      assertArrayEquals(secret(pair.getPrivate(), number(sent), sent, open), receiver.decapsulate(sent).getEncoded());
      byte[] high = bytes(number(sent).setBit(255));
      assertArrayEquals(secret(pair.getPrivate(), number(sent), high, open), receiver.decapsulate(high).getEncoded());
    }
    for (BigInteger u : smallOrders())
      assertThrows(DecapsulateException.class, () -> receiver.decapsulate(bytes(u.setBit(255))));
  }

  /** Other forms of points: compressed, hybrid, the infinite one, and coordinates beyond the prime. */
  private static void addForms(List<byte[]> all, byte[] right, ECParameterSpec params) {
    int size = right.length / 2;
    byte[] compressed = Arrays.copyOf(right, 1 + size), infinite = new byte[right.length];
    compressed[0] = (byte) (2 + (right[right.length - 1] & 1));
    infinite[0] = 4;
    all.add(compressed);
    all.add(infinite);
    for (int form : new int[] {0, 1, 2, 3, 5, 6, 7}) {
      byte[] other = right.clone();
      other[0] = (byte) form;
      all.add(other);
    }
    BigInteger p = ((ECFieldFp) params.getCurve().getField()).getP(), b = params.getCurve().getB();
    // With x = 0 the square of y is b: it has a root, as these primes are 3 modulo 4, and p + 0 stands for x.
    byte[] beyond = new byte[right.length], y = b.modPow(p.add(BigInteger.ONE).shiftRight(2), p).toByteArray(), x = p.toByteArray();
    beyond[0] = 4;
    System.arraycopy(y, Math.max(0, y.length - size), beyond, right.length - Math.min(size, y.length), Math.min(size, y.length));
    all.add(beyond.clone());
    System.arraycopy(x, Math.max(0, x.length - size), beyond, 1 + size - Math.min(size, x.length), Math.min(size, x.length));
    all.add(beyond);
  }

  @ParameterizedTest
  @ValueSource(strings = {"secp256r1", "secp384r1", "secp521r1", "X25519"})
  void hostileCiphertextsAreRefusedAsByTheJdk(String curve) throws Exception {
    KeyPair pair = pair(curve, SUN_EC);
    byte[] right = kem(JDK).newEncapsulator(pair.getPublic()).encapsulate().encapsulation();
    int refused = 0;
    for (byte[] given : hostile(curve, right, pair.getPublic())) {
      compare(
          given == null ? "null" : Keys.hex(given),
          k -> Keys.hex(k.newDecapsulator(pair.getPrivate()).decapsulate(given).getEncoded()));
      if (Outcome.of(() -> kem(Ours.PROVIDER).newDecapsulator(pair.getPrivate()).decapsulate(given)).thrown() == DecapsulateException.class)
        refused++;
    }
    assertTrue(refused > 9, "refused: " + refused);
  }

  @ParameterizedTest
  @ValueSource(strings = {"secp256r1", "secp384r1", "secp521r1", "X25519"})
  void answersAsTheJdk(String curve) throws Exception {
    KeyPair pair = pair(curve, SUN_EC), rsa = Keys.rsa(2048), signing = Keys.pair("Ed25519", null, SUN_EC);
    byte[] right = kem(JDK).newEncapsulator(pair.getPublic()).encapsulate().encapsulation();
    int size = kem(JDK).newEncapsulator(pair.getPublic()).secretSize();
    IvParameterSpec spec = new IvParameterSpec(new byte[8]);
    List<Use> uses =
        new ArrayList<>(
            List.of(
                k -> text(k.newEncapsulator(pair.getPublic())),
                k -> k.newDecapsulator(pair.getPrivate()).secretSize() + " " + k.newDecapsulator(pair.getPrivate()).encapsulationSize(),
                k -> k.newEncapsulator(null), k -> k.newDecapsulator(null),
                k -> k.newEncapsulator(null, spec, null), k -> k.newDecapsulator(null, spec),
                k -> k.newEncapsulator(pair.getPublic(), spec, null), k -> k.newDecapsulator(pair.getPrivate(), spec),
                k -> k.newEncapsulator(rsa.getPublic(), spec, null), k -> k.newDecapsulator(rsa.getPrivate(), spec),
                k -> k.newEncapsulator(rsa.getPublic()), k -> k.newDecapsulator(rsa.getPrivate()),
                k -> k.newEncapsulator(signing.getPublic()), k -> k.newDecapsulator(signing.getPrivate())));
    for (String algorithm : new String[] {"AES", "Generic", "", "TlsPremasterSecret", null})
      for (int[] part : new int[][] {{0, size}, {3, 20}, {0, 0}, {5, 5}, {size, size}, {0, size + 1}, {-1, 4}, {5, 4}})
        for (byte[] given : new byte[][] {right, null, new byte[right.length - 1]}) {
          uses.add(k -> k.newEncapsulator(pair.getPublic()).encapsulate(part[0], part[1], algorithm).key().getEncoded().length);
          uses.add(k -> k.newDecapsulator(pair.getPrivate()).decapsulate(given, part[0], part[1], algorithm));
        }
    for (int i = 0; i < uses.size(); i++) compare(curve + " " + i, uses.get(i));
  }

  private static String text(KEM.Encapsulator sender) {
    KEM.Encapsulated sent = sender.encapsulate();
    return sender.encapsulationSize() + " " + sender.secretSize() + " " + sent.encapsulation().length + " "
        + sent.params() + " " + sent.key().getAlgorithm() + " " + sent.key().getFormat();
  }

  /** As the JDK's, an encapsulator looks at a point when it is used. */
  @Test
  void hostilePublicKeysAreRefusedAsByTheJdk() throws Exception {
    for (int u = 0; u < 3; u++) {
      PublicKey open = x25519(BigInteger.valueOf(u));
      compare("u is " + open, k -> k.newEncapsulator(open).encapsulationSize());
      compare("u is " + open, k -> k.newEncapsulator(open).encapsulate().encapsulation().length);
    }
    for (String curve : new String[] {"secp256r1", "secp384r1", "secp521r1"}) {
      ECPoint none = new ECPoint(BigInteger.ONE, BigInteger.ONE);
      PublicKey open = KeyFactory.getInstance("EC", SUN_EC).generatePublic(new ECPublicKeySpec(none, Keys.curve(curve)));
      compare(curve, k -> k.newEncapsulator(open).encapsulationSize());
      compare(curve, k -> k.newEncapsulator(open).encapsulate().encapsulation().length);
    }
  }

  /**
   * Ours refuses when an object is made what the JDK's refuses when it is used (numbers out of range), or
   * takes (X448, for which Java goes on to the next provider).
   */
  @Test
  void refusesAsDocumented() throws Exception {
    KEM own = kem(Ours.PROVIDER);
    ECParameterSpec params = Keys.curve("secp256r1");
    KeyFactory factory = KeyFactory.getInstance("EC", SUN_EC);
    for (BigInteger s : new BigInteger[] {BigInteger.ZERO, params.getOrder(), BigInteger.TWO.pow(300)}) {
      PrivateKey key = factory.generatePrivate(new ECPrivateKeySpec(s, params));
      assertThrows(InvalidKeyException.class, () -> own.newDecapsulator(key));
    }
    KeyPair other = Keys.pair("X448", null, SUN_EC);
    assertThrows(InvalidKeyException.class, () -> own.newEncapsulator(other.getPublic()));
    assertThrows(InvalidKeyException.class, () -> own.newDecapsulator(other.getPrivate()));
  }
}
