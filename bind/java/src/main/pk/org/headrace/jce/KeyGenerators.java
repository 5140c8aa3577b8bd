// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.InvalidParameterException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyPairGeneratorSpi;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.RSAKeyGenParameterSpec;
import java.util.Arrays;
import java.util.Set;

/**
 * Generators of keys. What the library makes becomes a key of the JDK's provider; what the library
 * cannot make, and what is not initialised, goes to the JDK's generator, and so does a SecureRandom
 * that is not the system's: a program may want the same keys again, or those of a device. The library
 * asks the system for its random numbers.
 */
final class KeyGenerators extends KeyPairGeneratorSpi {
  /** Room for the parts of the largest key, of RSA with 4,096 bits or of ML-DSA-87. */
  private static final int ROOM = 8192;

  private static final int MOST_BITS = 4096;
  private static final int LEAST_BITS = 1024;

  private final String algorithm;
  private KeyPairGenerator jdk; // which generates, if it is not null
  private NewKeys made; // what the library makes; null: not initialised
  private int bits;
  private long exponent;

  KeyGenerators(String algorithm) {
    JdkKeys.require(algorithm);
    this.algorithm = algorithm;
    made = NewKeys.of(algorithm);
  }

  /** Initialises the JDK's generator, which throws where it does not know the arguments. */
  private KeyPairGenerator jdk() {
    try {
      return KeyPairGenerator.getInstance(algorithm, JdkKeys.provider(algorithm));
    } catch (GeneralSecurityException e) {
      throw new ProviderException(e);
    }
  }

  /** The algorithms of the JDK's SecureRandom whose numbers are the system's. */
  private static final Set<String> SYSTEM =
      Set.of("NativePRNG", "NativePRNGBlocking", "NativePRNGNonBlocking", "DRBG");

  /** Whether random numbers are the system's, as the library's are. */
  static boolean isSystems(SecureRandom random) {
    return random == null
        || random.getClass() == SecureRandom.class
            && SYSTEM.contains(random.getAlgorithm())
            && random.getProvider().getName().equals("SUN");
  }

  private static boolean isSize(int bits) {
    return bits >= LEAST_BITS && bits <= MOST_BITS && bits % 8 == 0;
  }

  @Override
  public void initialize(int keysize, SecureRandom random) {
    Curve curve = algorithm.equals("EC") ? Curve.bySize(keysize) : null;
    boolean isRsa = algorithm.startsWith("RSA") && isSize(keysize);
    if (curve == null && !isRsa || !isSystems(random)) {
      KeyPairGenerator generator = jdk();
      generator.initialize(keysize, random);
      jdk = generator;
      return;
    }
    made = curve != null ? NewKeys.of(curve) : NewKeys.rsa(algorithm, null);
    bits = keysize;
    exponent = 0;
    jdk = null;
  }

  @Override
  public void initialize(AlgorithmParameterSpec params, SecureRandom random)
      throws InvalidAlgorithmParameterException {
    boolean isOurs = isSystems(random);
    if (isOurs && params instanceof RSAKeyGenParameterSpec rsa && take(rsa)) return;
    NewKeys found = isOurs ? find(params) : null;
    if (found != null) {
      made = found;
      jdk = null;
      return;
    }
    KeyPairGenerator generator = jdk();
    generator.initialize(params, random);
    jdk = generator;
  }

  private boolean take(RSAKeyGenParameterSpec rsa) {
    BigInteger e = rsa.getPublicExponent();
    int size = rsa.getKeysize();
    if (!algorithm.startsWith("RSA") || !isSize(size)) return false;
    if (e == null || e.signum() <= 0 || e.bitLength() < 2 || e.bitLength() > 62 || !e.testBit(0)) return false;
    made = NewKeys.rsa(algorithm, rsa.getKeyParams());
    bits = size;
    exponent = e.longValueExact();
    jdk = null;
    return true;
  }

  /** What the library makes by these parameters, or null. */
  private NewKeys find(AlgorithmParameterSpec params) {
    try {
      if (algorithm.equals("EC") && params instanceof ECParameterSpec ec) return NewKeys.of(Curve.of(ec));
      if (algorithm.equals("EC") && params instanceof ECGenParameterSpec named) {
        Curve curve = Curve.byName(named.getName());
        return curve == null ? null : NewKeys.of(curve);
      }
    } catch (InvalidKeyException e) {
      return null;
    }
    if (!(params instanceof NamedParameterSpec named)) return null;
    String name = named.getName();
    boolean fits = algorithm.equalsIgnoreCase(name) || NewKeys.FAMILIES.contains(algorithm + " " + name);
    return fits ? NewKeys.of(name) : null;
  }

  @Override
  public KeyPair generateKeyPair() {
    if (jdk == null && made == null) jdk = jdk();
    if (jdk != null) return jdk.generateKeyPair();
    byte[] out = new byte[ROOM];
    try {
      int length = PkCalls.generate(made.row(), bits, exponent, out);
      if (length < 0) throw new InvalidParameterException("no key was made: " + Errors.describe(length));
      return made.translator().pair(Parts.split(out, length));
    } catch (GeneralSecurityException e) {
      throw new ProviderException(e);
    } finally {
      Arrays.fill(out, (byte) 0);
    }
  }
}
