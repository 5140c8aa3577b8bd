// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.RSAKeyGenParameterSpec;
import org.headrace.jce.HeadraceProvider;
import org.junit.jupiter.api.Test;

/** Random numbers for keys that a program brings itself, and a provider that was written to a stream. */
class OwnRandomTest {
  private interface Init {
    void of(KeyPairGenerator generator, SecureRandom random) throws Exception;
  }

  private static PrivateKey key(String algorithm, Init init, SecureRandom random) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm, Ours.PROVIDER);
    init.of(generator, random);
    return generator.generateKeyPair().getPrivate();
  }

  private static SecureRandom seeded() throws Exception {
    SecureRandom random = SecureRandom.getInstance("SHA1PRNG");
    random.setSeed(7);
    return random;
  }

  private static void check(String algorithm, Init init) throws Exception {
    assertEquals(key(algorithm, init, Dice.secure(5)), key(algorithm, init, Dice.secure(5)));
    assertEquals(key(algorithm, init, seeded()), key(algorithm, init, seeded()));
    assertNotEquals(key(algorithm, init, new SecureRandom()), key(algorithm, init, new SecureRandom()));
  }

  /** A program that derives its keys from a seed must get them again. */
  @Test
  void keysAreMadeOfTheProgramsNumbers() throws Exception {
    check("EC", (g, r) -> g.initialize(256, r));
    check("EC", (g, r) -> g.initialize(new ECGenParameterSpec("secp384r1"), r));
    check("X25519", (g, r) -> g.initialize(NamedParameterSpec.X25519, r));
    check("Ed25519", (g, r) -> g.initialize(NamedParameterSpec.ED25519, r));
    check("ML-DSA", (g, r) -> g.initialize(new NamedParameterSpec("ML-DSA-44"), r));
    check("ML-KEM-768", (g, r) -> g.initialize(new NamedParameterSpec("ML-KEM-768"), r));
    check("RSA", (g, r) -> g.initialize(1024, r));
    check("DSA", (g, r) -> g.initialize(1024, r));
    check("DiffieHellman", (g, r) -> g.initialize(1024, r));
    check("RSA", (g, r) -> g.initialize(new RSAKeyGenParameterSpec(1024, RSAKeyGenParameterSpec.F4), r));
  }

  @Test
  void aProviderCanBeWrittenAndRead() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new ObjectOutputStream(bytes).writeObject(new HeadraceProvider());
    Object read = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
    MessageDigest digest = MessageDigest.getInstance("OID.2.16.840.1.101.3.4.2.1", (Provider) read);
    assertEquals(32, digest.digest(bytes.toByteArray()).length);
  }
}
