// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.KeyGenerator;
import javax.crypto.KeyGeneratorSpi;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * The JDK's generator of keys, for programs that name this provider: a key is what a SecureRandom gives,
 * which no kernel makes faster.
 */
final class WrappedGenerator extends KeyGeneratorSpi {
  private final String algorithm;
  private final KeyGenerator jdk;

  /** Keys are called `algorithm`, and made as the JDK makes those of `model`. */
  WrappedGenerator(String algorithm, String model) {
    this.algorithm = algorithm;
    try {
      jdk = KeyGenerator.getInstance(model, "SunJCE");
    } catch (GeneralSecurityException e) {
      throw new ProviderException(e);
    }
  }

  @Override
  protected void engineInit(SecureRandom random) {
    jdk.init(random);
  }

  @Override
  protected void engineInit(AlgorithmParameterSpec params, SecureRandom random)
      throws InvalidAlgorithmParameterException {
    jdk.init(params, random);
  }

  @Override
  protected void engineInit(int bits, SecureRandom random) {
    jdk.init(bits, random);
  }

  @Override
  protected SecretKey engineGenerateKey() {
    SecretKey key = jdk.generateKey();
    if (jdk.getAlgorithm().equals(algorithm)) return key;
    byte[] bytes = key.getEncoded();
    try {
      return new SecretKeySpec(bytes, algorithm);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }
}
