// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.math.BigInteger;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.interfaces.DSAParams;
import java.security.interfaces.DSAPrivateKey;
import java.security.interfaces.DSAPublicKey;
import javax.crypto.interfaces.DHPrivateKey;
import javax.crypto.spec.DHParameterSpec;

/** Translates keys of DSA and Diffie-Hellman. */
final class ModularKeys {
  static final int DSA = Rows.number("DSA-2048"); // their functions take keys of any size
  static final int DH = Rows.number("DH-2048");

  private ModularKeys() {}

  static byte[] bytes(BigInteger number) throws InvalidKeyException {
    if (number == null || number.signum() < 0) throw new InvalidKeyException("a key without its numbers");
    return Parts.bytes(number, 0);
  }

  static PkKey translateDsa(Key key) throws InvalidKeyException {
    boolean isPrivate = key instanceof DSAPrivateKey;
    DSAParams params =
        key instanceof DSAPrivateKey own ? own.getParams() : ((DSAPublicKey) key).getParams();
    BigInteger number = key instanceof DSAPrivateKey own ? own.getX() : ((DSAPublicKey) key).getY();
    return PkKey.make(
        DSA, isPrivate, bytes(params.getP()), bytes(params.getQ()), bytes(params.getG()), bytes(number));
  }

  static PkKey translateDh(Key key) throws InvalidKeyException {
    if (!(key instanceof DHPrivateKey own))
      throw new InvalidKeyException("Diffie-Hellman private key expected");
    DHParameterSpec params = own.getParams();
    if (params == null) throw new InvalidKeyException("a key without its numbers");
    return PkKey.make(DH, true, bytes(params.getP()), bytes(params.getG()), bytes(own.getX()));
  }
}
