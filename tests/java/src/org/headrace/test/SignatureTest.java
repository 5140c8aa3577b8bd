// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.Signature;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.EdDSAParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.security.spec.RSAKeyGenParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import org.headrace.jce.HeadraceBatch;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Signatures, compared with those of the JDK's own providers: results, and what is thrown. */
class SignatureTest {
  private static final Provider OURS = Ours.PROVIDER;
  private static final String[] DIGESTS = {
    "SHA1", "SHA224", "SHA256", "SHA384", "SHA512", "SHA512/224", "SHA512/256", "SHA3-224", "SHA3-256", "SHA3-384",
    "SHA3-512", "NONE"
  };
  private static final int[] LENGTHS = {0, 1, 20, 64, 117, 300, 40000};
  private static final int WRONG = 20; // the length of the message whose signature is changed

  private static boolean has(Provider provider, String algorithm) {
    return provider.getService("Signature", algorithm) != null;
  }

  private static Provider jdk(String algorithm) throws Exception {
    for (Provider p : java.security.Security.getProviders()) if (has(p, algorithm)) return p;
    // java.security.Signature makes this one of a cipher.
    return algorithm.equals("NONEwithRSA") ? java.security.Security.getProvider("SunJCE") : null;
  }

  private static Signature theirs(String algorithm) throws Exception {
    return algorithm.equals("NONEwithRSA")
        ? Signature.getInstance(algorithm, "SunJCE")
        : Signature.getInstance(algorithm, jdk(algorithm));
  }

  private static Signature ours(String algorithm) throws Exception {
    return Signature.getInstance(algorithm, OURS);
  }

  /** An algorithm, a key of it, and parameters, or null. */
  private record Case(String algorithm, KeyPair pair, AlgorithmParameterSpec params) {
    Signature begin(Signature signature) throws Exception {
      if (params != null) signature.setParameter(params);
      return signature;
    }

    @Override
    public String toString() {
      return algorithm + " " + Keys.describe(pair);
    }
  }

  private static List<Case> cases() throws Exception {
    List<Case> all = new ArrayList<>();
    for (String digest : DIGESTS) {
      for (int bits : new int[] {1024, 2048}) all.add(new Case(digest + "withRSA", Keys.rsa(bits), null));
      for (String curve : new String[] {"secp256r1", "secp384r1", "secp521r1"})
        for (String format : new String[] {"", "inP1363Format"})
          all.add(new Case(digest + "withECDSA" + format, Keys.pair("EC", new ECGenParameterSpec(curve)), null));
      if (digest.equals("NONE") || digest.equals("SHA256"))
        all.add(new Case(digest + "withDSA", PairsOfKeys.dsa(1024), null));
      if (!digest.equals("NONE") && !digest.contains("/") && !digest.startsWith("SHA3"))
        all.add(new Case("RSASSA-PSS", Keys.rsa(2048), pss(digest, digest, 20)));
    }
    all.add(new Case("RSASSA-PSS", Keys.rsa(2048), pss("SHA256", "SHA1", 0)));
    all.add(new Case("RSASSA-PSS", Keys.pair("RSASSA-PSS", null), pss("SHA512", "SHA512", 64)));
    KeyPair ed = Keys.pair("Ed25519", null);
    all.add(new Case("Ed25519", ed, null));
    all.add(new Case("EdDSA", ed, new EdDSAParameterSpec(false)));
    all.add(new Case("EdDSA", ed, new EdDSAParameterSpec(false, new byte[] {1, 2})));
    all.add(new Case("EdDSA", ed, new EdDSAParameterSpec(false, new byte[0])));
    all.add(new Case("Ed25519", ed, new EdDSAParameterSpec(true)));
    for (String set : new String[] {"ML-DSA-44", "ML-DSA-65", "ML-DSA-87"})
      if (jdk(set) != null) {
        all.add(new Case(set, Keys.pair(set, null), null));
        all.add(new Case("ML-DSA", Keys.pair(set, null), null));
      }
    all.removeIf(c -> !hasTheirs(c.algorithm()));
    return all;
  }

  private static boolean hasTheirs(String algorithm) {
    try {
      return jdk(algorithm) != null;
    } catch (Exception e) {
      return false;
    }
  }

