// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.KeySpec;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.DESKeySpec;
import javax.crypto.spec.DESedeKeySpec;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.Test;

/** Generators and factories of keys, and parameters, compared with the JDK's; Camellia's with Bouncy Castle's. */
class KeyServicesTest {
  private static final String THEIRS = "SunJCE";
  private static final String CAMELLIA_CBC = "1.2.392.200011.61.1.1.1.";

  private static List<String> services(String type) {
    return Ours.PROVIDER.getServices().stream()
        .filter(s -> s.getType().equals(type))
        .map(Provider.Service::getAlgorithm)
        .sorted()
        .toList();
  }

  /** The same numbers each time. */
  private static SecureRandom numbers() {
    return new SecureRandom() {
      private int next;

      @Override
      public void nextBytes(byte[] out) {
        for (int i = 0; i < out.length; i++) out[i] = (byte) (37 * next++ + 1);
      }
    };
  }

  private interface Init {
    void by(KeyGenerator generator) throws Exception;
  }

  /** A key's parts, or the exception. */
  private static String generate(KeyGenerator generator, Init init) {
    return Outcome.of(
            () -> {
              init.by(generator);
              SecretKey key = generator.generateKey();
              return key.getAlgorithm() + " " + key.getFormat() + " " + key.getClass() + " " + Keys.hex(key.getEncoded());
            })
        .toString();
  }

  @Test
  void generatesAsTheJdkDoes() throws Exception {
    List<String> names = services("KeyGenerator");
    assertEquals(13, names.size(), names.toString());
    for (String name : names) {
      if (name.equals("Camellia")) continue;
      KeyGenerator own = KeyGenerator.getInstance(name, Ours.PROVIDER);
      KeyGenerator model = KeyGenerator.getInstance(name, THEIRS);
      assertEquals(model.generateKey().getEncoded().length, own.generateKey().getEncoded().length, name);
      for (int bits : new int[] {-8, 0, 8, 39, 40, 56, 64, 112, 128, 160, 168, 192, 256, 320, 512, 1024}) {
        Init init = g -> g.init(bits, numbers());
        assertEquals(generate(model, init), generate(own, init), name + " " + bits);
      }
      Init byRandom = g -> g.init(numbers()), byParams = g -> g.init(new IvParameterSpec(new byte[8]), numbers());
      assertEquals(generate(model, byRandom), generate(own, byRandom), name);
      assertEquals(generate(model, byParams), generate(own, byParams), name);
    }
  }

  @Test
  void keysOfDesHaveOddParity() throws Exception {
    for (String name : new String[] {"DES", "DESede", "TripleDES"})
      for (byte b : KeyGenerator.getInstance(name, Ours.PROVIDER).generateKey().getEncoded())
        assertEquals(1, Integer.bitCount(b & 255) % 2);
  }

  @Test
  void generatesKeysOfCamellia() throws Exception {
    KeyGenerator own = KeyGenerator.getInstance("Camellia", Ours.PROVIDER);
    for (int bits : new int[] {128, 192, 256}) {
      own.init(bits);
      SecretKey key = own.generateKey();
      assertEquals("Camellia", key.getAlgorithm());
      assertEquals(bits, key.getEncoded().length * 8);
      Cipher.getInstance("Camellia/CBC/NoPadding", Ours.PROVIDER).init(Cipher.ENCRYPT_MODE, key);
    }
    assertThrows(java.security.InvalidParameterException.class, () -> own.init(160));
  }

  // ---- factories ----

  private static String make(SecretKeyFactory factory, KeySpec spec) {
    return Outcome.of(
            () -> {
              SecretKey key = factory.generateSecret(spec), same = factory.translateKey(key);
              Class<?> back = spec instanceof SecretKeySpec ? DESedeKeySpec.class : spec.getClass();
              return key.getAlgorithm() + Keys.hex(key.getEncoded()) + Keys.hex(same.getEncoded())
                  + factory.getKeySpec(key, back).getClass();
            })
        .toString();
  }

  @Test
  void factoriesAreTheJdks() throws Exception {
    byte[] bytes = new byte[24];
    numbers().nextBytes(bytes);
    KeySpec[] specs = {
      new DESKeySpec(bytes), new DESedeKeySpec(bytes), new SecretKeySpec(bytes, "DESede"), new SecretKeySpec(bytes, "AES"), null
    };
    for (String name : new String[] {"DES", "DESede", "TripleDES"}) {
      SecretKeyFactory own = SecretKeyFactory.getInstance(name, Ours.PROVIDER);
      SecretKeyFactory model = SecretKeyFactory.getInstance(name, THEIRS);
      for (KeySpec spec : specs) assertEquals(make(model, spec), make(own, spec), name);
      SecretKeySpec other = new SecretKeySpec(bytes, "AES");
      assertEquals(
          Outcome.of(() -> model.translateKey(other)).toString(), Outcome.of(() -> own.translateKey(other)).toString());
    }
  }

