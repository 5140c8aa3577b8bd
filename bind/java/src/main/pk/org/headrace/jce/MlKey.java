// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.security.Key;
import java.security.KeyRep;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.util.Arrays;

/**
 * A key of ML-DSA or ML-KEM for a Java that has no classes of these, or for a private key with a seed.
 * Its serialised form is that of the JDK's keys, so a newer Java reads it, with its own classes.
 */
abstract class MlKey implements Key {
  private static final long serialVersionUID = 1L;

  private final transient MlSet set;
  final transient byte[] encoded;

  MlKey(MlSet set, byte[] encoded) {
    this.set = set;
    this.encoded = encoded;
  }

  abstract KeyRep.Type type();

  @Override
  public String getAlgorithm() {
    return set.family();
  }

  @Override
  public byte[] getEncoded() {
    return encoded.clone();
  }

  @Override
  public boolean equals(Object other) {
    if (other instanceof MlKey key)
      return key.type() == type() && MessageDigest.isEqual(key.encoded, encoded);
    return other instanceof Key key // the JDK's
        && key instanceof PrivateKey == (type() == KeyRep.Type.PRIVATE)
        && getFormat().equals(key.getFormat())
        && MessageDigest.isEqual(key.getEncoded(), encoded);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(encoded);
  }

  @Override
  public String toString() {
    return set.name() + (type() == KeyRep.Type.PUBLIC ? " public key" : " private key");
  }

  /** The object that is written to a stream in its place. */
  final Object writeReplace() {
    return new KeyRep(type(), getAlgorithm(), getFormat(), getEncoded());
  }

  private void readObject(ObjectInputStream in) throws InvalidObjectException {
    throw new InvalidObjectException("keys are read as KeyRep");
  }
}