  private static PSSParameterSpec pss(String digest, String mgf, int salt) {
    return new PSSParameterSpec(Keys.name(digest), "MGF1", new MGF1ParameterSpec(Keys.name(mgf)), salt, 1);
  }

  private static byte[] message(int len) {
    byte[] bytes = new byte[len];
    new Random(len).nextBytes(bytes);
    return bytes;
  }

  private static byte[] sign(Signature s, KeyPair pair, byte[] message) throws Exception {
    s.initSign(pair.getPrivate());
    s.update(message);
    return s.sign();
  }

  private static boolean verify(Signature s, KeyPair pair, byte[] message, byte[] signature) throws Exception {
    s.initVerify(pair.getPublic());
    s.update(message);
    return s.verify(signature);
  }

  @TestFactory
  Collection<DynamicTest> asTheJdk() throws Exception {
    return cases().stream().map(c -> DynamicTest.dynamicTest(c.toString(), () -> compare(c))).toList();
  }

  private static void compare(Case c) throws Exception {
    Signature our = c.begin(ours(c.algorithm()));
    Signature their = c.begin(theirs(c.algorithm()));
    int signed = 0;
    for (int len : LENGTHS) {
      // The JDK throws ArrayIndexOutOfBoundsException there.
      if (c.algorithm().startsWith("NONEwithECDSA") && len > 64) continue;
      byte[] message = message(len);
      Outcome<byte[]> mine = Outcome.of(() -> sign(our, c.pair(), message));
      Outcome<byte[]> other = Outcome.of(() -> sign(their, c.pair(), message));
      assertEquals(other.thrown(), mine.thrown(), () -> "sign " + len + " " + mine + " " + other);
      if (mine.value() == null) continue;
      signed++;
      assertTrue(verify(their, c.pair(), message, mine.value()), "theirs verifies ours");
      assertTrue(verify(our, c.pair(), message, other.value()), "ours verifies theirs");
      if (len == WRONG) compareWrong(c, our, their, message, mine.value());
    }
    assertTrue(signed > 0);
    if (!c.algorithm().startsWith("NONEwithDSA")) compareUse(c); // NONEwithDSA takes 20 bytes only
  }

  /** Two numbers in DER, written otherwise: by longer lengths, with zeros before them, with bytes after them. */
  private static List<byte[]> otherForms(byte[] der) {
    int first = der.length - 2 < 0x80 ? 2 : 3; // where the first number begins
    int rest = der.length - first;
    int size = der[first + 1];
    List<byte[]> forms = new ArrayList<>();
    forms.add(spliced(der, 0, first, 0x30, 0x82, 0, rest));
    forms.add(spliced(der, 0, first, 0x30, 0x83, 0, 0, rest));
    forms.add(spliced(der, 0, first, 0x30, 0x80));
    if (first == 2) forms.add(spliced(der, 0, first, 0x30, 0x81, rest));
    for (int[] number : new int[][] {{2, 0x81, size}, {2, 0x82, 0, size}, {2, size + 1, 0}, {2, 0x80}, {3, size}}) {
      byte[] changed = spliced(der, first, 2, number);
      changed[first - 1] += (byte) (number.length - 2);
      forms.add(changed);
    }
    byte[] more = spliced(der, der.length, 0, 5, 0);
    forms.add(more);
    byte[] within = more.clone();
    within[first - 1] += 2;
    forms.add(within);
    return forms;
  }

  /** Bytes, of which some are replaced. */
  private static byte[] spliced(byte[] in, int at, int len, int... by) {
    byte[] out = Arrays.copyOf(in, in.length - len + by.length);
    for (int i = 0; i < by.length; i++) out[at + i] = (byte) by[i];
    System.arraycopy(in, at + len, out, at + by.length, in.length - at - len);
    return out;
  }

