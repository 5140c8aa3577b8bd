// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.AlgorithmParameters;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.Security;
import java.security.Signature;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.KeyGenerator;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A short use of each service by new objects. It gives the same bytes each time that the seed is the same, so
 * that uses at the same time can be compared; what is random is used both ways (signed and verified) instead.
 */
record Uses(Provider.Service service, Use use) {
  /** Uses a service. Its result has nothing random. */
  interface Use {
    byte[] by(Provider.Service service, Dice dice) throws Exception;
  }

  private static final Map<String, Use> BY_TYPE = new HashMap<>();

  static {
    BY_TYPE.put("MessageDigest", Uses::digest);
    BY_TYPE.put("Mac", Uses::mac);
    BY_TYPE.put("Cipher", (s, dice) -> s.getAlgorithm().startsWith("RSA") ? encryptToKey(s, dice) : encrypt(s, dice));
    BY_TYPE.put("Signature", Uses::sign);
    BY_TYPE.put("KeyAgreement", Uses::agree);
    BY_TYPE.put("KeyPairGenerator", Uses::pair);
    BY_TYPE.put("KeyFactory", Uses::translate);
    BY_TYPE.put("KeyGenerator", Uses::generate);
    BY_TYPE.put("SecretKeyFactory", Uses::derive);
    BY_TYPE.put("AlgorithmParameters", (s, dice) -> empty(AlgorithmParameters.getInstance(s.getAlgorithm(), s.getProvider())));
    BY_TYPE.putAll(later());
  }

  /** The uses of services that Java 17 has no classes for. */
  @SuppressWarnings("unchecked")
  private static Map<String, Use> later() {
    try {
      return ((Supplier<Map<String, Use>>) Class.forName("org.headrace.test.LaterUses").getDeclaredConstructor().newInstance()).get();
    } catch (ReflectiveOperationException e) {
      return Map.of();
    }
  }

  /** The first provider but Headrace that makes keys, or null. Keys are kept, and so would its class loader be. */
  private static Provider maker(String algorithm) {
    Provider[] all = Security.getProviders("KeyPairGenerator." + algorithm);
    for (Provider one : all == null ? new Provider[0] : all) if (!one.getName().equals("Headrace")) return one;
    return null;
  }

  /** Whether the JDK makes keys for a service. */
  private static boolean hasKeys(Provider.Service s) {
    return !s.getType().matches("Signature|KeyFactory") || !s.getAlgorithm().startsWith("ML-") || maker(s.getAlgorithm()) != null;
  }

  /** All services that have a use. */
  static List<Uses> all(Provider provider) {
    return provider.getServices().stream()
        .filter(s -> BY_TYPE.containsKey(s.getType()) && hasKeys(s))
        .sorted(Comparator.comparing(s -> s.getType() + s.getAlgorithm()))
        .map(s -> new Uses(s, BY_TYPE.get(s.getType())))
        .toList();
  }

  /** Whether a use takes microseconds. */
  boolean isShort() {
    return service.getType().matches("MessageDigest|Mac|Cipher") && !service.getAlgorithm().startsWith("RSA");
  }

  byte[] by(long seed) throws Exception {
    return use.by(service, new Dice(seed));
  }

  @Override
  public String toString() {
    return service.getType() + " " + service.getAlgorithm();
  }

  private static byte[] empty(Object made) {
    return made == null ? null : new byte[0];
  }

  private static byte[] require(boolean isRight, String what) {
    if (!isRight) throw new AssertionError(what);
    return new byte[0];
  }

  private static byte[] digest(Provider.Service s, Dice dice) throws Exception {
    MessageDigest digest = MessageDigest.getInstance(s.getAlgorithm(), s.getProvider());
    digest.update(dice.bytes(dice.length()));
    return digest.digest(dice.bytes(dice.length()));
  }

  /** A key for a MAC, and its nonce or null. */
  static Mac keyedMac(Provider.Service s, Dice dice) throws Exception {
    Mac mac = Mac.getInstance(s.getAlgorithm(), s.getProvider());
    int key = s.getAlgorithm().startsWith("POLY1305") ? 32 : s.getAlgorithm().startsWith("DESEDE") ? 24 : 16;
    AlgorithmParameterSpec nonce = s.getAlgorithm().contains("GMAC") ? new IvParameterSpec(dice.bytes(12)) : null;
    mac.init(new SecretKeySpec(dice.bytes(key), s.getAlgorithm()), nonce);
    return mac;
  }

  private static byte[] mac(Provider.Service s, Dice dice) throws Exception {
    Mac mac = keyedMac(s, dice);
    mac.update(dice.bytes(dice.length()));
    return mac.doFinal(dice.bytes(dice.length()));
  }

