// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidParameterException;
import java.security.KeyPair;
import java.security.KeyPairGeneratorSpi;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;

/**
 * The generator of keys of ML-DSA or ML-KEM, which are the JDK's where it has such keys. A SecureRandom
 * that is not the system's gives the seed: a program may want the same keys again.
 */
final class MlGenerator extends KeyPairGeneratorSpi {
  /** Room for the parts of the largest key, of ML-DSA-87. */
  private static final int ROOM = 8192;

  private static final int NUMBER = 32;

  private final String algorithm;
  private MlSet set;
  private SecureRandom random; // of the program; null: the system's

  MlGenerator(String algorithm) {
    this.algorithm = algorithm;
    set = MlSet.ofName(algorithm);
  }

  @Override
  public void initialize(int keysize, SecureRandom random) {
    throw new InvalidParameterException("keysize not supported");
  }

  @Override
  public void initialize(AlgorithmParameterSpec params, SecureRandom random)
      throws InvalidAlgorithmParameterException {
    if (!(params instanceof NamedParameterSpec named))
      throw new InvalidAlgorithmParameterException("Unsupported AlgorithmParameterSpec: " + params);
    String name = named.getName();
    MlSet found = MlSet.ofName(name);
    if (found == null || !found.isOf(algorithm) || !found.name().equalsIgnoreCase(name))
      throw new InvalidAlgorithmParameterException("Unsupported parameter set name: " + name);
    set = found;
    this.random = KeyGenerators.isSystems(random) ? null : random;
  }

  @Override
  public KeyPair generateKeyPair() {
    byte[][] parts = {};
    try {
      MlForm form = MlForm.ofNewKeys(set.family());
      boolean needsSeed = random != null || form != MlForm.EXPANDED;
      parts = needsSeed ? derive(random == null ? new SecureRandom() : random) : generate();
      return MlKeys.pair(set, form, parts);
    } catch (GeneralSecurityException e) {
      throw new ProviderException(e);
    } finally {
      for (byte[] part : parts) Arrays.fill(part, (byte) 0);
    }
  }

  private byte[][] generate() {
    byte[] out = new byte[ROOM];
    try {
      int length = PkCalls.generate(Rows.number(set.name()), 0, 0, out);
      if (length < 0) throw new ProviderException("no key was made: " + Errors.describe(length));
      return Parts.split(out, length);
    } finally {
      Arrays.fill(out, (byte) 0);
    }
  }

  /** The private and the public key of a seed, whose numbers have 32 bytes each, and the seed. */
  private byte[][] derive(SecureRandom random) throws GeneralSecurityException {
    byte[] seed = new byte[set.seed()];
    byte[] number = new byte[NUMBER];
    for (int at = 0; at < seed.length; at += NUMBER) {
      random.nextBytes(number);
      System.arraycopy(number, 0, seed, at, NUMBER);
    }
    Arrays.fill(number, (byte) 0);
    PkKey key = PkKey.make(set, true, seed.clone()); // which wipes it
    byte[][] parts = {MlKeys.part(key, PkKey.PRIVATE), MlKeys.part(key, PkKey.PUBLIC), seed};
    key.destroy();
    return parts;
  }
}
