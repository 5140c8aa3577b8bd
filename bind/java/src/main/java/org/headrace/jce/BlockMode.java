// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidAlgorithmParameterException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.spec.IvParameterSpec;

/**
 * How a block cipher is used: its block in bytes, whether a message has an IV, may end within a block
 * (stream), is padded by PKCS#7; and the name of its AlgorithmParameters.
 */
record BlockMode(int block, boolean hasIv, boolean isStream, boolean isPadded, String parameters) {
  private static final byte[] NONE = {};

  /** How many bytes are written once `total` bytes of a message were given to update. */
  int ready(int total, boolean isDecryption) {
    if (isStream) return total;
    // The last block may be padding.
    int usable = isPadded && isDecryption ? Math.max(0, total - 1) : total;
    return usable - usable % block;
  }

  /** The most bytes that a message has whose last `total` bytes are given now. */
  int most(int total, boolean isDecryption) {
    return isPadded && !isDecryption ? Math.addExact(total, block - total % block) : total;
  }

  /** The IV of a message; a new one where it is encrypted without. */
  byte[] iv(AlgorithmParameterSpec spec, boolean isDecryption, SecureRandom random)
      throws InvalidAlgorithmParameterException {
    if (!hasIv) {
      if (spec != null) throw new InvalidAlgorithmParameterException("ECB mode cannot use IV");
      return NONE;
    }
    if (spec == null) {
      if (isDecryption) throw new InvalidAlgorithmParameterException("Parameters missing");
      return CipherParameters.randomIv(block, random);
    }
    if (!(spec instanceof IvParameterSpec parameter))
      throw new InvalidAlgorithmParameterException("Wrong parameter type: IV expected");
    byte[] iv = parameter.getIV();
    if (iv.length != block)
      throw new InvalidAlgorithmParameterException("Wrong IV length: must be " + block + " bytes long");
    return iv;
  }
}
