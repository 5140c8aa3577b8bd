// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import javax.crypto.KeyAgreement;
import javax.crypto.KeyAgreementSpi;
import javax.crypto.SecretKey;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.SecretKeySpec;

/** Key agreement whose secret is computed when the last peer's key is given, and kept until it is taken. */
abstract class AgreedSecret extends KeyAgreementSpi {
  static final String TLS = "TlsPremasterSecret";

  /** The name that the JDK's providers take from some version on, and from some update of older ones. */
  private static final String GENERIC = "Generic";

  /** Whether this JDK's do. */
  private static final class Generic {
    private static final boolean IS_TAKEN = isTaken();

    /** The name is looked at first, and then whether there is a secret. */
    private static boolean isTaken() {
      try {
        KeyAgreement.getInstance("DiffieHellman", "SunJCE").generateSecret(GENERIC);
        return true;
      } catch (GeneralSecurityException e) {
        return false;
      } catch (RuntimeException e) {
        return true;
      }
    }
  }

  private byte[] secret;

  /** The text of the exception for a secret that is not there yet. */
  abstract String notReady();

  /** The text of the exception for a secret that has no room. */
  abstract String noRoom(int length, int room);

  final boolean hasSecret() {
    return secret != null;
  }

  final void keep(byte[] out) {
    forget();
    secret = out;
  }

  final void forget() {
    if (secret != null) Arrays.fill(secret, (byte) 0);
    secret = null;
  }

  private byte[] ready() {
    if (secret == null) throw new IllegalStateException(notReady());
    return secret;
  }

  @Override
  protected final byte[] engineGenerateSecret() throws IllegalStateException {
    byte[] out = ready();
    secret = null;
    return out;
  }

  @Override
  protected final int engineGenerateSecret(byte[] out, int offset) throws IllegalStateException, ShortBufferException {
    int length = ready().length, room = out.length - offset;
    if (length > room) throw new ShortBufferException(noRoom(length, room));
    System.arraycopy(secret, 0, out, offset, length);
    forget();
    return length;
  }

  /** Whether keys of this name are made. */
  static boolean isKeyName(String algorithm) {
    return algorithm.equals(TLS) || (algorithm.equals(GENERIC) && Generic.IS_TAKEN);
  }

  /** The key of the secret, with the zeros before it or without. */
  final SecretKey takeKey(String algorithm, boolean skipsZeros) {
    byte[] bytes = engineGenerateSecret();
    int zeros = 0;
    while (skipsZeros && zeros < bytes.length - 1 && bytes[zeros] == 0) zeros++;
    try {
      return new SecretKeySpec(bytes, zeros, bytes.length - zeros, algorithm);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  @Override
  protected abstract SecretKey engineGenerateSecret(String algorithm) throws NoSuchAlgorithmException;
}
