// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.io.InvalidObjectException;
import java.io.NotSerializableException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.ProviderException;
import javax.crypto.SecretKey;

/** A key of an HMAC that stays in the accelerator's service. */
final class NamedSecret implements SecretKey {
  private static final long serialVersionUID = 1L;

  private final String name;
  private final String algorithm;
  private final transient int row;
  private final transient int length; // of a MAC
  private transient volatile PkKey opened;

  NamedSecret(String name, String algorithm, int row, int length) {
    this.name = name;
    this.algorithm = algorithm;
    this.row = row;
    this.length = length;
  }

  /** Opens it for a row, if that has not been done; its handle ends when the key gets another one. */
  void open(int wanted) throws InvalidKeyException {
    if (wanted != row) throw new InvalidKeyException("the key " + name + " is for " + algorithm);
    if (opened != null) return;
    long address = PkCalls.namedOpen(name.getBytes(StandardCharsets.US_ASCII), row, length);
    if (address < 0)
      throw new InvalidKeyException("the key " + name + ": " + Errors.describe((int) address));
    opened = new PkKey(address);
  }

  byte[] mac(byte[] message) {
    byte[] out = new byte[length];
    PkKey key = opened;
    int result = key == null ? Errors.EHANDLE : key.run(PkKey.MAC, PkOptions.NONE, out, message, 0, message.length);
    if (result == length) return out;
    if (result == Errors.EHANDLE) opened = null;
    throw new ProviderException("the key " + name + ": " + Errors.describe(result));
  }

  @Override
  public String getAlgorithm() {
    return algorithm;
  }

  @Override
  public String getFormat() {
    return null;
  }

  @Override
  public byte[] getEncoded() {
    return null;
  }

  @Override
  public String toString() {
    return algorithm + " key " + name + " of the accelerator";
  }

  private void writeObject(ObjectOutputStream out) throws NotSerializableException {
    throw new NotSerializableException(NamedKey.STAYS);
  }

  private void readObject(ObjectInputStream in) throws InvalidObjectException {
    throw new InvalidObjectException(NamedKey.STAYS);
  }
}
