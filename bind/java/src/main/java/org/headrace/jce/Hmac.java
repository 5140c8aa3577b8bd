// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.nio.ByteBuffer;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.SecretKey;

/** HMAC, whose keys have any length, or stay in the accelerator, which then gets the message when it ends. */
final class Hmac extends KeyedMac {
  private final int algorithm;
  private NamedSecret named; // null: the key is here
  private Message.Kept message;

  Hmac(int algorithm, int length) {
    super(length, new KeyObject(algorithm));
    this.algorithm = algorithm;
  }

  @Override
  protected void engineInit(Key key, AlgorithmParameterSpec params)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    if (params != null) throw new InvalidAlgorithmParameterException("HMAC does not use parameters");
    if (!(key instanceof SecretKey)) throw new InvalidKeyException("Secret key expected");
    named = null;
    if (key instanceof NamedSecret secret) {
      secret.open(algorithm);
      message = new Message.Kept();
      named = secret;
      return;
    }
    byte[] bytes = KeyBytes.copy(key);
    if (bytes == null) throw new InvalidKeyException("Missing key data");
    object().setKey(bytes);
    begin(object(), null);
  }

  @Override
  protected void engineUpdate(byte input) {
    if (named == null) super.engineUpdate(input);
    else message.update(new byte[] {input}, 0, 1);
  }

  @Override
  protected void engineUpdate(byte[] input, int offset, int len) {
    if (named == null) super.engineUpdate(input, offset, len);
    else message.update(input, offset, len);
  }

  @Override
  protected void engineUpdate(ByteBuffer input) {
    if (named == null) super.engineUpdate(input);
    else message.update(input);
  }

  @Override
  protected byte[] engineDoFinal() {
    return named == null ? super.engineDoFinal() : named.mac(message.end());
  }

  @Override
  protected void engineReset() {
    if (named == null) super.engineReset();
    else message.reset();
  }

  @Override
  public Object clone() throws CloneNotSupportedException {
    Hmac copy = (Hmac) super.clone();
    if (named != null) copy.message = message.copy();
    return copy;
  }
}
