// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.SecretKey;
import javax.crypto.interfaces.DHPrivateKey;
import javax.crypto.interfaces.DHPublicKey;
import javax.crypto.spec.DHParameterSpec;
import javax.crypto.spec.DHPublicKeySpec;

/** Diffie and Hellman's key agreement, of two or more parties. */
final class DhAgreement extends AgreedSecret {
  private PkKey key;
  private BigInteger p;
  private BigInteger g;

  @Override
  protected void engineInit(Key given, SecureRandom random) throws InvalidKeyException {
    try {
      engineInit(given, null, random);
    } catch (InvalidAlgorithmParameterException e) { // of parameters, of which there are none
      throw new InvalidKeyException(e);
    }
  }

  @Override
  protected void engineInit(Key given, AlgorithmParameterSpec params, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    forget();
    key = null;
    if (params != null && !(params instanceof DHParameterSpec))
      throw new InvalidAlgorithmParameterException("Diffie-Hellman parameters expected");
    if (!(given instanceof DHPrivateKey own))
      throw new InvalidKeyException("Diffie-Hellman private key expected");
    PkKey translated = KeyCache.get(given, PkUse.DH); // has both numbers
    p = own.getParams().getP();
    g = own.getParams().getG();
    if (params instanceof DHParameterSpec other) checkGroup(other);
    key = translated;
  }

  /** Checks that another group is this one; a number that it lacks is not compared, as in the JDK. */
  private void checkGroup(DHParameterSpec other) throws InvalidKeyException {
    boolean isOther =
        other.getP() != null && !other.getP().equals(p)
            || other.getG() != null && !other.getG().equals(g);
    if (isOther) throw new InvalidKeyException("Incompatible parameters");
  }

  @Override
  protected Key engineDoPhase(Key peer, boolean lastPhase) throws InvalidKeyException, IllegalStateException {
    if (!(peer instanceof DHPublicKey other))
      throw new InvalidKeyException("Diffie-Hellman public key expected");
    if (key == null) throw new IllegalStateException("Not initialized");
    if (other.getParams() == null || other.getParams().getP() == null)
      throw new InvalidKeyException("Diffie-Hellman public key without its numbers");
    checkGroup(other.getParams());
    byte[] y = number(other.getY());
    byte[] out = new byte[key.outLength()];
    int result = key.run(PkKey.DERIVE, PkOptions.NONE, out, y, 0, y.length);
    if (result == Errors.EKEY) throw new InvalidKeyException("Diffie-Hellman public key is out of range");
    Errors.check(result);
    forget();
    if (!lastPhase) return next(out);
    keep(out);
    return null;
  }

  private byte[] number(BigInteger y) throws InvalidKeyException {
    if (y == null || y.signum() <= 0) throw new InvalidKeyException("Diffie-Hellman public key is too small");
    if (y.compareTo(p) >= 0) throw new InvalidKeyException("Diffie-Hellman public key is too large");
    return Parts.bytes(y, 0);
  }

  /** The key that this party gives to the next one. */
  private Key next(byte[] number) throws InvalidKeyException {
    try {
      DHPublicKeySpec spec = new DHPublicKeySpec(new BigInteger(1, number), p, g);
      return JdkKeys.factory("DiffieHellman").generatePublic(spec);
    } catch (GeneralSecurityException e) {
      throw new InvalidKeyException(e);
    }
  }

  @Override
  String notReady() {
    return "Key agreement has not been completed yet";
  }

  @Override
  String noRoom(int length, int room) {
    return "Buffer too short for shared secret";
  }

  @Override
  protected SecretKey engineGenerateSecret(String algorithm) throws NoSuchAlgorithmException {
    if (algorithm == null) throw new NoSuchAlgorithmException("null algorithm");
    if (!isKeyName(algorithm)) throw new NoSuchAlgorithmException("Unsupported secret key algorithm: " + algorithm);
    return takeKey(algorithm, algorithm.equals(TLS)); // RFC 5246 section 8.1.2
  }
}
