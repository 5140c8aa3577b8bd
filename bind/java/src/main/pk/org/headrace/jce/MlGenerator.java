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
 * The generator of keys of ML-DSA or ML-KEM, which are the JDK's where it has such keys. Random numbers
 * are the library's, whatever SecureRandom is given.
 */
final class MlGenerator extends KeyPairGeneratorSpi {
  /** Room for the parts of the largest key, of ML-DSA-87. */
  private static final int ROOM = 8192;

  private final String algorithm;
  private MlSet set;

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
  }

  @Override
  public KeyPair generateKeyPair() {
    byte[] out = new byte[ROOM];
    byte[][] parts = {};
    try {
      int length = PkCalls.generate(Rows.number(set.name()), 0, 0, out);
      if (length < 0) throw new ProviderException("no key was made: " + Errors.describe(length));
      parts = Parts.split(out, length);
      return MlKeys.pair(set, parts);
    } catch (GeneralSecurityException e) {
      throw new ProviderException(e);
    } finally {
      Arrays.fill(out, (byte) 0);
      for (byte[] part : parts) Arrays.fill(part, (byte) 0);
    }
  }
}