  /** Signatures that are cut, longer, changed, or of zeros and ones. */
  private static void compareWrong(Case c, Signature our, Signature their, byte[] message, byte[] good)
      throws Exception {
    List<byte[]> wrong = new ArrayList<>();
    for (int len : new int[] {0, 1, 2, good.length / 2, good.length - 1, good.length + 1, 2 * good.length})
      wrong.add(Arrays.copyOf(good, len));
    wrong.add(new byte[good.length]);
    byte[] ones = new byte[good.length];
    Arrays.fill(ones, (byte) -1);
    wrong.add(ones);
    for (int i = 0; i < good.length; i += 1 + good.length / 24) {
      byte[] changed = good.clone();
      changed[i] ^= (byte) (1 << i % 8);
      wrong.add(changed);
    }
    if (c.algorithm().matches(".*with(EC)?DSA")) wrong.addAll(otherForms(good));
    for (byte[] w : wrong) {
      Outcome<Boolean> mine = Outcome.of(() -> verify(our, c.pair(), message, w));
      Outcome<Boolean> other = Outcome.of(() -> verify(their, c.pair(), message, w));
      // For Ed25519 JDK 17 takes bytes after the signature, and others return false or throw.
      if (c.pair().getPublic().getAlgorithm().equals("EdDSA") && w.length >= good.length)
        assertFalse(Boolean.TRUE.equals(mine.value()));
      else
        assertEquals(other.key(), mine.key(), () -> Keys.hex(w) + " " + mine + " " + other);
    }
    // The same object verifies again.
    assertTrue(verify(our, c.pair(), message, good));
    byte[] other = message.clone();
    other[0]++;
    assertFalse(verify(our, c.pair(), other, good));
  }

  /** Pieces, buffers, offsets, and calls out of order. */
  private static void compareUse(Case c) throws Exception {
    byte[] message = message(60);
    Signature s = c.begin(ours(c.algorithm()));
    s.initSign(c.pair().getPrivate());
    for (int i = 0; i < 20; i++) s.update(message[i]);
    s.update(message, 20, 10);
    s.update(ByteBuffer.wrap(message, 30, 10));
    ByteBuffer direct = ByteBuffer.allocateDirect(20);
    direct.put(message, 40, 20).flip();
    s.update(direct);
    byte[] room = new byte[6000];
    int len = s.sign(room, 7, 5000);
    Signature t = c.begin(theirs(c.algorithm()));
    t.initVerify(c.pair().getPublic());
    t.update(message);
    assertTrue(t.verify(room, 7, len));
    // The object is ready for the next message.
    s.update(message);
    byte[] again = s.sign();
    s.initVerify(c.pair().getPublic());
    s.update(message);
    assertTrue(s.verify(again));
    s.update(message);
    assertTrue(s.verify(again));
    s.update(message);
    System.arraycopy(again, 0, room, 100, again.length);
    assertTrue(s.verify(room, 100, again.length));
  }

