// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidAlgorithmParameterException;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;

/** What differs between AEADs: their parameters, as the JDK's ciphers take them. */
enum AeadMode {
  GCM("GCM", "GCM", 12, 16, GCMParameterSpec.class) {
    @Override
    Nonce parse(AlgorithmParameterSpec spec) throws InvalidAlgorithmParameterException {
      if (!(spec instanceof GCMParameterSpec gcm))
        throw new InvalidAlgorithmParameterException("AlgorithmParameterSpec not of GCMParameterSpec");
      int bits = gcm.getTLen();
      if (bits < 96 || bits > 128 || bits % 8 != 0)
        throw new InvalidAlgorithmParameterException(
            "Unsupported TLen value.  Must be one of {128, 120, 112, 104, 96}");
      byte[] iv = gcm.getIV();
      if (iv.length == 0) throw new InvalidAlgorithmParameterException("IV is empty");
      return new Nonce(iv, bits / 8);
    }

    @Override
    AlgorithmParameterSpec spec(Nonce nonce) {
      return new GCMParameterSpec(nonce.tagLength() * 8, nonce.iv());
    }
  },
  /** SP 800-38C: the length of a text is in its first block, so that a text is kept until it has ended. */
  CCM("CCM", "GCM", 12, 16, GCMParameterSpec.class) {
    @Override
    Nonce parse(AlgorithmParameterSpec spec) throws InvalidAlgorithmParameterException {
      if (!(spec instanceof GCMParameterSpec ccm))
        throw new InvalidAlgorithmParameterException("AlgorithmParameterSpec not of GCMParameterSpec");
      int bits = ccm.getTLen();
      if (bits < 32 || bits > 128 || bits % 16 != 0)
        throw new InvalidAlgorithmParameterException(
            "Unsupported TLen value.  Must be one of {128, 112, 96, 80, 64, 48, 32}");
      byte[] iv = ccm.getIV();
      if (iv.length < 7 || iv.length > 13)
        throw new InvalidAlgorithmParameterException("nonce must have length from 7 to 13 octets");
      return new Nonce(iv, bits / 8);
    }

    @Override
    AlgorithmParameterSpec spec(Nonce nonce) {
      return GCM.spec(nonce);
    }

    @Override
    boolean isWhole() {
      return true;
    }

    @Override
    long most(Nonce nonce) {
      return (1L << Math.min(8 * (15 - nonce.iv().length), 62)) - 1;
    }
  },
  CHACHA20_POLY1305("ChaCha20-Poly1305", "ChaCha20-Poly1305", 12, 16, IvParameterSpec.class) {
    @Override
    Nonce parse(AlgorithmParameterSpec spec) throws InvalidAlgorithmParameterException {
      if (!(spec instanceof IvParameterSpec parameter))
        throw new InvalidAlgorithmParameterException("AlgorithmParameterSpec must be IvParameterSpec");
      byte[] iv = parameter.getIV();
      if (iv.length != 12)
        throw new InvalidAlgorithmParameterException(
            "ChaCha20 nonce must be 12 bytes in length");
      return new Nonce(iv, 16);
    }

    @Override
    AlgorithmParameterSpec spec(Nonce nonce) {
      return new IvParameterSpec(nonce.iv());
    }

    @Override
    boolean wraps() {
      return false;
    }

    @Override
    boolean keepsNonceOfDecryption() {
      return true;
    }
  };

  /** A nonce, and how long the tag is, in bytes. */
  record Nonce(byte[] iv, int tagLength) {}

  /** Its name in messages, and that of its AlgorithmParameters. */
  final String title;

  final String parameters;

  /** The lengths of a random nonce and its tag, in bytes. */
  final int ivLength;
  final int tagLength;

  final Class<? extends AlgorithmParameterSpec> specClass;

  AeadMode(
      String title, String parameters, int ivLength, int tagLength,
      Class<? extends AlgorithmParameterSpec> specClass) {
    this.title = title;
    this.parameters = parameters;
    this.ivLength = ivLength;
    this.tagLength = tagLength;
    this.specClass = specClass;
  }

  abstract Nonce parse(AlgorithmParameterSpec spec) throws InvalidAlgorithmParameterException;

  abstract AlgorithmParameterSpec spec(Nonce nonce);

  /** Whether keys are wrapped; the JDK's ChaCha20-Poly1305 refuses that. */
  boolean wraps() {
    return true;
  }

  /**
   * Which nonce the JDK's refuse to encrypt under again: that of the last init, for decryption or not; else
   * that of the last one for encryption.
   */
  boolean keepsNonceOfDecryption() {
    return false;
  }

  /** Whether nothing can be encrypted before the text has ended. */
  boolean isWhole() {
    return false;
  }

  /** The longest text, of those that Java has room for. */
  long most(Nonce nonce) {
    return Long.MAX_VALUE;
  }
}
