// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.SecretKey;
import javax.crypto.spec.IvParameterSpec;

/** MACs whose keys have certain lengths: CMAC, the retail MAC, Poly1305, and GMAC, which takes a nonce. */
final class BlockMac extends KeyedMac {
  private final boolean hasNonce;
  private CipherKey key;
  private byte[] usedNonce; // of the last init, with this key

  BlockMac(int length, boolean hasNonce, CipherKey key) {
    super(length, null);
    this.hasNonce = hasNonce;
    this.key = key;
  }

  @Override
  protected void engineInit(Key newKey, AlgorithmParameterSpec params)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    if (!(newKey instanceof SecretKey)) throw new InvalidKeyException("Secret key expected");
    byte[] nonce = nonce(params);
    if (newKey instanceof NamedSecret secret && !hasNonce) {
      begin(secret, key.rowFor(secret.row()));
      return;
    }
    boolean isSameKey = key.set(newKey);
    if (hasNonce && isSameKey && Arrays.equals(usedNonce, nonce)) {
      abandon();
      throw new InvalidAlgorithmParameterException("Cannot reuse iv for GMAC");
    }
    usedNonce = nonce;
    begin(key.key(), nonce);
  }

  private byte[] nonce(AlgorithmParameterSpec params) throws InvalidAlgorithmParameterException {
    if (!hasNonce) {
      if (params != null) throw new InvalidAlgorithmParameterException("this MAC does not use parameters");
      return null;
    }
    if (!(params instanceof IvParameterSpec iv) || iv.getIV().length == 0)
      throw new InvalidAlgorithmParameterException("GMAC takes a nonce as IvParameterSpec");
    return iv.getIV();
  }

  /** Not with a nonce: the copy and the original could make a tag each with it. */
  @Override
  public Object clone() throws CloneNotSupportedException {
    if (hasNonce) throw new CloneNotSupportedException("GMAC cannot be cloned, since a nonce serves once");
    BlockMac copy = (BlockMac) super.clone();
    copy.key = key.with(copy.object());
    return copy;
  }
}
