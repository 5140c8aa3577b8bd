// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.SignatureSpi;

/** A provider as one of PKCS#11, whose keys are handles that only it understands. */
final class TokenProvider extends Provider {
  TokenProvider() {
    super("Token", "1", "handles");
    put("Signature.SHA256withRSA", Spi.class.getName());
  }

  /** A key without an encoding. */
  static final class Handle implements PrivateKey {
    @Override
    public String getAlgorithm() {
      return "RSA";
    }

    @Override
    public String getFormat() {
      return null;
    }

    @Override
    public byte[] getEncoded() {
      return null;
    }
  }

  /** Signs nothing. */
  public static final class Spi extends SignatureSpi {
    /** For the provider. */
    public Spi() {}

    @Override
    protected void engineInitVerify(PublicKey key) throws InvalidKeyException {
      throw new InvalidKeyException("no handle");
    }

    @Override
    protected void engineInitSign(PrivateKey key) throws InvalidKeyException {
      if (!(key instanceof Handle)) throw new InvalidKeyException("no handle");
    }

    @Override
    protected void engineUpdate(byte b) {}

    @Override
    protected void engineUpdate(byte[] b, int off, int len) {}

    @Override
    protected byte[] engineSign() {
      return new byte[0];
    }

    @Override
    protected boolean engineVerify(byte[] signature) {
      return false;
    }

    @Override
    @Deprecated
    protected void engineSetParameter(String name, Object value) {}

    @Override
    @Deprecated
    protected Object engineGetParameter(String name) {
      return null;
    }
  }
}
