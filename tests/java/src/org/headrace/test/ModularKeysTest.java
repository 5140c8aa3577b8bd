// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.math.BigInteger;
import java.security.AlgorithmParameterGenerator;
import java.security.AlgorithmParameters;
import java.security.Key;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Provider;
import java.security.Security;
import java.security.interfaces.DSAParams;
import java.security.interfaces.DSAPrivateKey;
import java.security.interfaces.DSAPublicKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.DSAGenParameterSpec;
import java.security.spec.DSAParameterSpec;
import java.security.spec.DSAPrivateKeySpec;
import java.security.spec.DSAPublicKeySpec;
import java.security.spec.KeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.List;
import javax.crypto.interfaces.DHPrivateKey;
import javax.crypto.interfaces.DHPublicKey;
import javax.crypto.spec.DHGenParameterSpec;
import javax.crypto.spec.DHParameterSpec;
import javax.crypto.spec.DHPrivateKeySpec;
import javax.crypto.spec.DHPublicKeySpec;
import org.bouncycastle.crypto.agreement.DHStandardGroups;
import org.bouncycastle.crypto.params.DHParameters;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.Test;

/** Keys of DSA and Diffie-Hellman, and their groups, compared with the JDK's. */
class ModularKeysTest {
  private static final String[] ALGORITHMS = {"DSA", "DiffieHellman"};

  private static Provider jdk(String algorithm) {
    return Security.getProvider(algorithm.equals("DSA") ? "SUN" : "SunJCE");
  }

  private interface Init {
    void of(KeyPairGenerator generator) throws Exception;
  }