  // ---- parameters ----

  private static AlgorithmParameterSpec spec(String name) {
    byte[] iv = new byte[name.matches("DES.*|TripleDES") ? 8 : name.matches("AES|Camellia") ? 16 : 12];
    numbers().nextBytes(iv);
    return name.equals("GCM") ? new GCMParameterSpec(112, iv) : new IvParameterSpec(iv);
  }

  @Test
  void parametersAreTheJdks() throws Exception {
    for (String name : new String[] {"AES", "DES", "DESede", "TripleDES", "GCM", "ChaCha20-Poly1305"}) {
      AlgorithmParameters own = AlgorithmParameters.getInstance(name, Ours.PROVIDER);
      AlgorithmParameters model = AlgorithmParameters.getInstance(name, THEIRS);
      own.init(spec(name));
      model.init(spec(name));
      assertArrayEquals(model.getEncoded(), own.getEncoded(), name);
      assertEquals(model.toString(), own.toString());
      AlgorithmParameters again = AlgorithmParameters.getInstance(name, Ours.PROVIDER);
      again.init(model.getEncoded());
      assertArrayEquals(model.getEncoded(), again.getEncoded(), name);
    }
  }

  @Test
  void parametersOfCamelliaAreBouncyCastles() throws Exception {
    AlgorithmParameters model = AlgorithmParameters.getInstance("Camellia", new BouncyCastleProvider());
    model.init(spec("Camellia"));
    for (String name : new String[] {"Camellia", CAMELLIA_CBC + 2, CAMELLIA_CBC + 3, CAMELLIA_CBC + 4}) {
      AlgorithmParameters own = AlgorithmParameters.getInstance(name, Ours.PROVIDER);
      own.init(model.getEncoded());
      assertArrayEquals(model.getEncoded(), own.getEncoded());
      assertArrayEquals(
          model.getParameterSpec(IvParameterSpec.class).getIV(), own.getParameterSpec(IvParameterSpec.class).getIV());
    }
    for (String hex : new String[] {"", "04", "0410", "040f" + "00".repeat(15), "0210" + "00".repeat(16)}) {
      AlgorithmParameters own = AlgorithmParameters.getInstance("Camellia", Ours.PROVIDER);
      assertThrows(IOException.class, () -> own.init(Ours.bytes(hex)), hex);
    }
  }

  /** What a Cipher returns begins another one, also where no provider in the JVM's list has Camellia. */
  @Test
  void ciphersGiveParameters() throws Exception {
    for (String name :
        new String[] {
          "Camellia/CBC/PKCS5Padding", "Camellia/CTR/NoPadding", "Camellia/CFB/NoPadding", "Camellia/GCM/NoPadding",
          "Camellia/CCM/NoPadding", "AES/CBC/NoPadding", "AES/GCM/NoPadding", "AES/XTS/NoPadding", "DESede/CBC/NoPadding",
          "ChaCha20-Poly1305"
        }) {
      byte[] bytes = new byte[name.matches("AES/XTS.*|ChaCha20.*") ? 32 : name.startsWith("DES") ? 24 : 16];
      numbers().nextBytes(bytes);
      SecretKeySpec key = new SecretKeySpec(bytes, name.split("[/-]")[0]);
      Cipher own = Cipher.getInstance(name, Ours.PROVIDER), other = Cipher.getInstance(name, Ours.PROVIDER);
      own.init(Cipher.ENCRYPT_MODE, key);
      byte[] text = new byte[48];
      byte[] encrypted = own.doFinal(text);
      AlgorithmParameters given = own.getParameters();
      if (name.matches("Camellia/C[BTF].*")) {
        assertEquals("Camellia", given.getAlgorithm());
        assertEquals(Ours.PROVIDER.getName(), given.getProvider().getName());
        assertArrayEquals(own.getIV(), Arrays.copyOfRange(given.getEncoded(), 2, 18));
      }
      other.init(Cipher.DECRYPT_MODE, key, given);
      assertArrayEquals(text, other.doFinal(encrypted), name);
    }
  }
}
