// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.Objects;
import javax.crypto.DecapsulateException;
import javax.crypto.KEM;
import javax.crypto.KEMSpi;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * ML-KEM, of one parameter set or of any. A ciphertext of the right length that was not made for the key
 * gives another secret, in the same time, and no exception (FIPS 203's implicit rejection). A SecureRandom
 * that is not the system's gives the random numbers.
 */
final class MlKem implements KEMSpi {
  private static final byte[] NOTHING = {};
  private static final int SECRET = 32;

  private final String algorithm;

  MlKem(String algorithm) {
    this.algorithm = algorithm;
  }

  private PkKey key(Key given, AlgorithmParameterSpec spec)
      throws InvalidAlgorithmParameterException, InvalidKeyException {
    if (spec != null)
      throw new InvalidAlgorithmParameterException(
          "The " + algorithm + " algorithm does not take any parameters");
    PkKey key = KeyCache.get(given, PkUse.ML_KEM);
    key.set().check(algorithm);
    return key;
  }

  @Override
  public EncapsulatorSpi engineNewEncapsulator(
      PublicKey key, AlgorithmParameterSpec spec, SecureRandom random)
      throws InvalidAlgorithmParameterException, InvalidKeyException {
    return new Sender(key(key, spec), KeyGenerators.isSystems(random) ? null : random);
  }

  @Override
  public DecapsulatorSpi engineNewDecapsulator(PrivateKey key, AlgorithmParameterSpec spec)
      throws InvalidAlgorithmParameterException, InvalidKeyException {
    return new Receiver(key(key, spec));
  }

  private static void check(int from, int to, String algorithm) {
    Objects.checkFromToIndex(from, to, SECRET);
    Objects.requireNonNull(algorithm, "null algorithm");
  }

  /** `random` is null where the numbers are the system's. */
  private record Sender(PkKey key, SecureRandom random) implements EncapsulatorSpi {
    @Override
    public KEM.Encapsulated engineEncapsulate(int from, int to, String algorithm) {
      check(from, to, algorithm);
      int length = key.outLength();
      byte[] out = new byte[length + SECRET];
      byte[] numbers = random == null ? NOTHING : new byte[SECRET];
      if (random != null) random.nextBytes(numbers);
      Errors.check(key.run(PkKey.ENCAPSULATE, PkOptions.NONE, out, numbers, 0, numbers.length));
      Arrays.fill(numbers, (byte) 0);
      SecretKey secret = new SecretKeySpec(out, length + from, to - from, algorithm);
      Arrays.fill(out, length, out.length, (byte) 0);
      return new KEM.Encapsulated(secret, Arrays.copyOf(out, length), null);
    }

    @Override
    public int engineSecretSize() {
      return SECRET;
    }

    @Override
    public int engineEncapsulationSize() {
      return key.outLength();
    }
  }

  private record Receiver(PkKey key) implements DecapsulatorSpi {
    @Override
    public SecretKey engineDecapsulate(byte[] encapsulation, int from, int to, String algorithm)
        throws DecapsulateException {
      Objects.requireNonNull(encapsulation, "null encapsulation");
      check(from, to, algorithm);
      if (encapsulation.length != key.outLength())
        throw new DecapsulateException("Invalid key encapsulation message length");
      byte[] out = new byte[SECRET];
      Errors.check(
          key.run(PkKey.DECAPSULATE, PkOptions.NONE, out, encapsulation, 0, encapsulation.length));
      try {
        return new SecretKeySpec(out, from, to - from, algorithm);
      } finally {
        Arrays.fill(out, (byte) 0);
      }
    }

    @Override
    public int engineSecretSize() {
      return SECRET;
    }

    @Override
    public int engineEncapsulationSize() {
      return key.outLength();
    }
  }
}
