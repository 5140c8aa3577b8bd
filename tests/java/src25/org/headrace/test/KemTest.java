// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Security;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import java.util.List;
import javax.crypto.KEM;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ML-KEM by javax.crypto.KEM, against the JDK's and Bouncy Castle's. */
class KemTest {
  private static final Provider JDK = Security.getProvider("SunJCE");
  private static final Provider CASTLE = new BouncyCastleProvider();

  private static KEM kem(String name, Provider provider) throws NoSuchAlgorithmException {
    return KEM.getInstance(name, provider);
  }

  private static KeyPair pair(String name, Provider provider) throws Exception {
    return KeyPairGenerator.getInstance(name, provider).generateKeyPair();
  }

  private static void checkSecret(PublicKey open, KEM sender, PrivateKey own, KEM receiver) throws Exception {
    KEM.Encapsulated sent = sender.newEncapsulator(open).encapsulate();
    assertEquals(sent.key(), receiver.newDecapsulator(own).decapsulate(sent.encapsulation()));
    assertEquals(32, sent.key().getEncoded().length);
    byte[] changed = sent.encapsulation();
    changed[changed.length / 2] ^= 1;
    byte[] other = receiver.newDecapsulator(own).decapsulate(changed).getEncoded();
    assertFalse(Arrays.equals(sent.key().getEncoded(), other));
    // The secret that a wrong ciphertext gives is one of the key and the ciphertext.
    assertArrayEquals(sender.newDecapsulator(own).decapsulate(changed).getEncoded(), other);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"})
  void secretsAreTheModels(String name) throws Exception {
    for (String service : new String[] {name, "ML-KEM"})
      for (Provider keys : new Provider[] {JDK, Ours.PROVIDER})
        for (int i = 0; i < 10; i++) {
          KeyPair pair = pair(name, keys);
          KEM own = kem(service, Ours.PROVIDER), model = kem(service, JDK);
          checkSecret(pair.getPublic(), own, pair.getPrivate(), model);
          checkSecret(pair.getPublic(), model, pair.getPrivate(), own);
          checkSecret(pair.getPublic(), own, pair.getPrivate(), own);
        }
    // Bouncy Castle's keys have a seed.
    KeyPair castle = pair(name, CASTLE);
    KEM own = kem(name, Ours.PROVIDER), model = kem(name, CASTLE);
    KEM.Encapsulated sent = own.newEncapsulator(castle.getPublic()).encapsulate();
    assertEquals(
        Keys.hex(sent.key().getEncoded()),
        Keys.hex(model.newDecapsulator(castle.getPrivate()).decapsulate(sent.encapsulation()).getEncoded()));
    sent = model.newEncapsulator(castle.getPublic()).encapsulate();
    assertEquals(
        Keys.hex(sent.key().getEncoded()),
        Keys.hex(own.newDecapsulator(castle.getPrivate()).decapsulate(sent.encapsulation()).getEncoded()));
  }

  /** Of the same random numbers both make the same keys and secrets. */
  @ParameterizedTest
  @ValueSource(strings = {"ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"})
  void randomNumbersAreThePrograms(String name) throws Exception {
    KeyPair[] pairs = new KeyPair[2];
    KEM.Encapsulated[] sent = new KEM.Encapsulated[2];
    for (int i = 0; i < 2; i++) {
      Provider provider = i == 0 ? JDK : Ours.PROVIDER;
      KeyPairGenerator generator = KeyPairGenerator.getInstance(name, provider);
      generator.initialize(new NamedParameterSpec(name), Dice.secure(3));
      pairs[i] = generator.generateKeyPair();
      sent[i] = kem(name, provider).newEncapsulator(pairs[i].getPublic(), null, Dice.secure(4)).encapsulate();
    }
    assertEquals(pairs[0].getPrivate(), pairs[1].getPrivate());
    assertEquals(sent[0].key(), sent[1].key());
    assertArrayEquals(sent[0].encapsulation(), sent[1].encapsulation());
  }

  private interface Use {
    Object by(KEM kem) throws Exception;
  }

  @Test
  void answersAsTheJdk() throws Exception {
    KeyPair pair = pair("ML-KEM-768", JDK), other = pair("ML-KEM-512", JDK), x = pair("X25519", Security.getProvider("SunEC"));
    KeyPair dsa = pair("ML-DSA-44", Security.getProvider("SUN"));
    NamedParameterSpec spec = new NamedParameterSpec("ML-KEM-768");
    List<Use> uses =
        List.of(
            k -> text(k.newEncapsulator(pair.getPublic())),
            k -> k.newEncapsulator(other.getPublic()).encapsulationSize(),
            k -> k.newDecapsulator(other.getPrivate()).encapsulationSize(),
            k -> k.newDecapsulator(pair.getPrivate()).secretSize(),
            k -> k.newEncapsulator(pair.getPublic()).encapsulate(3, 20, "AES").key().getEncoded().length,
            k -> k.newEncapsulator(pair.getPublic()).encapsulate(0, 32, "Any").key().getAlgorithm(),
            k -> k.newEncapsulator(null), k -> k.newDecapsulator(null),
            k -> k.newEncapsulator(x.getPublic()), k -> k.newDecapsulator(x.getPrivate()),
            k -> k.newEncapsulator(dsa.getPublic()), k -> k.newDecapsulator(dsa.getPrivate()),
            k -> k.newEncapsulator(pair.getPublic(), spec, null), k -> k.newDecapsulator(pair.getPrivate(), spec),
            k -> k.newDecapsulator(pair.getPrivate()).decapsulate(null),
            k -> k.newDecapsulator(pair.getPrivate()).decapsulate(new byte[0]),
            k -> k.newDecapsulator(pair.getPrivate()).decapsulate(new byte[768]),
            k -> k.newDecapsulator(pair.getPrivate()).decapsulate(new byte[1089]),
            k -> k.newDecapsulator(pair.getPrivate()).decapsulate(new byte[1088]).getAlgorithm(),
            k -> Keys.hex(k.newDecapsulator(pair.getPrivate()).decapsulate(new byte[1088], 5, 21, "AES").getEncoded()));
    for (String name : new String[] {"ML-KEM", "ML-KEM-768", "ML-KEM-1024"})
      for (int i = 0; i < uses.size(); i++) {
        Use use = uses.get(i);
        Outcome<Object> mine = Outcome.of(() -> use.by(kem(name, Ours.PROVIDER)));
        Outcome<Object> model = Outcome.of(() -> use.by(kem(name, JDK)));
        assertEquals(model.key(), mine.key(), name + " " + i + ": " + model + "; ours: " + mine);
      }
  }

  private static String text(KEM.Encapsulator sender) {
    KEM.Encapsulated sent = sender.encapsulate();
    return sender.encapsulationSize() + " " + sender.secretSize() + " " + sent.encapsulation().length + " "
        + sent.params() + " " + sent.key().getAlgorithm() + " " + sent.key().getFormat();
  }

  /** The exceptions are those of KEM's documentation; JDK 25 throws others. */
  @Test
  void refusesAsDocumented() throws Exception {
    KeyPair pair = pair("ML-KEM-512", Ours.PROVIDER);
    KEM.Encapsulator sender = kem("ML-KEM", Ours.PROVIDER).newEncapsulator(pair.getPublic());
    KEM.Decapsulator receiver = kem("ML-KEM", Ours.PROVIDER).newDecapsulator(pair.getPrivate());
    assertThrows(IndexOutOfBoundsException.class, () -> sender.encapsulate(0, 33, "AES"));
    assertThrows(IndexOutOfBoundsException.class, () -> sender.encapsulate(5, 4, "AES"));
    assertThrows(IndexOutOfBoundsException.class, () -> receiver.decapsulate(new byte[768], -1, 4, "AES"));
    assertThrows(NullPointerException.class, () -> sender.encapsulate(0, 16, null));
    assertThrows(NullPointerException.class, () -> receiver.decapsulate(new byte[768], 0, 16, null));
  }
}
