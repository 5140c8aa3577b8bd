// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyPairGeneratorSpi;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.interfaces.DSAKey;
import java.security.interfaces.DSAParams;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.DSAParameterSpec;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.interfaces.DHKey;
import javax.crypto.spec.DHParameterSpec;

/**
 * Generators of keys of DSA and Diffie-Hellman. The JDK's generator checks what a program asks for, and
 * has the groups; the library makes the keys. The JDK's makes those of groups that the library does not
 * take, and those of a SecureRandom that is not the system's.
 */
final class ModularGenerator extends KeyPairGeneratorSpi {
  private static final int ROOM = 4096; // for both numbers of a key of 8,192 bits

  /** Sizes for which the JDK has a group; it looks for primes of others. */
  private static final Map<String, Set<Integer>> FIXED =
      Map.of(
          "DSA", Set.of(1024, 2048, 3072),
          "DiffieHellman", Set.of(1024, 1536, 2048, 3072, 4096, 6144, 8192));

  private static final int DEFAULT = 0;

  /** The JDK's groups by an algorithm and a size, since only its keys tell them. */
  private static final Map<String, AlgorithmParameterSpec> GROUPS = new ConcurrentHashMap<>();

  private final String algorithm;
  private final KeyPairGenerator jdk;
  private boolean isOurs = true; // random numbers are the system's, and the group may be one for the library
  private int size = DEFAULT; // of the JDK's group, if no other one was given
  private AlgorithmParameterSpec given;

  ModularGenerator(String algorithm) {
    this.algorithm = algorithm;
    try {
      jdk = KeyPairGenerator.getInstance(algorithm, JdkKeys.provider(algorithm));
    } catch (GeneralSecurityException e) {
      throw new ProviderException(e);
    }
  }

  @Override
  public void initialize(int bits, SecureRandom random) {
    jdk.initialize(bits, random);
    isOurs = KeyGenerators.isSystems(random) && FIXED.get(algorithm).contains(bits);
    size = bits;
    given = null;
  }

  @Override
  public void initialize(AlgorithmParameterSpec params, SecureRandom random)
      throws InvalidAlgorithmParameterException {
    jdk.initialize(params, random);
    isOurs = KeyGenerators.isSystems(random);
    given = params;
  }

  @Override
  public KeyPair generateKeyPair() {
    KeyPair made = isOurs ? make(given != null ? given : group()) : null;
    return made != null ? made : jdk.generateKeyPair();
  }

  private AlgorithmParameterSpec group() {
    return GROUPS.computeIfAbsent(algorithm + " " + size, name -> params(jdk.generateKeyPair()));
  }

  private static AlgorithmParameterSpec params(KeyPair pair) {
    if (pair.getPublic() instanceof DHKey key) return key.getParams();
    DSAParams params = ((DSAKey) pair.getPublic()).getParams();
    return new DSAParameterSpec(params.getP(), params.getQ(), params.getG());
  }

  /** A new pair of a group; null if the library does not take it. */
  private static KeyPair make(AlgorithmParameterSpec group) {
    byte[] out = new byte[ROOM];
    try {
      ModularGroup of = ModularGroup.of(group);
      if (of == null) return null;
      int length = PkCalls.generateIn(of.row(), of.bits(), of.parts(), out);
      if (length == Errors.EKEY || length == Errors.EKEYLEN || length == Errors.EINVAL) return null;
      byte[][] parts = Parts.split(out, Errors.check(length));
      KeyPair pair = of.translator().pair(new BigInteger(1, parts[0]), new BigInteger(1, parts[1]));
      Arrays.fill(parts[0], (byte) 0);
      return pair;
    } catch (GeneralSecurityException e) {
      throw new ProviderException(e);
    } finally {
      Arrays.fill(out, (byte) 0);
    }
  }
}
