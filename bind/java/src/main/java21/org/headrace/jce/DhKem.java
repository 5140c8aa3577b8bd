// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.ProviderException;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.interfaces.ECKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.XECKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import java.util.Objects;
import javax.crypto.DecapsulateException;
import javax.crypto.KEM;
import javax.crypto.KEMSpi;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * DHKEM (RFC 9180) of P-256, P-384, P-521 and X25519; the JDK's has X448, too. The library makes the key of
 * each message, which is never on Java's heap. For a SecureRandom that is not the system's the JDK makes it.
 */
final class DhKem implements KEMSpi {
  DhKem() {
    JdkKeys.require("EC");
  }

  /** What keys of one curve are used with: the lengths of secrets and of encapsulations, in bytes. */
  private record Suite(
      PkUse use, String generator, AlgorithmParameterSpec params, int row, int secret, int sent) {
    static Suite of(Key key, AlgorithmParameterSpec spec)
        throws InvalidAlgorithmParameterException, InvalidKeyException {
      if (key == null) throw new InvalidKeyException("input key is null");
      if (spec != null) throw new InvalidAlgorithmParameterException("no spec needed");
      if (key instanceof ECKey ec) return of(Curve.of(ec.getParams()));
      if (key instanceof XECKey xec) {
        EdwardsKeys.checkX25519(xec.getParams());
        return new Suite(PkUse.X25519, "X25519", NamedParameterSpec.X25519, Rows.number("X25519"), 32, 32);
      }
      throw new InvalidKeyException("Unsupported key");
    }

    private static Suite of(Curve curve) {
      int secret = Math.min(curve.size, 64); // as long as SHA-256, SHA-384 or SHA-512
      return new Suite(
          PkUse.ECDH, "EC", curve.params, Rows.number("ECDH-" + curve.name), secret, 1 + 2 * curve.size);
    }

    /** A new key, for one message. */
    PkKey ephemeral(SecureRandom random) {
      if (random == null) return PkKey.ephemeral(row);
      try {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(generator(), JdkKeys.provider(generator()));
        generator.initialize(params, random);
        return use.translate(generator.generateKeyPair().getPrivate());
      } catch (GeneralSecurityException e) {
        throw new ProviderException(e);
      }
    }
  }

  @Override
  public EncapsulatorSpi engineNewEncapsulator(
      PublicKey key, AlgorithmParameterSpec spec, SecureRandom random)
      throws InvalidAlgorithmParameterException, InvalidKeyException {
    Suite suite = Suite.of(key, spec);
    byte[] open =
        key instanceof ECPublicKey ec
            ? Curve.of(ec.getParams()).encode(ec.getW())
            : EdwardsKeys.publicX25519(key);
    return new Sender(suite, open, KeyGenerators.isSystems(random) ? null : random);
  }

  @Override
  public DecapsulatorSpi engineNewDecapsulator(PrivateKey key, AlgorithmParameterSpec spec)
      throws InvalidAlgorithmParameterException, InvalidKeyException {
    Suite suite = Suite.of(key, spec);
    PkKey own = KeyCache.get(key, suite.use());
    return new Receiver(suite, own, own.open(suite.sent()));
  }

  private static void check(int from, int to, int length, String algorithm) {
    Objects.checkFromToIndex(from, to, length);
    Objects.requireNonNull(algorithm, "null algorithm");
  }

  private static InvalidKeyException refused() {
    return new InvalidKeyException("Point has small order, or is not on the curve");
  }

  /** `random` is null where the numbers are the system's. */
  private record Sender(Suite suite, byte[] receiver, SecureRandom random) implements EncapsulatorSpi {
    @Override
    public KEM.Encapsulated engineEncapsulate(int from, int to, String algorithm) {
      check(from, to, suite.secret(), algorithm);
      int length = suite.sent();
      byte[] out = new byte[length + suite.secret()];
      PkKey own = suite.ephemeral(random);
      try {
        int result = own.run(PkKey.ENCAPSULATE, PkOptions.NONE, out, receiver, 0, receiver.length);
        // The JDK's says no more of a public key that it did not look at before.
        if (result == Errors.EKEY) throw new ProviderException("internal error", refused());
        Errors.check(result);
        SecretKey secret = new SecretKeySpec(out, length + from, to - from, algorithm);
        return new KEM.Encapsulated(secret, Arrays.copyOf(out, length), null);
      } finally {
        own.destroy();
        Arrays.fill(out, (byte) 0);
      }
    }

    @Override
    public int engineSecretSize() {
      return suite.secret();
    }

    @Override
    public int engineEncapsulationSize() {
      return suite.sent();
    }
  }

  /** `open` is the public key of `key`. */
  private record Receiver(Suite suite, PkKey key, byte[] open) implements DecapsulatorSpi {
    @Override
    public SecretKey engineDecapsulate(byte[] encapsulation, int from, int to, String algorithm)
        throws DecapsulateException {
      check(from, to, suite.secret(), algorithm);
      Objects.requireNonNull(encapsulation, "null encapsulation");
      int length = suite.sent();
      if (encapsulation.length != length) throw new DecapsulateException("incorrect encapsulation size");
      byte[] in = Arrays.copyOf(encapsulation, length + open.length);
      System.arraycopy(open, 0, in, length, open.length);
      byte[] out = new byte[suite.secret()];
      try {
        int result = key.run(PkKey.DECAPSULATE, PkOptions.NONE, out, in, 0, in.length);
        if (result == Errors.EKEY) throw new DecapsulateException("Cannot decapsulate", refused());
        Errors.check(result);
        return new SecretKeySpec(out, from, to - from, algorithm);
      } finally {
        Arrays.fill(out, (byte) 0);
      }
    }

    @Override
    public int engineSecretSize() {
      return suite.secret();
    }

    @Override
    public int engineEncapsulationSize() {
      return suite.sent();
    }
  }
}