  private static KeyPair pair(String algorithm, Provider provider, Init init) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm, provider);
    init.of(generator);
    return generator.generateKeyPair();
  }

  /** A pair's classes, names and group. */
  private static String describe(KeyPair pair) {
    StringBuilder text = new StringBuilder();
    for (Key key : new Key[] {pair.getPublic(), pair.getPrivate()})
      text.append(key.getClass()).append(' ').append(key.getAlgorithm()).append(' ').append(key.getFormat()).append(' ');
    return text + group(pair.getPublic()) + group(pair.getPrivate());
  }

  private static String group(Key key) {
    if (key instanceof DSAPublicKey dsa) return group(dsa.getParams());
    if (key instanceof DSAPrivateKey dsa) return group(dsa.getParams());
    DHParameterSpec dh = key instanceof DHPublicKey other ? other.getParams() : ((DHPrivateKey) key).getParams();
    return dh.getP() + " " + dh.getG() + " " + dh.getL() + " ";
  }

  private static String group(DSAParams params) {
    return params.getP() + " " + params.getQ() + " " + params.getG() + " ";
  }

  /** That the numbers of a pair fit each other and the group, and that its encodings are read as itself. */
  private static void check(String algorithm, KeyPair pair) throws Exception {
    if (pair.getPrivate() instanceof DSAPrivateKey own) {
      DSAParams of = own.getParams();
      assertTrue(own.getX().signum() > 0 && own.getX().compareTo(of.getQ()) < 0);
      assertEquals(of.getG().modPow(own.getX(), of.getP()), ((DSAPublicKey) pair.getPublic()).getY());
    } else {
      DHPrivateKey own = (DHPrivateKey) pair.getPrivate();
      DHParameterSpec of = own.getParams();
      assertTrue(own.getX().signum() > 0 && own.getX().bitLength() <= of.getL());
      assertEquals(of.getG().modPow(own.getX(), of.getP()), ((DHPublicKey) pair.getPublic()).getY());
    }
    KeyFactory factory = KeyFactory.getInstance(algorithm, jdk(algorithm));
    assertEquals(pair.getPublic(), factory.generatePublic(new X509EncodedKeySpec(pair.getPublic().getEncoded())));
    assertEquals(pair.getPrivate(), factory.generatePrivate(new PKCS8EncodedKeySpec(pair.getPrivate().getEncoded())));
  }

  private static void compare(String algorithm, Init init) throws Exception {
    Outcome<KeyPair> model = Outcome.of(() -> pair(algorithm, jdk(algorithm), init));
    Outcome<KeyPair> own = Outcome.of(() -> pair(algorithm, Ours.PROVIDER, init));
    if (model.error() != null || own.error() != null) {
      assertEquals(model.toString(), own.toString());
      return;
    }
    assertEquals(describe(model.value()), describe(own.value()));
    check(algorithm, own.value());
    if (own.value().getPrivate() instanceof DHPrivateKey key && key.getParams().getL() < 100) return; // may be the same
    assertNotEquals(own.value().getPrivate(), pair(algorithm, Ours.PROVIDER, init).getPrivate());
  }

  @Test
  void sizesAreTheJdks() throws Exception {
    for (int bits : new int[] {-1, 0, 511, 512, 768, 1000, 1024, 1536, 2048, 2112, 3072, 3136})
      compare("DSA", g -> g.initialize(bits));
    for (int bits : new int[] {-1, 0, 511, 512, 768, 1000, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 8256})
      compare("DiffieHellman", g -> g.initialize(bits));
    for (String algorithm : ALGORITHMS) compare(algorithm, g -> {});
  }

  private static DHParameterSpec dhGroup(int bits) throws Exception {
    return ((DHPublicKey) pair("DiffieHellman", jdk("DiffieHellman"), g -> g.initialize(bits)).getPublic()).getParams();
  }

  private static DSAParams dsaGroup(int bits) throws Exception {
    return ((DSAPublicKey) pair("DSA", jdk("DSA"), g -> g.initialize(bits)).getPublic()).getParams();
  }

  @Test
  void groupsOfDiffieHellmanAreTakenAsTheJdkDoes() throws Exception {
    for (int bits : new int[] {1024, 2048}) {
      DHParameterSpec of = dhGroup(bits);
      for (int l : new int[] {-1, 0, 1, 100, 159, 160, 224, 400, bits - 1, bits, bits + 1})
        compare("DiffieHellman", g -> g.initialize(new DHParameterSpec(of.getP(), of.getG(), l)));
    }
    for (DHParameters of : new DHParameters[] {DHStandardGroups.rfc7919_ffdhe2048, DHStandardGroups.rfc7919_ffdhe3072})
      for (int l : new int[] {0, 160, 225, 275})
        compare("DiffieHellman", g -> g.initialize(new DHParameterSpec(of.getP(), of.getG(), l)));
    BigInteger p = dhGroup(2048).getP();
    BigInteger[][] numbers = {
      {BigInteger.valueOf(23), BigInteger.TWO},
      {p, BigInteger.valueOf(5)}, // of another order
      {p, BigInteger.ONE},
      {p, p.subtract(BigInteger.ONE)},
      {p, p.add(BigInteger.TWO)},
      {p.subtract(BigInteger.TWO), BigInteger.TWO}, // no prime
      {p.add(BigInteger.ONE), BigInteger.TWO}, // even
      {p.shiftLeft(1).add(BigInteger.ONE), BigInteger.TWO}, // of 2,049 bits
      {p, BigInteger.TWO.pow(600_000)}
    };
    for (BigInteger[] of : numbers) compareRefused(new DHParameterSpec(of[0], of[1]));
  }

  /** Groups that the library may not take, of which some have pairs that are always the same. */
  private static void compareRefused(DHParameterSpec spec) {
    Init init = g -> g.initialize(spec);
    Outcome<String> model = Outcome.of(() -> describe(pair("DiffieHellman", jdk("DiffieHellman"), init)));
    assertEquals(model.toString(), Outcome.of(() -> describe(pair("DiffieHellman", Ours.PROVIDER, init))).toString());
  }

  @Test
  void groupsOfDsaAreTakenAsTheJdkDoes() throws Exception {
    for (int bits : new int[] {512, 1024, 2048}) {
      DSAParams of = dsaGroup(bits);
      compare("DSA", g -> g.initialize(new DSAParameterSpec(of.getP(), of.getQ(), of.getG())));
    }
    DSAParams of = dsaGroup(1024);
    BigInteger other = dsaGroup(2048).getG().mod(of.getP());
    compare("DSA", g -> g.initialize(new DSAParameterSpec(of.getP(), of.getQ(), other))); // of another order
    compare("DSA", g -> g.initialize(new DSAParameterSpec(BigInteger.valueOf(23), BigInteger.TEN, BigInteger.TWO)));
  }

  @Test
  void otherParametersAreRefused() throws Exception {
    AlgorithmParameterSpec[] specs = {
      null, new NamedParameterSpec("ffdhe2048"), new DHGenParameterSpec(1024, 160), new DSAGenParameterSpec(1024, 160),
    };
    for (String algorithm : ALGORITHMS) {
      for (AlgorithmParameterSpec spec : specs) compare(algorithm, g -> g.initialize(spec));
      AlgorithmParameterSpec another =
          algorithm.equals("DSA") ? dhGroup(1024) : new DSAParameterSpec(BigInteger.TEN, BigInteger.TEN, BigInteger.TEN);
      compare(algorithm, g -> g.initialize(another));
    }
  }

  /** A generator that refused something goes on as it was. */
  @Test
  void generatorsStayAfterAnError() throws Exception {
    for (String algorithm : ALGORITHMS)
      compare(
          algorithm,
          g -> {
            g.initialize(1024);
            assertTrue(Outcome.of(() -> initialize(g, 1000)).error() != null);
          });
  }

  private static Void initialize(KeyPairGenerator generator, int bits) {
    generator.initialize(bits);
    return null;
  }

  // ---- factories ----

  private static KeySpec publicSpec(Key key) {
    if (key instanceof DHPublicKey dh) return new DHPublicKeySpec(dh.getY(), dh.getParams().getP(), dh.getParams().getG());
    DSAPublicKey dsa = (DSAPublicKey) key;
    return new DSAPublicKeySpec(dsa.getY(), dsa.getParams().getP(), dsa.getParams().getQ(), dsa.getParams().getG());
  }

  private static KeySpec privateSpec(Key key) {
    if (key instanceof DHPrivateKey dh) return new DHPrivateKeySpec(dh.getX(), dh.getParams().getP(), dh.getParams().getG());
    DSAPrivateKey dsa = (DSAPrivateKey) key;
    return new DSAPrivateKeySpec(dsa.getX(), dsa.getParams().getP(), dsa.getParams().getQ(), dsa.getParams().getG());
  }

  private static List<Class<? extends KeySpec>> specClasses() {
    return List.of(
        DSAPublicKeySpec.class, DSAPrivateKeySpec.class, DHPublicKeySpec.class, DHPrivateKeySpec.class,
        X509EncodedKeySpec.class, PKCS8EncodedKeySpec.class);
  }

  private interface Use {
    Object of(KeyFactory factory) throws Exception;
  }

  private static Object result(String algorithm, Provider provider, Use use) {
    return Outcome.of(
            () -> {
              Object made = use.of(KeyFactory.getInstance(algorithm, provider));
              return made instanceof Key key ? key.getClass() + Keys.hex(key.getEncoded()) : made.getClass();
            })
        .toString();
  }

  @Test
  void factoriesAreTheJdks() throws Exception {
    for (String algorithm : ALGORITHMS) {
      KeyPair pair = pair(algorithm, Ours.PROVIDER, g -> g.initialize(1024));
      KeyPair castles = pair(algorithm, new BouncyCastleProvider(), g -> g.initialize(1024));
      List<Use> uses = new ArrayList<>();
      for (KeyPair of : new KeyPair[] {pair, castles, Keys.rsa(1024)})
        for (Key key : new Key[] {of.getPublic(), of.getPrivate()}) {
          uses.add(f -> f.translateKey(key));
          for (Class<? extends KeySpec> spec : specClasses()) uses.add(f -> f.getKeySpec(key, spec));
        }
      KeySpec[] specs = {
        publicSpec(pair.getPublic()), privateSpec(pair.getPrivate()), null,
        new X509EncodedKeySpec(pair.getPublic().getEncoded()), new PKCS8EncodedKeySpec(pair.getPrivate().getEncoded()),
        new X509EncodedKeySpec(new byte[9]), new PKCS8EncodedKeySpec(Keys.rsa(1024).getPrivate().getEncoded())
      };
      for (KeySpec spec : specs) {
        uses.add(f -> f.generatePublic(spec));
        uses.add(f -> f.generatePrivate(spec));
      }
      for (Use use : uses) assertEquals(result(algorithm, jdk(algorithm), use), result(algorithm, Ours.PROVIDER, use));
    }
  }

  @Test
  void keysAreWrittenAndRead() throws Exception {
    for (String algorithm : ALGORITHMS) {
      KeyPair pair = pair(algorithm, Ours.PROVIDER, g -> g.initialize(2048));
      for (Key key : new Key[] {pair.getPublic(), pair.getPrivate()}) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(key);
        assertEquals(key, new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject());
      }
    }
  }

  // ---- groups ----

  private static String encode(String algorithm, Provider provider, AlgorithmParameterSpec spec) {
    return Outcome.of(
            () -> {
              AlgorithmParameters parameters = AlgorithmParameters.getInstance(algorithm, provider);
              parameters.init(spec);
              byte[] encoded = parameters.getEncoded();
              AlgorithmParameters again = AlgorithmParameters.getInstance(algorithm, provider);
              again.init(encoded);
              return Keys.hex(encoded) + again + again.getParameterSpec(spec.getClass()).getClass();
            })
        .toString();
  }

  @Test
  void parametersAreTheJdks() throws Exception {
    DSAParams dsa = dsaGroup(1024);
    AlgorithmParameterSpec[] specs = {
      new DSAParameterSpec(dsa.getP(), dsa.getQ(), dsa.getG()), dhGroup(1024), new NamedParameterSpec("ffdhe2048"), null
    };
    for (String algorithm : new String[] {"DSA", "1.2.840.10040.4.1", "DH", "OID.1.2.840.113549.1.3.1"})
      for (AlgorithmParameterSpec spec : specs)
        assertEquals(
            encode(algorithm, jdk(algorithm.matches(".*(DSA|10040).*") ? "DSA" : "DH"), spec),
            encode(algorithm, Ours.PROVIDER, spec));
  }

  @Test
  void newGroupsAreTheJdks() throws Exception {
    for (String algorithm : ALGORITHMS) {
      AlgorithmParameterGenerator own = AlgorithmParameterGenerator.getInstance(algorithm, Ours.PROVIDER);
      AlgorithmParameterGenerator model = AlgorithmParameterGenerator.getInstance(algorithm, jdk(algorithm));
      for (int bits : new int[] {0, 100, 1000})
        assertEquals(Outcome.of(() -> init(model, bits)).toString(), Outcome.of(() -> init(own, bits)).toString());
      AlgorithmParameterSpec wrong = new NamedParameterSpec("ffdhe2048");
      assertEquals(Outcome.of(() -> init(model, wrong)).toString(), Outcome.of(() -> init(own, wrong)).toString());
      own.init(512);
      AlgorithmParameters made = own.generateParameters();
      BigInteger p =
          algorithm.equals("DSA")
              ? made.getParameterSpec(DSAParameterSpec.class).getP()
              : made.getParameterSpec(DHParameterSpec.class).getP();
      assertEquals(512, p.bitLength());
    }
  }

  private static Void init(AlgorithmParameterGenerator generator, int bits) {
    generator.init(bits);
    return null;
  }

  private static Void init(AlgorithmParameterGenerator generator, AlgorithmParameterSpec spec) throws Exception {
    generator.init(spec);
    return null;
  }
}
