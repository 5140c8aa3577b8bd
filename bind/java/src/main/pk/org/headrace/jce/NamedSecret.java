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

/** A secret key that stays in the accelerator's service: of an HMAC or CMAC, if it is none of the class below. */
class NamedSecret implements SecretKey {
  private static final long serialVersionUID = 1L;

  /** The most bytes of a job, without its result: 128 KiB less some for its other members. */
  static final int MOST_BYTES = 127 << 10;

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

  final String name() {
    return name;
  }

  final int row() {
    return row;
  }

  /** Whether it is this key, perhaps as another store lists it. */
  final boolean isSame(NamedSecret other) {
    return name.equals(other.name) && row == other.row;
  }

  /** What it is for, in messages. */
  String purpose() {
    return algorithm;
  }

  final String problem(int error) {
    return "the key " + name + ": " + Errors.describe(error);
  }

  /** Opens it for a row, if that has not been done; its handle ends when the key gets another one. */
  final PkKey open(int wanted) throws InvalidKeyException {
    if (wanted != row) throw new InvalidKeyException("the key " + name + " is for " + purpose());
    PkKey found = opened;
    if (found != null) return found;
    long address = PkCalls.namedOpen(name.getBytes(StandardCharsets.US_ASCII), row, length);
    if (address < 0) throw new InvalidKeyException(problem((int) address));
    opened = found = new PkKey(address);
    return found;
  }

  /** Makes the next user open it again, if this is the handle. */
  final void forget(PkKey ended) {
    if (opened == ended) opened = null;
  }

  final byte[] mac(byte[] message) {
    if (message.length > MOST_BYTES)
      throw new ProviderException("the key " + name + ": a message has at most " + MOST_BYTES + " bytes");
    byte[] out = new byte[length];
    PkKey key = opened;
    int result = key == null ? Errors.EHANDLE : key.run(PkKey.MAC, PkOptions.NONE, out, message, 0, message.length);
    if (result == length) return out;
    if (result == Errors.EHANDLE) forget(key);
    throw new ProviderException(problem(result));
  }

  @Override
  public final String getAlgorithm() {
    return algorithm;
  }

  @Override
  public final String getFormat() {
    return null;
  }

  @Override
  public final byte[] getEncoded() {
    return null;
  }

  @Override
  public final String toString() {
    return algorithm + " key " + name + " of the accelerator";
  }

  private void writeObject(ObjectOutputStream out) throws NotSerializableException {
    throw new NotSerializableException(NamedKey.STAYS);
  }

  private void readObject(ObjectInputStream in) throws InvalidObjectException {
    throw new InvalidObjectException(NamedKey.STAYS);
  }
}