  private static byte[] encrypt(Provider.Service s, Dice dice) throws Exception {
    String name = s.getAlgorithm();
    boolean isWrap = name.contains("/KW"), isXts = name.contains("XTS");
    int[] keys = Transformations.keys(name), ivs = Transformations.ivs(name);
    byte[] key = dice.bytes((isXts ? 2 : 1) * keys[isXts ? 0 : dice.below(keys.length)]);
    byte[] iv = dice.bytes(isWrap ? 0 : ivs[dice.below(ivs.length)]);
    AlgorithmParameterSpec params =
        iv.length == 0 ? null : Transformations.params(name, iv);
    byte[] text = dice.bytes(16 * (2 + dice.length() / 16));
    Cipher forth = Cipher.getInstance(name, s.getProvider());
    forth.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, name.replaceAll("[/_].*", "")), params);
    byte[] head = forth.update(text, 0, 16), tail = forth.doFinal(text, 16, text.length - 16);
    byte[] all = Arrays.copyOf(head == null ? new byte[0] : head, (head == null ? 0 : head.length) + tail.length);
    System.arraycopy(tail, 0, all, all.length - tail.length, tail.length);
    Cipher back = Cipher.getInstance(name, s.getProvider());
    back.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, name.replaceAll("[/_].*", "")), params);
    require(Arrays.equals(text, back.doFinal(all)), name + " does not decrypt what it encrypted");
    return all;
  }

  private static byte[] encryptToKey(Provider.Service s, Dice dice) throws Exception {
    byte[] text = dice.bytes(1 + dice.below(60));
    Cipher forth = Cipher.getInstance(s.getAlgorithm(), s.getProvider());
    forth.init(Cipher.ENCRYPT_MODE, Keys.rsa(2048).getPublic());
    byte[] secret = forth.doFinal(text);
    Cipher back = Cipher.getInstance(s.getAlgorithm(), s.getProvider());
    back.init(Cipher.DECRYPT_MODE, Keys.rsa(2048).getPrivate());
    byte[] found = back.doFinal(secret);
    // Without padding the text has zeros before it.
    return require(
        Arrays.equals(text, Arrays.copyOfRange(found, found.length - text.length, found.length)), s.getAlgorithm());
  }

  private static final Map<String, KeyPair> PAIRS = new ConcurrentHashMap<>();

  /** A pair of keys of the JDK's for a service of this name. */
  private static KeyPair keys(String name) {
    String algorithm =
        name.contains("RSA") ? "RSA" : name.contains("withDSA") ? "DSA" : name.matches("DH|Diffie.*") ? "DH" : name.matches(".*ECD(SA|H).*|EC") ? "EC" : name.equals("XDH") ? "X25519" : name.equals("EdDSA") ? "Ed25519" : name;
    if (algorithm.equals("RSA")) return Keys.rsa(2048);
    return PAIRS.computeIfAbsent(
        algorithm,
        a -> {
          try {
            return Keys.pair(a, a.equals("EC") ? new ECGenParameterSpec("secp256r1") : null, maker(a));
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private static Signature signature(Provider.Service s) throws Exception {
    Signature made = Signature.getInstance(s.getAlgorithm(), s.getProvider());
    if (s.getAlgorithm().equals("RSASSA-PSS"))
      made.setParameter(new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1));
    return made;
  }

  private static byte[] sign(Provider.Service s, Dice dice) throws Exception {
    byte[] text = dice.bytes(s.getAlgorithm().startsWith("NONEwithDSA") ? 20 : s.getAlgorithm().startsWith("NONE") ? 32 : dice.length());
    KeyPair keys = keys(s.getAlgorithm());
    Signature signer = signature(s);
    signer.initSign(keys.getPrivate());
    signer.update(text);
    byte[] signature = signer.sign();
    Signature verifier = signature(s);
    verifier.initVerify(keys.getPublic());
    verifier.update(text);
    require(verifier.verify(signature), s.getAlgorithm() + " refuses what it signed");
    return s.getAlgorithm().matches("Ed.*|.*withRSA") ? signature : new byte[0];
  }

  private static byte[] agree(Provider.Service s, Dice dice) throws Exception {
    KeyPair keys = keys(s.getAlgorithm());
    KeyAgreement agreement = KeyAgreement.getInstance(s.getAlgorithm(), s.getProvider());
    agreement.init(keys.getPrivate());
    agreement.doPhase(keys.getPublic(), true);
    return agreement.generateSecret();
  }

  private static byte[] pair(Provider.Service s, Dice dice) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(s.getAlgorithm(), s.getProvider());
    if (s.getAlgorithm().startsWith("RSA")) generator.initialize(1024);
    return empty(generator.generateKeyPair());
  }

  private static byte[] translate(Provider.Service s, Dice dice) throws Exception {
    if (s.getAlgorithm().equals("RSASSA-PSS")) return new byte[0]; // no key of RSA's is one of its
    var factory = java.security.KeyFactory.getInstance(s.getAlgorithm(), s.getProvider());
    return factory.translateKey(keys(s.getAlgorithm()).getPublic()).getEncoded();
  }

  private static byte[] generate(Provider.Service s, Dice dice) throws Exception {
    KeyGenerator generator = KeyGenerator.getInstance(s.getAlgorithm(), s.getProvider());
    generator.init(Dice.secure(dice.seed()));
    return generator.generateKey().getEncoded();
  }

  private static byte[] derive(Provider.Service s, Dice dice) throws Exception {
    if (!s.getAlgorithm().startsWith("PBKDF2")) return new byte[0];
    SecretKeyFactory factory = SecretKeyFactory.getInstance(s.getAlgorithm(), s.getProvider());
    char[] password = new String(dice.bytes(9), java.nio.charset.StandardCharsets.ISO_8859_1).toCharArray();
    return factory.generateSecret(new PBEKeySpec(password, dice.bytes(16), 20, 320)).getEncoded();
  }
}
