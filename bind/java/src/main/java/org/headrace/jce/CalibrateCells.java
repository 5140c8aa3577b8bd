// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.spec.AlgorithmParameterSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * What is measured of each type of service. A call is what a program does for one message: with a kept
 * object and a kept key, but a new IV where the mode has one.
 */
final class CalibrateCells {
  static final int[] BYTES = {16, 64, 256, 1024, 8192, 16384};
  private static final int[] ITERATIONS = {1, 16, 64, 256, 1024, 8192};

  private CalibrateCells() {}

  private static final Map<String, Function<String, List<CalibrateCell>>> TYPES =
      Map.ofEntries(
          Map.entry("MessageDigest", CalibrateCells::digests),
          Map.entry("Mac", CalibrateCells::macs),
          Map.entry("Cipher", CalibrateCells::ciphers),
          Map.entry("SecretKeyFactory", CalibrateCells::secretKeys),
          Map.entry("KDF", CalibrateCells::derivations),
          Map.entry("Signature", CalibratePk::signatures),
          Map.entry("KeyAgreement", CalibratePk::agreements),
          Map.entry("KEM", CalibratePk::kems),
          Map.entry("KeyPairGenerator", CalibratePk::generators),
          Map.entry("KeyFactory", CalibratePk::keyFactories));

  /** The cells of a service; none where there is nothing to measure, as where it is the JDK's own. */
  static List<CalibrateCell> of(String type, String algorithm) {
    return TYPES.getOrDefault(type, unmeasured -> List.of()).apply(algorithm);
  }

  /** Makes the operation on a message by a provider. */
  interface OnMessage {
    CalibrateRace.Op make(Provider provider, byte[] message) throws Exception;
  }

  private static void addSizes(List<CalibrateCell> cells, String operation, OnMessage maker) {
    for (int len : BYTES)
      cells.add(
          new CalibrateCell(
              operation, "bytes", Integer.toString(len), p -> maker.make(p, new byte[len])));
  }

  private static List<CalibrateCell> digests(String algorithm) {
    List<CalibrateCell> cells = new ArrayList<>();
    addSizes(
        cells, "",
        (provider, message) -> {
          MessageDigest digest = MessageDigest.getInstance(algorithm, provider);
          return () -> digest.digest(message);
        });
    return cells;
  }

  private static List<CalibrateCell> macs(String algorithm) {
    List<CalibrateCell> cells = new ArrayList<>();
    addSizes(
        cells, "",
        (provider, message) -> {
          Mac mac = Mac.getInstance(algorithm, provider);
          mac.init(new SecretKeySpec(new byte[32], algorithm));
          return () -> mac.doFinal(message);
        });
    return cells;
  }

  // ---- ciphers ----

  private static SecretKey cipherKey(String algorithm) {
    String family = algorithm.split("/")[0];
    if (family.startsWith("AES")) return new SecretKeySpec(new byte[keyLength(family)], "AES");
    if (family.startsWith("DESede")) return new SecretKeySpec(tripleKey(), "DESede");
    if (family.startsWith("ChaCha20")) return new SecretKeySpec(new byte[32], "ChaCha20");
    return new SecretKeySpec(new byte[family.startsWith("DES") ? 8 : 16], family);
  }

  private static int keyLength(String family) {
    return family.contains("256") ? 32 : family.contains("192") ? 24 : 16;
  }

  /** Three keys, since the JDK refuses none, but others might refuse equal ones. */
  private static byte[] tripleKey() {
    byte[] key = new byte[24];
    for (int i = 0; i < key.length; i++) key[i] = (byte) (i * 10 + 1);
    return key;
  }

  /** A new IV for each message, or null where the cipher has none. */
  private interface Ivs {
    AlgorithmParameterSpec next();
  }

  private static Ivs ivs(String algorithm) {
    if (algorithm.contains("/ECB/") || !algorithm.contains("/") && !algorithm.startsWith("ChaCha20"))
      return () -> null;
    ByteBuffer iv =
        ByteBuffer.allocate(
            algorithm.contains("GCM") || algorithm.startsWith("ChaCha20")
                ? 12
                : algorithm.startsWith("DES") ? 8 : 16);
    boolean isGcm = algorithm.contains("GCM") || algorithm.contains("CCM");
    return () -> {
      iv.putInt(0, iv.getInt(0) + 1);
      return isGcm ? new GCMParameterSpec(128, iv.array()) : new IvParameterSpec(iv.array());
    };
  }

  private static void init(Cipher cipher, int op, SecretKey key, AlgorithmParameterSpec iv)
      throws GeneralSecurityException {
    if (iv == null) cipher.init(op, key);
    else cipher.init(op, key, iv);
  }

