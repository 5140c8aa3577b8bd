// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidKeyException;
import java.security.Key;

/** What a key is used for, and how it is translated for that. */
enum PkUse {
  RSA(RsaKeys::translate),
  ECDSA(key -> EcKeys.translate(key, "ECDSA-")),
  ECDH(key -> EcKeys.translate(key, "ECDH-")),
  ED25519(EdwardsKeys::translateEd25519),
  X25519(EdwardsKeys::translateX25519),
  ML(MlKeys::translate), // of both families, but keys of the accelerator are of ML-DSA
  ML_KEM(MlKeys::translate),
  DSA(ModularKeys::translateDsa),
  DH(ModularKeys::translateDh);

  private interface Translator {
    PkKey translate(Key key) throws InvalidKeyException;
  }

  private final Translator translator;

  PkUse(Translator translator) {
    this.translator = translator;
  }

  PkKey translate(Key key) throws InvalidKeyException {
    if (key == null) throw new InvalidKeyException("Key must not be null");
    if (key instanceof NamedKey named) return named.open(this);
    return translator.translate(key);
  }
}
