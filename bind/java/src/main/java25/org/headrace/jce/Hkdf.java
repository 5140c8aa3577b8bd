// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.io.ByteArrayOutputStream;
import java.security.InvalidAlgorithmParameterException;
import java.security.ProviderException;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.List;
import javax.crypto.KDFParameters;
import javax.crypto.KDFSpi;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** HKDF (RFC 5869). */
final class Hkdf extends KDFSpi {
  private static final byte[] NONE = {};

  private final String name;
  private final int hmac;
  private final int length;

  private Hkdf(String name, int hmac, int length) throws InvalidAlgorithmParameterException {
    super(null);
    this.name = name;
    this.hmac = hmac;
    this.length = length;
  }

  /** `hmac` is the row of the HMAC, `length` that of its MAC. */
  static Hkdf make(String name, int hmac, int length) {
    try {
      return new Hkdf(name, hmac, length);
    } catch (InvalidAlgorithmParameterException e) { // of parameters, of which it has none
      throw new ProviderException(e);
    }
  }

  @Override
  protected KDFParameters engineGetParameters() {
    return null;
  }

  @Override
  protected SecretKey engineDeriveKey(String algorithm, AlgorithmParameterSpec spec)
      throws InvalidAlgorithmParameterException {
    byte[] bytes = engineDeriveData(spec);
    try {
      return new SecretKeySpec(bytes, algorithm);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  @Override
  protected byte[] engineDeriveData(AlgorithmParameterSpec spec)
      throws InvalidAlgorithmParameterException {
    if (spec instanceof HKDFParameterSpec.Extract extract)
      return extract(extract.ikms(), extract.salts());
    if (spec instanceof HKDFParameterSpec.Expand expand) {
      byte[] prk = bytes(expand.prk());
      if (prk.length < length)
        throw new InvalidAlgorithmParameterException("PRK must be at least " + length + " bytes");
      return expand(prk, expand.info(), expand.length());
    }
    if (spec instanceof HKDFParameterSpec.ExtractThenExpand both)
      return expand(extract(both.ikms(), both.salts()), both.info(), both.length());
    throw new InvalidAlgorithmParameterException(
        name + " derivation requires an HKDFParameterSpec");
  }

  private static byte[] bytes(SecretKey key) throws InvalidAlgorithmParameterException {
    byte[] bytes = KeyBytes.copy(key);
    if (bytes == null) throw new InvalidAlgorithmParameterException("a key has no encoding");
    return bytes;
  }

  private static byte[] join(List<SecretKey> keys) throws InvalidAlgorithmParameterException {
    if (keys.isEmpty()) return NONE;
    if (keys.size() == 1) return bytes(keys.get(0));
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (SecretKey key : keys) all.writeBytes(bytes(key));
    return all.toByteArray();
  }

  private byte[] extract(List<SecretKey> ikms, List<SecretKey> salts)
      throws InvalidAlgorithmParameterException {
    byte[] ikm = join(ikms);
    byte[] salt = join(salts);
    byte[] prk = new byte[length];
    int n = DeriveCalls.hkdfExtract(hmac, salt, ikm, prk);
    Arrays.fill(ikm, (byte) 0);
    Arrays.fill(salt, (byte) 0);
    if (n != length) throw new ProviderException("libheadrace: error " + n);
    return prk;
  }

  private byte[] expand(byte[] prk, byte[] info, int wanted) throws InvalidAlgorithmParameterException {
    if (wanted > 255 * length)
      throw new InvalidAlgorithmParameterException(
          "Requested length exceeds maximum allowed length: " + 255 * length);
    byte[] out = new byte[wanted];
    int n = DeriveCalls.hkdfExpand(hmac, prk, info == null ? NONE : info, out);
    Arrays.fill(prk, (byte) 0);
    if (n != wanted) throw new ProviderException("libheadrace: error " + n);
    return out;
  }
}