  private static CalibrateRace.Op encryption(String algorithm, Provider provider, byte[] message)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(algorithm, provider);
    SecretKey key = cipherKey(algorithm);
    Ivs ivs = ivs(algorithm);
    init(cipher, Cipher.ENCRYPT_MODE, key, ivs.next());
    if (ivs.next() == null) return () -> cipher.doFinal(message);
    return () -> {
      init(cipher, Cipher.ENCRYPT_MODE, key, ivs.next());
      return cipher.doFinal(message);
    };
  }

  private static CalibrateRace.Op decryption(String algorithm, Provider provider, byte[] message)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(algorithm, provider);
    SecretKey key = cipherKey(algorithm);
    AlgorithmParameterSpec iv = ivs(algorithm).next();
    init(cipher, Cipher.ENCRYPT_MODE, key, iv);
    byte[] text = cipher.doFinal(message);
    init(cipher, Cipher.DECRYPT_MODE, key, iv);
    if (iv == null) return () -> cipher.doFinal(text);
    return () -> {
      init(cipher, Cipher.DECRYPT_MODE, key, iv);
      return cipher.doFinal(text);
    };
  }

  private static List<CalibrateCell> ciphers(String algorithm) {
    if (algorithm.startsWith("RSA")) return CalibratePk.rsaCiphers(algorithm);
    if (algorithm.contains("KW") || algorithm.contains("Wrap")) return wraps(algorithm);
    if (algorithm.startsWith("PBE")) return List.of();
    List<CalibrateCell> cells = new ArrayList<>();
    addSizes(cells, "encrypt", (provider, message) -> encryption(algorithm, provider, message));
    addSizes(cells, "decrypt", (provider, message) -> decryption(algorithm, provider, message));
    return cells;
  }

  private static List<CalibrateCell> wraps(String algorithm) {
    List<CalibrateCell> cells = new ArrayList<>();
    for (boolean isWrap : new boolean[] {true, false})
      for (int len : new int[] {16, 32})
        cells.add(
            new CalibrateCell(
                isWrap ? "wrap" : "unwrap", "bytes", Integer.toString(len),
                provider -> wrap(algorithm, provider, len, isWrap)));
    return cells;
  }

  private static CalibrateRace.Op wrap(String algorithm, Provider provider, int len, boolean isWrap)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(algorithm, provider);
    SecretKey key = cipherKey(algorithm);
    SecretKey inner = new SecretKeySpec(new byte[len], "AES");
    cipher.init(Cipher.WRAP_MODE, key);
    if (isWrap) return () -> cipher.wrap(inner);
    byte[] wrapped = cipher.wrap(inner);
    cipher.init(Cipher.UNWRAP_MODE, key);
    return () -> cipher.unwrap(wrapped, "AES", Cipher.SECRET_KEY);
  }

  // ---- keys ----

  /** PBKDF2; other factories only change a key's form. */
  private static List<CalibrateCell> secretKeys(String algorithm) {
    List<CalibrateCell> cells = new ArrayList<>();
    if (algorithm.startsWith("PBKDF2"))
      for (int iterations : ITERATIONS)
        cells.add(
            new CalibrateCell(
                "", "iterations", Integer.toString(iterations),
                provider -> {
                  SecretKeyFactory factory = SecretKeyFactory.getInstance(algorithm, provider);
                  char[] password = "correct horse battery".toCharArray();
                  return () ->
                      factory.generateSecret(new PBEKeySpec(password, new byte[16], iterations, 256));
                }));
    return cells;
  }

  private static final int[] DERIVED = {16, 64, 256, 1024, 4080};

  /** HKDF by javax.crypto.KDF, which Java has from 25 on. */
  private static List<CalibrateCell> derivations(String algorithm) {
    List<CalibrateCell> cells = new ArrayList<>();
    for (int len : DERIVED)
      cells.add(
          new CalibrateCell(
              "derive", "bytes", Integer.toString(len),
              provider -> {
                Class<?> kdf = Class.forName("javax.crypto.KDF");
                Object made =
                    kdf.getMethod("getInstance", String.class, Provider.class)
                        .invoke(null, algorithm, provider);
                Method derive = kdf.getMethod("deriveData", AlgorithmParameterSpec.class);
                AlgorithmParameterSpec spec = hkdf(len);
                return () -> derive.invoke(made, spec);
              }));
    return cells;
  }

  private static AlgorithmParameterSpec hkdf(int len) throws ReflectiveOperationException {
    Class<?> outer = Class.forName("javax.crypto.spec.HKDFParameterSpec");
    Class<?> type = Class.forName("javax.crypto.spec.HKDFParameterSpec$Builder");
    Object builder = outer.getMethod("ofExtract").invoke(null);
    type.getMethod("addIKM", byte[].class).invoke(builder, (Object) new byte[32]);
    type.getMethod("addSalt", byte[].class).invoke(builder, (Object) new byte[32]);
    return (AlgorithmParameterSpec)
        type.getMethod("thenExpand", byte[].class, int.class).invoke(builder, new byte[8], len);
  }
}
