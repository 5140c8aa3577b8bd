// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.io.ObjectStreamException;
import java.io.Serial;
import java.security.KeyRep;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Locale;
import javax.crypto.SecretKey;
import javax.crypto.interfaces.PBEKey;
import javax.crypto.spec.SecretKeySpec;

/** A key that PBKDF2 has derived from a password, with what it was derived from. */
final class PasswordKey implements PBEKey {
  @Serial private static final long serialVersionUID = 1L;

  private final String algorithm;
  private final transient char[] password;
  private final byte[] salt;
  private final int iterations;
  private final byte[] bytes;
  private transient boolean isDestroyed;

  /** The arrays become the key's. */
  PasswordKey(String algorithm, char[] password, byte[] salt, int iterations, byte[] bytes) {
    this.algorithm = algorithm;
    this.password = password;
    this.salt = salt;
    this.iterations = iterations;
    this.bytes = bytes;
  }

  private void requireBytes() {
    if (isDestroyed) throw new IllegalStateException("key was destroyed");
  }

  @Override
  public String getAlgorithm() {
    return algorithm;
  }

  @Override
  public String getFormat() {
    return "RAW";
  }

  @Override
  public synchronized byte[] getEncoded() {
    requireBytes();
    return bytes.clone();
  }

  @Override
  public synchronized char[] getPassword() {
    requireBytes();
    return password.clone();
  }

  @Override
  public byte[] getSalt() {
    return salt.clone();
  }

  @Override
  public int getIterationCount() {
    return iterations;
  }

  @Override
  public synchronized void destroy() {
    isDestroyed = true;
    Arrays.fill(bytes, (byte) 0);
    Arrays.fill(password, '\0');
  }

  @Override
  public synchronized boolean isDestroyed() {
    return isDestroyed;
  }

  private static final byte[] PROBE = {1, 2};
  private static final boolean IS_OF_ARRAY =
      new SecretKeySpec(PROBE, "x").hashCode() == (Arrays.hashCode(PROBE) ^ "x".hashCode());

  /** That of the JDK's keys, which are equal to it: older versions add up the bytes, each times its place. */
  @Override
  public int hashCode() {
    int sum = 0;
    for (int i = 1; i < bytes.length; i++) sum += bytes[i] * i;
    return (IS_OF_ARRAY ? Arrays.hashCode(bytes) : sum) ^ algorithm.toLowerCase(Locale.ENGLISH).hashCode();
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof SecretKey key) || !algorithm.equalsIgnoreCase(key.getAlgorithm())) return false;
    byte[] others = "RAW".equals(key.getFormat()) ? KeyBytes.copy(key) : null;
    if (others == null) return false;
    boolean isSame = MessageDigest.isEqual(bytes, others);
    Arrays.fill(others, (byte) 0);
    return isSame;
  }

  /** Another JVM needs no Headrace to read the key. */
  @Serial
  private Object writeReplace() throws ObjectStreamException {
    return new KeyRep(KeyRep.Type.SECRET, algorithm, "RAW", getEncoded());
  }
}