  /** Each call out of order, or with what does not fit, throws as the JDK does. */
  @TestFactory
  Collection<DynamicTest> misuse() throws Exception {
    KeyPair rsa = Keys.rsa(2048);
    KeyPair ec = Keys.pair("EC", new ECGenParameterSpec("secp256r1"));
    KeyPair ed = Keys.pair("Ed25519", null);
    KeyPair pss = Keys.pair("RSASSA-PSS", null);
    List<Misuse> all =
        List.of(
            s -> s.initSign(null),
            s -> s.initVerify((java.security.PublicKey) null),
            s -> s.initSign(rsa.getPrivate()),
            s -> s.initSign(ec.getPrivate()),
            s -> s.initSign(ed.getPrivate()),
            s -> s.initSign(pss.getPrivate()),
            s -> s.initVerify(rsa.getPublic()),
            s -> s.initVerify(ec.getPublic()),
            s -> s.initVerify(ed.getPublic()),
            s -> s.initVerify(pss.getPublic()),
            s -> s.update((byte) 1),
            s -> s.sign(),
            s -> s.setParameter((AlgorithmParameterSpec) null),
            s -> s.setParameter(new ECGenParameterSpec("secp256r1")),
            s -> s.setParameter(new EdDSAParameterSpec(true)),
            s -> s.setParameter(Keys.curve("secp256r1")),
            s -> s.setParameter(pss("SHA256", "SHA256", 32)),
            s -> s.setParameter(new PSSParameterSpec("SHA-1", "MGF2", MGF1ParameterSpec.SHA1, 20, 1)),
            s -> s.setParameter(new PSSParameterSpec("SHA-1", "MGF1", MGF1ParameterSpec.SHA1, 20, 2)),
            s -> {
              s.initSign(rsa.getPrivate());
              s.setParameter(new PSSParameterSpec("SHA-1", "MGF1", MGF1ParameterSpec.SHA1, 300, 1));
            },
            s -> {
              s.initSign(rsa.getPrivate());
              s.update((byte) 1);
              s.setParameter(pss("SHA256", "SHA256", 32));
            },
            s -> {
              s.initSign(rsa.getPrivate());
              s.sign(new byte[10], 0, 10);
            },
            s -> {
              s.initSign(ec.getPrivate());
              s.setParameter(Keys.curve("secp384r1"));
            },
            s -> {
              s.initSign(ec.getPrivate());
              s.sign(new byte[10], 0, 10);
            },
            s -> {
              s.initSign(ed.getPrivate());
              s.sign(new byte[10], 0, 10);
            },
            s -> {
              s.initSign(ed.getPrivate());
              s.update((byte) 1);
              s.setParameter(new EdDSAParameterSpec(true));
            },
            s -> s.getParameters());
    List<DynamicTest> tests = new ArrayList<>();
    for (String algorithm :
        new String[] {"SHA256withRSA", "RSASSA-PSS", "SHA256withECDSA", "NONEwithECDSA", "Ed25519", "EdDSA"})
      for (int i = 0; i < all.size(); i++) {
        Misuse misuse = all.get(i);
        tests.add(DynamicTest.dynamicTest(algorithm + " " + i, () -> compareMisuse(algorithm, misuse)));
      }
    return tests;
  }

  private interface Misuse {
    void use(Signature s) throws Exception;
  }

  private static void compareMisuse(String algorithm, Misuse misuse) throws Exception {
    Outcome<Void> mine = Outcome.of(() -> run(ours(algorithm), misuse));
    Outcome<Void> other = Outcome.of(() -> run(theirs(algorithm), misuse));
    if (System.getProperty("messages") != null && !mine.toString().equals(other.toString()))
      System.err.println(algorithm + ": ours " + mine + "; theirs " + other);
    assertEquals(other.thrown(), mine.thrown(), () -> mine + " " + other);
  }

  private static Void run(Signature s, Misuse misuse) throws Exception {
    misuse.use(s);
    return null;
  }

  /** A key that shows nothing makes JCA take the next provider. */
  @Test
  void keysOfOthersGoToTheNextProvider() throws Exception {
    KeyPair pair = Keys.rsa(2048);
    Provider token = new TokenProvider();
    java.security.Security.insertProviderAt(OURS, 1);
    java.security.Security.addProvider(token);
    try {
      Signature s = Signature.getInstance("SHA256withRSA");
      s.initSign(pair.getPrivate());
      assertEquals(OURS.getName(), s.getProvider().getName());
      Signature t = Signature.getInstance("SHA256withRSA");
      t.initSign(new TokenProvider.Handle());
      assertEquals(token.getName(), t.getProvider().getName());
    } finally {
      java.security.Security.removeProvider(OURS.getName());
      java.security.Security.removeProvider(token.getName());
    }
  }

  /** Ed448's keys are the JDK's affair. */
  @Test
  void ed448GoesToTheNextProvider() throws Exception {
    KeyPair pair = Keys.pair("Ed448", null);
    java.security.Security.insertProviderAt(OURS, 1);
    try {
      Signature s = Signature.getInstance("EdDSA");
      byte[] signature = sign(s, pair, message(20));
      assertFalse(s.getProvider().getName().equals(OURS.getName()));
      assertTrue(verify(Signature.getInstance("EdDSA"), pair, message(20), signature));
    } finally {
      java.security.Security.removeProvider(OURS.getName());
    }
  }

