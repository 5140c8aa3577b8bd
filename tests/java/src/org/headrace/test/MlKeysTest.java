// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.security.Key;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Security;
import java.security.Signature;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.bouncycastle.jcajce.interfaces.MLDSAPrivateKey;
import org.bouncycastle.jcajce.interfaces.MLKEMPrivateKey;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys of ML-DSA and ML-KEM: with objects of the JDK's where it has such, and with our own before. */
class MlKeysTest {
  /** A parameter set, and the lengths of its seed and its private key. */
  record Set(String name, int seed, int expanded) {
    String family() {
      return name.substring(0, 6);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Set> sets() {
    return Stream.of(
        new Set("ML-DSA-44", 32, 2560), new Set("ML-DSA-65", 32, 4032), new Set("ML-DSA-87", 32, 4896),
        new Set("ML-KEM-512", 64, 1632), new Set("ML-KEM-768", 64, 2400), new Set("ML-KEM-1024", 64, 3168));
  }

  private static final Provider CASTLE = new BouncyCastleProvider();

  /** The JDK's provider of a service, or null. */
  static Provider jdk(String type, String algorithm) {
    for (Provider p : Security.getProviders())
      if (p != Ours.PROVIDER && p.getService(type, algorithm) != null) return p;
    return null;
  }

  static KeyPair pair(String name, Provider provider) throws Exception {
    return KeyPairGenerator.getInstance(name, provider).generateKeyPair();
  }

  private static KeyFactory factory(String name) throws Exception {
    return KeyFactory.getInstance(name, Ours.PROVIDER);
  }

  // ---- forms of private keys ----

  private static byte[] der(int tag, byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream(), out = new ByteArrayOutputStream();
    for (byte[] part : parts) all.writeBytes(part);
    int n = all.size();
    out.write(tag);
    if (n > 255) out.writeBytes(new byte[] {(byte) 0x82, (byte) (n >> 8), (byte) n});
    else if (n > 127) out.writeBytes(new byte[] {(byte) 0x81, (byte) n});
    else out.write(n);
    out.writeBytes(all.toByteArray());
    return out.toByteArray();
  }

  /** A private key in PKCS#8, whose algorithm is that of an encoded public key. */
  private static PKCS8EncodedKeySpec pkcs8(byte[] open, byte[] choice) {
    int at = open[1] == (byte) 0x82 ? 4 : 3;
    byte[] algorithm = Arrays.copyOfRange(open, at, at + 2 + open[at + 1]);
    return new PKCS8EncodedKeySpec(der(0x30, new byte[] {2, 1, 0}, algorithm, der(4, choice)));
  }

  /** Whether the JDK reads private keys with a seed, as its first versions with ML-* do not. */
  private static boolean readsSeeds(String family) {
    Provider jdk = jdk("KeyFactory", family);
    if (jdk == null) return false;
    try {
      PrivateKey seeded = pair(family, CASTLE).getPrivate();
      KeyFactory.getInstance(family, jdk).generatePrivate(new PKCS8EncodedKeySpec(seeded.getEncoded()));
      return true;
    } catch (Exception e) {
      return false;
    }
  }

  /** The key of a seed is the same in every form of it; but a JDK that reads seeds keeps the form. */
  @ParameterizedTest
  @MethodSource("sets")
  void readsAllForms(Set set) throws Exception {
    byte[] seed = new byte[set.seed()];
    seed[0] = 7;
    byte[] open = pair(set.name(), CASTLE).getPublic().getEncoded();
    KeyFactory castle = KeyFactory.getInstance(set.family(), CASTLE);
    PrivateKey model = castle.generatePrivate(pkcs8(open, der(0x80, seed)));
    byte[] key =
        model instanceof MLKEMPrivateKey kem ? kem.getPrivateData() : ((MLDSAPrivateKey) model).getPrivateData();
    byte[] whole = pkcs8(open, der(4, key)).getEncoded();
    byte[] wrong = key.clone();
    wrong[set.expanded() - (set.name().contains("KEM") ? 40 : 1000)] ^= 1;
    for (String name : new String[] {set.family(), set.name()}) {
      byte[] seeded = der(0x80, seed), both = der(0x30, der(4, seed), der(4, key));
      boolean isKept = readsSeeds(set.family());
      readsForm(name, open, der(4, key), whole);
      readsForm(name, open, key, whole);
      readsForm(name, open, seed, isKept ? pkcs8(open, seeded).getEncoded() : whole);
      readsForm(name, open, seeded, isKept ? pkcs8(open, seeded).getEncoded() : whole);
      readsForm(name, open, both, isKept ? pkcs8(open, both).getEncoded() : whole);
      for (byte[] choice :
          List.of(
              new byte[0], new byte[5], der(0x80, new byte[5]), der(0x81, seed), der(0x30, der(4, seed)),
              der(0x30, der(4, seed), der(4, wrong)), longer(seeded), longer(both),
              der(0x30, der(4, seed), der(4, key), new byte[1])))
        assertThrows(InvalidKeySpecException.class, () -> factory(name).generatePrivate(pkcs8(open, choice)));
      PKCS8EncodedKeySpec followed = new PKCS8EncodedKeySpec(longer(whole));
      assertThrows(InvalidKeySpecException.class, () -> factory(name).generatePrivate(followed));
      byte[] shorter = Arrays.copyOf(open, open.length - 1);
      assertThrows(InvalidKeySpecException.class, () -> factory(name).generatePublic(new X509EncodedKeySpec(shorter)));
    }
  }

  /** Bytes with one more behind them. */
  private static byte[] longer(byte[] bytes) {
    return Arrays.copyOf(bytes, bytes.length + 1);
  }

  private static void readsForm(String name, byte[] open, byte[] choice, byte[] becomes) throws Exception {
    PrivateKey read = factory(name).generatePrivate(pkcs8(open, choice));
    assertArrayEquals(becomes, read.getEncoded());
    assertEquals(factory(name).generatePrivate(new PKCS8EncodedKeySpec(becomes)), read);
  }

  // ---- the same keys to all ----

  @ParameterizedTest
  @MethodSource("sets")
  void castleReadsOurs(Set set) throws Exception {
    KeyPair pair = pair(set.name(), Ours.PROVIDER);
    assertEquals(set.family(), pair.getPublic().getAlgorithm());
    assertEquals(set.family(), pair.getPrivate().getAlgorithm());
    KeyFactory castle = KeyFactory.getInstance(set.family(), CASTLE);
    KeyPair read =
        new KeyPair(
            castle.generatePublic(new X509EncodedKeySpec(pair.getPublic().getEncoded())),
            castle.generatePrivate(new PKCS8EncodedKeySpec(pair.getPrivate().getEncoded())));
    assertArrayEquals(pair.getPublic().getEncoded(), read.getPublic().getEncoded());
    assertEquals(pair.getPublic(), factory(set.name()).translateKey(read.getPublic()));
    assertEquals(pair.getPrivate(), factory(set.name()).translateKey(read.getPrivate()));
    if (!set.family().equals("ML-DSA")) return;
    assertTrue(isVerified(set, pair, Ours.PROVIDER, read, CASTLE));
    assertTrue(isVerified(set, read, CASTLE, pair, Ours.PROVIDER));
    KeyPair castles = pair(set.name(), CASTLE); // which have a seed
    assertTrue(isVerified(set, castles, Ours.PROVIDER, castles, CASTLE));
    assertTrue(isVerified(set, castles, CASTLE, castles, Ours.PROVIDER));
    assertFalse(isVerified(set, castles, CASTLE, pair, Ours.PROVIDER));
  }

  private static boolean isVerified(Set set, KeyPair from, Provider signer, KeyPair to, Provider verifier)
      throws Exception {
    Signature made = Signature.getInstance(set.name(), signer), read = Signature.getInstance(set.name(), verifier);
    made.initSign(from.getPrivate());
    made.update(new byte[100]);
    byte[] signature = made.sign();
    read.initVerify(to.getPublic());
    read.update(new byte[100]);
    return read.verify(signature);
  }

  @ParameterizedTest
  @MethodSource("sets")
  void keysAreTheJdks(Set set) throws Exception {
    Provider jdk = jdk("KeyFactory", set.family());
    assumeTrue(jdk != null, "this JDK has no " + set.family());
    KeyPair theirs = pair(set.name(), jdk), ours = pair(set.name(), Ours.PROVIDER);
    assertEquals(theirs.getPublic().getClass(), ours.getPublic().getClass());
    assertEquals(theirs.getPrivate().getEncoded().length, ours.getPrivate().getEncoded().length);
    PrivateKey read =
        KeyFactory.getInstance(set.name(), jdk)
            .generatePrivate(new PKCS8EncodedKeySpec(ours.getPrivate().getEncoded()));
    assertEquals(ours.getPrivate(), read);
    assertEquals(read, ours.getPrivate());
    assertEquals(read.hashCode(), ours.getPrivate().hashCode());
    if (!readsSeeds(set.family())) { // else the JDK would compute the key of a seed again
      assertEquals(theirs.getPrivate().getClass(), ours.getPrivate().getClass());
      assertEquals(theirs.getPrivate().toString(), ours.getPrivate().toString());
    }
    if (set.family().equals("ML-DSA")) assertTrue(isVerified(set, ours, jdk, ours, Ours.PROVIDER));
  }

  /** New keys have the form that the JDK's property asks for, and its signatures and ours take each. */
  @ParameterizedTest
  @MethodSource("sets")
  void obeysThePropertyOfForms(Set set) throws Exception {
    assumeTrue(readsSeeds(set.family()), "this JDK reads no seeds");
    Provider jdk = jdk("KeyFactory", set.family());
    String property = set.family().equals("ML-DSA") ? "jdk.mldsa.pkcs8.encoding" : "jdk.mlkem.pkcs8.encoding";
    try {
      for (String form : new String[] {"seed", "expandedKey", "both", "EXPANDEDKEY"}) {
        System.setProperty(property, form);
        KeyPair theirs = pair(set.name(), jdk), ours = pair(set.name(), Ours.PROVIDER);
        assertEquals(theirs.getPrivate().getEncoded().length, ours.getPrivate().getEncoded().length, form);
        assertEquals(ours.getPrivate(), KeyFactory.getInstance(set.name(), jdk).translateKey(ours.getPrivate()));
        assertEquals(ours.getPrivate(), factory(set.name()).translateKey(ours.getPrivate()));
        if (!set.family().equals("ML-DSA")) continue;
        assertTrue(isVerified(set, ours, jdk, ours, Ours.PROVIDER));
        assertTrue(isVerified(set, ours, Ours.PROVIDER, ours, jdk));
      }
    } finally {
      System.clearProperty(property);
    }
  }

  private interface Use {
    Object by(KeyPairGenerator generator, KeyFactory factory) throws Exception;
  }

  /** Generators and factories refuse the same, by the same exceptions. */
  @Test
  void refusesAsTheJdk() throws Exception {
    assumeTrue(jdk("KeyFactory", "ML-KEM") != null, "this JDK has no ML-KEM");
    KeyPair x = Keys.pair("X25519", null), kem = pair("ML-KEM-512", Ours.PROVIDER);
    List<AlgorithmParameterSpec> specs =
        Stream.of("ML-KEM-512", "ml-kem-768", "ML-KEM-1024", "ML-DSA-44", "ml-dsa-65", "ML-KEM", "ML-DSA", "X25519")
            .map(n -> (AlgorithmParameterSpec) new NamedParameterSpec(n))
            .toList();
    Stream<Use> uses =
        Stream.of(
            (g, f) -> {
              g.initialize(512);
              return null;
            },
            (g, f) -> {
              g.initialize((AlgorithmParameterSpec) null);
              return null;
            },
            (g, f) -> f.generatePublic(null),
            (g, f) -> f.generatePrivate(null),
            (g, f) -> f.generatePublic(new PKCS8EncodedKeySpec(kem.getPrivate().getEncoded())),
            (g, f) -> f.generatePrivate(new X509EncodedKeySpec(kem.getPublic().getEncoded())),
            (g, f) -> f.generatePublic(new X509EncodedKeySpec(new byte[20])),
            (g, f) -> f.generatePrivate(new PKCS8EncodedKeySpec(new byte[20])),
            (g, f) -> f.generatePublic(new X509EncodedKeySpec(kem.getPublic().getEncoded())),
            (g, f) -> f.generatePrivate(new PKCS8EncodedKeySpec(kem.getPrivate().getEncoded())),
            (g, f) -> f.translateKey(null),
            (g, f) -> f.translateKey(x.getPublic()),
            (g, f) -> f.translateKey(x.getPrivate()),
            (g, f) -> f.translateKey(kem.getPublic()),
            (g, f) -> f.getKeySpec(null, X509EncodedKeySpec.class),
            (g, f) -> f.getKeySpec(kem.getPublic(), RSAPublicKeySpec.class),
            (g, f) -> f.getKeySpec(kem.getPublic(), X509EncodedKeySpec.class).getEncoded().length,
            (g, f) -> f.getKeySpec(kem.getPrivate(), X509EncodedKeySpec.class),
            (g, f) -> f.getKeySpec(kem.getPrivate(), PKCS8EncodedKeySpec.class).getEncoded().length);
    Stream<Use> named =
        specs.stream()
            .map(
                spec ->
                    (g, f) -> {
                      g.initialize(spec);
                      return g.generateKeyPair().getPublic().getEncoded().length;
                    });
    List<Use> all = Stream.concat(uses, named).toList();
    for (String name : new String[] {"ML-KEM", "ML-KEM-512", "ML-KEM-768", "ML-DSA", "ML-DSA-44"})
      for (int i = 0; i < all.size(); i++) {
        Use use = all.get(i);
        Outcome<Object> mine = outcome(use, name, Ours.PROVIDER), other = outcome(use, name, jdk("KeyFactory", name));
        assertEquals(other.key(), mine.key(), name + " " + i + ": " + other + "; ours: " + mine);
      }
  }

  private static Outcome<Object> outcome(Use use, String name, Provider provider) {
    return Outcome.of(
        () -> use.by(KeyPairGenerator.getInstance(name, provider), KeyFactory.getInstance(name, provider)));
  }

  // ---- objects ----

  private static Object written(Object object) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(object);
    }
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return in.readObject();
    }
  }

  /** Serialised keys are read by the factories of the JVM's list. */
  @Test
  void keysAreSerialised() throws Exception {
    for (String name : new String[] {"ML-DSA-44", "ML-KEM-768"}) {
      KeyPair pair = pair(name, Ours.PROVIDER);
      boolean isListed = jdk("KeyFactory", name) == null;
      if (isListed) Security.addProvider(Ours.PROVIDER);
      try {
        for (Key key : new Key[] {pair.getPublic(), pair.getPrivate()}) {
          Object read = written(key);
          assertEquals(key, read);
          assertEquals(read, key);
          assertEquals(key.hashCode(), read.hashCode());
          if (!readsSeeds(name.substring(0, 6))) assertEquals(key.getClass(), read.getClass());
        }
      } finally {
        if (isListed) Security.removeProvider(Ours.PROVIDER.getName());
      }
    }
  }

  /** A public key with so many bytes behind it that their number has the same last two bytes. */
  @ParameterizedTest
  @MethodSource("sets")
  void aKeyWith64KiBMoreIsNone(Set set) throws Exception {
    assumeTrue(set.family().equals("ML-DSA"));
    byte[] whole = pair(set.name(), Ours.PROVIDER).getPublic().getEncoded();
    int begin = 4 + 2 + whole[5], size = whole.length - begin - 4; // of the BIT STRING, and of what is in it
    byte[] head = {3, (byte) 0x83, 1, (byte) (size >> 8), (byte) size};
    byte[] longer = new byte[4 + begin - 4 + 1 + head.length + size + (1 << 16)];
    int length = longer.length - 5;
    System.arraycopy(new byte[] {0x30, (byte) 0x83, 1, (byte) (length >> 8), (byte) length}, 0, longer, 0, 5);
    System.arraycopy(whole, 4, longer, 5, begin - 4);
    System.arraycopy(head, 0, longer, begin + 1, head.length);
    System.arraycopy(whole, begin + 4, longer, begin + 1 + head.length, size);
    int more = longer.length - (1 << 16);
    longer[more] = longer[more + 1] = (byte) 0xff; // a part of 65,534 bytes
    longer[more + 1]--;
    PublicKey key = AnyKey.publicKey("ML-DSA", longer);
    Signature signature = Signature.getInstance(set.name(), Ours.PROVIDER);
    assertThrows(java.security.InvalidKeyException.class, () -> signature.initVerify(key));
  }

  /** As in the JDK, also behind a public key, or what is in it. */
  @ParameterizedTest
  @MethodSource("sets")
  void aKeyThatMoreFollowsIsNone(Set set) throws Exception {
    assumeTrue(set.family().equals("ML-DSA"));
    byte[] whole = pair(set.name(), Ours.PROVIDER).getPublic().getEncoded();
    byte[] inside = longer(whole);
    inside[3]++; // the last byte of the length, which does not overflow
    Signature signature = Signature.getInstance(set.name(), Ours.PROVIDER);
    signature.initVerify(AnyKey.publicKey("ML-DSA", whole));
    for (byte[] more : List.of(longer(whole), inside))
      assertThrows(
          java.security.InvalidKeyException.class, () -> signature.initVerify(AnyKey.publicKey("ML-DSA", more)));
  }

  @Test
  void destroyedKeysAreRefused() throws Exception {
    KeyPair pair = pair("ML-DSA-44", Ours.PROVIDER), other = pair("ML-DSA-44", Ours.PROVIDER);
    assertNotEquals(pair.getPrivate(), other.getPrivate());
    assertNotEquals(pair.getPublic(), other.getPublic());
    Key same = factory("ML-DSA").translateKey(pair.getPrivate());
    assertSame(same, factory("ML-DSA").translateKey(same));
    pair.getPrivate().destroy();
    assertTrue(pair.getPrivate().isDestroyed());
    Signature signer = Signature.getInstance("ML-DSA", Ours.PROVIDER);
    assertThrows(java.security.InvalidKeyException.class, () -> signer.initSign(pair.getPrivate()));
  }
}
