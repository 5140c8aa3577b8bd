// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.reflect.Method;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.PSSParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;

/**
 * What is measured of public key. Keys are those of the JDK, as a program has them that asks for no
 * provider, and each call begins with the key, as TLS does it.
 */
final class CalibratePk {
  private CalibratePk() {}

  /** Kinds of keys: the generator's name, the unit and the names of the sizes that are measured. */
  private record Kind(String generator, String unit, String... sizes) {}

  private static final Kind RSA = new Kind("RSA", "bits", "2048", "3072");
  private static final Kind EC = new Kind("EC", "curve", "P-256", "P-384", "P-521");

  /** The kinds by how a name of a signature ends, or of another service begins. */
  private static final Map<String, Kind> KINDS =
      Map.of(
          "RSA", RSA, "RSASSA-PSS", RSA, "ECDSA", EC, "ECDSAinP1363Format", EC, "EC", EC, "ECDH", EC,
          "DSA", new Kind("DSA", "bits", "2048"), "DSAinP1363Format", new Kind("DSA", "bits", "2048"),
          "DH", new Kind("DH", "bits", "2048"), "DiffieHellman", new Kind("DH", "bits", "2048"));

  /** Kinds of keys of several names, those that Headrace has. */
  private static final Map<String, Kind> FAMILIES =
      Map.of(
          "EdDSA", new Kind("EdDSA", "keys", "Ed25519"),
          "XDH", new Kind("XDH", "keys", "X25519"),
          "DHKEM", new Kind("DHKEM", "curve", "P-256", "P-384", "P-521", "X25519"),
          "ML-DSA", new Kind("ML-DSA", "keys", "ML-DSA-44", "ML-DSA-65", "ML-DSA-87"),
          "ML-KEM", new Kind("ML-KEM", "keys", "ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"));

  private static Kind kind(String algorithm) {
    String tail = algorithm.substring(algorithm.lastIndexOf("with") < 0 ? 0 : algorithm.lastIndexOf("with") + 4);
    Kind kind = KINDS.getOrDefault(tail, FAMILIES.get(tail));
    return kind != null ? kind : new Kind(algorithm, "keys", "1");
  }

  private static final Map<String, String> CURVES =
      Map.of("P-256", "secp256r1", "P-384", "secp384r1", "P-521", "secp521r1");

  private static final Map<String, KeyPair> PAIRS = new ConcurrentHashMap<>();

  private static KeyPairGenerator generator(Kind kind, String size, Provider provider)
      throws GeneralSecurityException {
    boolean isNamed = FAMILIES.containsValue(kind);
    String name = CURVES.containsKey(size) ? "EC" : isNamed ? size : kind.generator();
    KeyPairGenerator generator =
        provider == null ? KeyPairGenerator.getInstance(name) : KeyPairGenerator.getInstance(name, provider);
    if (CURVES.containsKey(size)) generator.initialize(new ECGenParameterSpec(CURVES.get(size)));
    else if (kind.unit().equals("bits")) generator.initialize(Integer.parseInt(size));
    return generator;
  }

  /** A pair of the JDK's own providers: Headrace is not among those that are installed. */
  private static KeyPair pair(Kind kind, String size) throws GeneralSecurityException {
    String name = kind.generator() + size;
    KeyPair pair = PAIRS.get(name);
    if (pair == null) PAIRS.put(name, pair = generator(kind, size, null).generateKeyPair());
    return pair;
  }

  /** Makes the operation on a pair of keys by a provider. */
  private interface OnPair {
    CalibrateRace.Op make(Provider provider, KeyPair pair) throws Exception;
  }

  private static void add(List<CalibrateCell> cells, String operation, Kind kind, OnPair maker) {
    for (String size : kind.sizes())
      cells.add(
          new CalibrateCell(
              operation, kind.unit(), size, provider -> maker.make(provider, pair(kind, size))));
  }

  // ---- signatures ----