  /** Bouncy Castle's keys are translated by their interfaces or their encodings. */
  @TestFactory
  Collection<DynamicTest> keysOfBouncyCastle() throws Exception {
    Provider castle = new org.bouncycastle.jce.provider.BouncyCastleProvider();
    List<DynamicTest> tests = new ArrayList<>();
    String[][] all = {
      {"RSA", "SHA256withRSA"}, {"EC", "SHA256withECDSA"}, {"Ed25519", "Ed25519"}, {"ML-DSA-44", "ML-DSA-44"},
      {"ML-DSA-65", "ML-DSA"}, {"ML-DSA-87", "ML-DSA-87"}
    };
    for (String[] names : all)
      tests.add(
          DynamicTest.dynamicTest(
              names[0],
              () -> {
                KeyPair pair = java.security.KeyPairGenerator.getInstance(names[0], castle).generateKeyPair();
                if (names[0].equals("EC")) pair = Keys.pair("EC", new ECGenParameterSpec("secp256r1"), castle);
                byte[] mine = sign(ours(names[1]), pair, message(33));
                assertTrue(verify(Signature.getInstance(names[1], castle), pair, message(33), mine));
                byte[] other = sign(Signature.getInstance(names[1], castle), pair, message(33));
                assertTrue(verify(ours(names[1]), pair, message(33), other));
              }));
    return tests;
  }

  /** As in the JDK a signature by PKCS#1 whose DigestInfo lacks its NULL is right. */
  @Test
  void digestInfoMayLackItsNull() throws Exception {
    KeyPair pair = Keys.rsa(1024);
    byte[] message = message(99);
    for (String[] digest :
        new String[][] {
          {"SHA1", "301f300706052b0e03021a0414"},
          {"SHA256", "302f300b06096086480165030402010420"},
          {"SHA512/224", "302b300b0609608648016503040205041c"}
        }) {
      String name = digest[0] + "withRSA";
      MessageDigest of = MessageDigest.getInstance(digest[0].replaceFirst("^SHA", "SHA-"));
      byte[] good = signInfo(pair, Ours.bytes(digest[1] + Keys.hex(of.digest(message))));
      byte[] bad = signInfo(pair, Ours.bytes(digest[1] + Keys.hex(of.digest(good))));
      for (Signature s : new Signature[] {theirs(name), ours(name)}) {
        assertTrue(verify(s, pair, message, good), name);
        assertFalse(verify(s, pair, message, bad), name);
      }
      byte[][] messages = {message, message};
      assertArrayEquals(
          new boolean[] {true, false},
          HeadraceBatch.verify(name, pair.getPublic(), messages, new byte[][] {good, bad}));
    }
  }

  private static byte[] signInfo(KeyPair pair, byte[] info) throws Exception {
    return sign(ours("NONEwithRSA"), pair, info);
  }

  /** RSA's signatures by PKCS#1 are the same bytes. */
  @Test
  void pkcs1IsDeterministic() throws Exception {
    KeyPair pair = Keys.rsa(3072);
    assertArrayEquals(
        sign(theirs("SHA384withRSA"), pair, message(99)), sign(ours("SHA384withRSA"), pair, message(99)));
  }

  /** Many threads sign with one key, and verify. */
  @Test
  void threadsShareAKey() throws Exception {
    KeyPair pair = Keys.pair("EC", new ECGenParameterSpec("secp256r1"));
    List<Boolean> all =
        java.util.stream.IntStream.range(0, 400)
            .parallel()
            .mapToObj(
                i -> Outcome.of(() -> verify(ours("SHA256withECDSA"), pair, message(i),
                    sign(ours("SHA256withECDSA"), pair, message(i)))).value())
            .toList();
    assertFalse(all.contains(false) || all.contains(null));
  }

  /** Of PSS, the parameters of a key are checked with its own size, not with that of the key before. */
  @Test
  void parametersOfAKeyAreItsOwn() throws Exception {
    Signature signer = Signature.getInstance("RSASSA-PSS", Ours.PROVIDER);
    signer.initSign(Keys.rsa(1024).getPrivate());
    PSSParameterSpec params = pss("SHA512", "SHA512", 64);
    KeyPair pair = Keys.pair("RSASSA-PSS", new RSAKeyGenParameterSpec(2048, RSAKeyGenParameterSpec.F4, params));
    signer.initSign(pair.getPrivate());
    assertEquals(256, signer.sign().length);
  }
}
