// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.math.BigInteger;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;

/** Translates keys of elliptic curves. */
final class EcKeys {
  private EcKeys() {}

  /** The native key of the row that the prefix and the key's curve name. */
  static PkKey translate(Key key, String prefix) throws InvalidKeyException {
    if (key instanceof ECPublicKey k) {
      Curve curve = Curve.of(k.getParams());
      return PkKey.make(Rows.number(prefix + curve.name), false, curve.encode(k.getW()));
    }
    if (key instanceof ECPrivateKey k) {
      Curve curve = Curve.of(k.getParams());
      BigInteger s = k.getS();
      if (s == null || s.signum() <= 0 || s.compareTo(curve.params.getOrder()) >= 0)
        throw new InvalidKeyException("The private key must be within the range [1, n - 1]");
      return PkKey.make(Rows.number(prefix + curve.name), true, Parts.bytes(s, curve.size));
    }
    Key read = JdkKeys.read("EC", key);
    if (read instanceof ECPublicKey || read instanceof ECPrivateKey) return translate(read, prefix);
    throw new InvalidKeyException("not a key of elliptic curves");
  }
}
