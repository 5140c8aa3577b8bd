// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.interfaces.ECKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import javax.crypto.KeyAgreementSpi;
import javax.crypto.SecretKey;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.SecretKeySpec;

/** ECDH and X25519. The secret is computed when the peer's key is given, and kept until it is taken. */
final class Agreement extends KeyAgreementSpi {
  private static final String TLS = "TlsPremasterSecret";

  private final PkUse use;
  private PkKey key;
  private Curve curve; // of ECDH
  private byte[] secret;

  Agreement(PkUse use) {
    JdkKeys.require("EC");
    this.use = use;
  }

  @Override
  protected void engineInit(Key given, SecureRandom random) throws InvalidKeyException {
    key = null;
    forget();
    if (!(given instanceof PrivateKey)) throw new InvalidKeyException("Unsupported key type");
    if (use == PkUse.ECDH) curve = given instanceof ECKey ec ? Curve.of(ec.getParams()) : null;
    if (use == PkUse.ECDH && curve == null) throw new InvalidKeyException("Not an EC key");
    key = KeyCache.get(given, use);
  }

  @Override
  protected void engineInit(Key given, AlgorithmParameterSpec params, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    if (params != null && use == PkUse.ECDH)
      throw new InvalidAlgorithmParameterException("Parameters not supported");
    engineInit(given, random);
    boolean isNamed = params instanceof NamedParameterSpec named && named.getName().equals("X25519");
    if (params == null || isNamed) return;
    key = null;
    throw new InvalidAlgorithmParameterException("Unsupported name");
  }

  private void forget() {
    if (secret != null) Arrays.fill(secret, (byte) 0);
    secret = null;
  }

  @Override
  protected Key engineDoPhase(Key peer, boolean lastPhase) throws InvalidKeyException, IllegalStateException {
    if (key == null) throw new IllegalStateException("Not initialized");
    if (secret != null) throw new IllegalStateException("Phase already executed");
    if (!lastPhase)
      throw new IllegalStateException("Only two party agreement supported, lastPhase must be true");
    if (!(peer instanceof PublicKey)) throw new InvalidKeyException("Unsupported key type");
    byte[] encoded = use == PkUse.ECDH ? ecPoint(peer) : EdwardsKeys.publicX25519(peer);
    byte[] out = new byte[key.outLength()];
    int result = key.run(PkKey.DERIVE, PkOptions.NONE, out, encoded, 0, encoded.length);
    if (result == Errors.EKEY) throw new InvalidKeyException("Point has small order, or is not on the curve");
    Errors.check(result);
    secret = out;
    return null;
  }

  private byte[] ecPoint(Key peer) throws InvalidKeyException {
    Key read = peer instanceof ECPublicKey ? peer : JdkKeys.read("EC", peer);
    if (!(read instanceof ECPublicKey ec)) throw new InvalidKeyException("Not an EC key");
    if (!curve.is(ec.getParams())) throw new InvalidKeyException("the keys are of different curves");
    return curve.encode(ec.getW());
  }

  @Override
  protected byte[] engineGenerateSecret() throws IllegalStateException {
    if (secret == null) throw new IllegalStateException("Not initialized correctly");
    byte[] out = secret;
    secret = null;
    return out;
  }

  @Override
  protected int engineGenerateSecret(byte[] out, int offset) throws IllegalStateException, ShortBufferException {
    if (secret == null) throw new IllegalStateException("Not initialized correctly");
    int length = secret.length;
    if (length > out.length - offset)
      throw new ShortBufferException("Need " + length + " bytes, only " + (out.length - offset) + " available");
    System.arraycopy(secret, 0, out, offset, length);
    forget();
    return length;
  }

  @Override
  protected SecretKey engineGenerateSecret(String algorithm)
      throws IllegalStateException, NoSuchAlgorithmException {
    if (algorithm == null) throw new NoSuchAlgorithmException("Algorithm must not be null");
    if (!algorithm.equals(TLS) && !(algorithm.equals("Generic") && Runtime.version().feature() >= GENERIC))
      throw new NoSuchAlgorithmException("Only supported for algorithm " + TLS);
    byte[] bytes = engineGenerateSecret();
    try {
      return new SecretKeySpec(bytes, algorithm);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  /** The version of Java whose providers take the name Generic. */
  static final int GENERIC = 25;
}