  private static final PSSParameterSpec PSS =
      new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1);

  private static Signature signature(String algorithm, Provider provider) throws GeneralSecurityException {
    Signature made = Signature.getInstance(algorithm, provider);
    if (algorithm.equals("RSASSA-PSS")) made.setParameter(PSS);
    return made;
  }

  private static byte[] sign(Signature made, PrivateKey key, byte[] message)
      throws GeneralSecurityException {
    made.initSign(key);
    made.update(message);
    return made.sign();
  }

  private static boolean verify(Signature made, PublicKey key, byte[] message, byte[] text)
      throws GeneralSecurityException {
    made.initVerify(key);
    made.update(message);
    return made.verify(text);
  }

  static List<CalibrateCell> signatures(String algorithm) {
    List<CalibrateCell> cells = new ArrayList<>();
    byte[] message = new byte[algorithm.startsWith("NONE") ? 20 : 64];
    Kind kind = kind(algorithm);
    add(
        cells, "sign", kind,
        (provider, pair) -> {
          Signature made = signature(algorithm, provider);
          return () -> sign(made, pair.getPrivate(), message);
        });
    add(
        cells, "verify", kind,
        (provider, pair) -> {
          Signature made = signature(algorithm, provider);
          byte[] text = sign(made, pair.getPrivate(), message);
          return () -> {
            if (!verify(made, pair.getPublic(), message, text)) throw new GeneralSecurityException("refused");
            return made;
          };
        });
    return cells;
  }

  // ---- agreement, encapsulation, encryption ----

  static List<CalibrateCell> agreements(String algorithm) {
    List<CalibrateCell> cells = new ArrayList<>();
    add(
        cells, "agree", kind(algorithm),
        (provider, pair) -> {
          KeyAgreement made = KeyAgreement.getInstance(algorithm, provider);
          return () -> {
            made.init(pair.getPrivate());
            made.doPhase(pair.getPublic(), true);
            return made.generateSecret();
          };
        });
    return cells;
  }

  /** By javax.crypto.KEM, which Java has from 21 on. */
  static List<CalibrateCell> kems(String algorithm) {
    List<CalibrateCell> cells = new ArrayList<>();
    Kind kind = kind(algorithm);
    for (boolean isSender : new boolean[] {true, false})
      add(
          cells, isSender ? "encaps" : "decaps", kind,
          (provider, pair) -> kem(algorithm, provider, pair, isSender));
    return cells;
  }

  private static CalibrateRace.Op kem(
      String algorithm, Provider provider, KeyPair pair, boolean isSender)
      throws ReflectiveOperationException {
    Class<?> type = Class.forName("javax.crypto.KEM");
    Object made = type.getMethod("getInstance", String.class, Provider.class).invoke(null, algorithm, provider);
    Method newSender = type.getMethod("newEncapsulator", PublicKey.class);
    Method send = Class.forName("javax.crypto.KEM$Encapsulator").getMethod("encapsulate");
    if (isSender) return () -> send.invoke(newSender.invoke(made, pair.getPublic()));
    Object sent = send.invoke(newSender.invoke(made, pair.getPublic()));
    Object text = Class.forName("javax.crypto.KEM$Encapsulated").getMethod("encapsulation").invoke(sent);
    Method newReceiver = type.getMethod("newDecapsulator", PrivateKey.class);
    Method receive =
        Class.forName("javax.crypto.KEM$Decapsulator").getMethod("decapsulate", byte[].class);
    return () -> receive.invoke(newReceiver.invoke(made, pair.getPrivate()), text);
  }

  /** Of a secret; not of zeros, whose power takes no time without padding. */
  static List<CalibrateCell> rsaCiphers(String algorithm) {
    List<CalibrateCell> cells = new ArrayList<>();
    byte[] message = new byte[32];
    Arrays.fill(message, (byte) 1);
    add(
        cells, "encrypt", RSA,
        (provider, pair) -> {
          Cipher cipher = Cipher.getInstance(algorithm, provider);
          return () -> {
            cipher.init(Cipher.ENCRYPT_MODE, pair.getPublic());
            return cipher.doFinal(message);
          };
        });
    add(
        cells, "decrypt", RSA,
        (provider, pair) -> {
          Cipher cipher = Cipher.getInstance(algorithm, provider);
          cipher.init(Cipher.ENCRYPT_MODE, pair.getPublic());
          byte[] text = cipher.doFinal(message);
          return () -> {
            cipher.init(Cipher.DECRYPT_MODE, pair.getPrivate());
            return cipher.doFinal(text);
          };
        });
    return cells;
  }

  // ---- keys ----

  static List<CalibrateCell> generators(String algorithm) {
    List<CalibrateCell> cells = new ArrayList<>();
    Kind kind = kind(algorithm);
    if (kind != RSA) // the time of a prime number varies too much
      for (String size : kind.sizes())
        cells.add(
            new CalibrateCell(
                "generate", kind.unit(), size,
                provider -> {
                  KeyPairGenerator made = generator(kind, size, provider);
                  return made::generateKeyPair;
                }));
    return cells;
  }

  static List<CalibrateCell> keyFactories(String algorithm) {
    List<CalibrateCell> cells = new ArrayList<>();
    Kind kind = kind(algorithm);
    add(
        cells, "private", kind,
        (provider, pair) -> {
          KeyFactory made = KeyFactory.getInstance(algorithm, provider);
          byte[] bytes = pair.getPrivate().getEncoded();
          return () -> made.generatePrivate(new PKCS8EncodedKeySpec(bytes));
        });
    add(
        cells, "public", kind,
        (provider, pair) -> {
          KeyFactory made = KeyFactory.getInstance(algorithm, provider);
          byte[] bytes = pair.getPublic().getEncoded();
          return () -> made.generatePublic(new X509EncodedKeySpec(bytes));
        });
    return cells;
  }
}
