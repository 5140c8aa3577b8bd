// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.KeyFactorySpi;
import java.security.PrivateKey;
import java.security.ProviderException;
import java.security.PublicKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.KeySpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;

/**
 * The factory of keys of ML-DSA or ML-KEM. Where the JDK has keys of these, it is the JDK's. A form of
 * private keys that the JDK does not read, as the first versions of 25 read no seeds, is changed for it.
 */
final class MlFactory extends KeyFactorySpi {
  private final String algorithm;
  private final KeyFactory jdk; // null: the JDK has none

  MlFactory(String algorithm) {
    this.algorithm = algorithm;
    try {
      String family = MlSet.ofName(algorithm).family();
      jdk = JdkKeys.has(family) ? KeyFactory.getInstance(algorithm, JdkKeys.provider(family)) : null;
    } catch (GeneralSecurityException e) {
      throw new ProviderException(e);
    }
  }

  private static InvalidKeySpecException unsupported(KeySpec spec) {
    return new InvalidKeySpecException("Unsupported keyspec: " + (spec == null ? null : spec.getClass()));
  }

  @Override
  protected PublicKey engineGeneratePublic(KeySpec spec) throws InvalidKeySpecException {
    if (jdk != null) return jdk.generatePublic(spec);
    if (!(spec instanceof X509EncodedKeySpec given)) throw unsupported(spec);
    try {
      return MlKeys.readPublic(given.getEncoded(), algorithm);
    } catch (InvalidKeyException e) {
      throw new InvalidKeySpecException(e);
    }
  }

  @Override
  protected PrivateKey engineGeneratePrivate(KeySpec spec) throws InvalidKeySpecException {
    if (!(spec instanceof PKCS8EncodedKeySpec given)) {
      if (jdk != null) return jdk.generatePrivate(spec);
      throw unsupported(spec);
    }
    byte[] encoded = given.getEncoded();
    try {
      if (jdk == null) return MlKeys.readPrivate(encoded, algorithm);
      return MlKeys.isExpanded(encoded) ? jdk.generatePrivate(given) : readOtherForm(encoded);
    } catch (InvalidKeyException e) {
      throw new InvalidKeySpecException(e);
    } finally {
      Arrays.fill(encoded, (byte) 0);
    }
  }

  /** The JDK's key for an encoding with a seed, or without the choice's tag: in that form if it reads it. */
  private PrivateKey readOtherForm(byte[] encoded) throws InvalidKeyException, InvalidKeySpecException {
    byte[] expanded = MlKeys.readPrivate(encoded, algorithm).encoded; // which checks it
    byte[] tagged = MlKeys.withTag(encoded);
    try {
      return jdk.generatePrivate(new PKCS8EncodedKeySpec(tagged));
    } catch (InvalidKeySpecException e) {
      return jdk.generatePrivate(new PKCS8EncodedKeySpec(expanded));
    } finally {
      Arrays.fill(expanded, (byte) 0);
      Arrays.fill(tagged, (byte) 0);
    }
  }

  @Override
  protected <T extends KeySpec> T engineGetKeySpec(Key key, Class<T> type) throws InvalidKeySpecException {
    try {
      Key own = engineTranslateKey(key);
      if (jdk != null) return jdk.getKeySpec(own, type);
      boolean isPrivate = own instanceof PrivateKey;
      if (isPrivate && type.isAssignableFrom(PKCS8EncodedKeySpec.class))
        return type.cast(new PKCS8EncodedKeySpec(own.getEncoded()));
      if (!isPrivate && type.isAssignableFrom(X509EncodedKeySpec.class))
        return type.cast(new X509EncodedKeySpec(own.getEncoded()));
    } catch (InvalidKeyException e) {
      throw new InvalidKeySpecException(e);
    }
    throw new InvalidKeySpecException("Unsupported type: " + type);
  }

  @Override
  protected Key engineTranslateKey(Key key) throws InvalidKeyException {
    if (key == null) throw new InvalidKeyException("Key must not be null");
    byte[] encoded = KeyBytes.copy(key);
    if (encoded == null) throw new InvalidKeyException("a key without an encoding: " + key.getClass());
    try {
      if (key instanceof PublicKey) return translatePublic(key, encoded);
      if (!(key instanceof PrivateKey)) throw new InvalidKeyException("Unsupported key type");
      if (jdk != null) return translatePrivate(key, encoded);
      if (key instanceof MlPrivateKey && MlKeys.set(encoded, true).isOf(algorithm)) return key;
      return engineGeneratePrivate(new PKCS8EncodedKeySpec(encoded));
    } catch (InvalidKeySpecException e) {
      throw new InvalidKeyException(e.getMessage(), e);
    } finally {
      if (key instanceof PrivateKey) Arrays.fill(encoded, (byte) 0);
    }
  }

  /** The JDK's key in the JDK's form; but a key whose seed is lost, or whose form is another's, is read. */
  private Key translatePrivate(Key key, byte[] encoded) throws InvalidKeyException, InvalidKeySpecException {
    byte[] tagged = MlKeys.withTag(encoded);
    try {
      if (Arrays.equals(tagged, encoded)) return jdk.translateKey(key);
    } catch (InvalidKeyException e) {
      // read below
    } finally {
      Arrays.fill(tagged, (byte) 0);
    }
    return engineGeneratePrivate(new PKCS8EncodedKeySpec(encoded));
  }

  private Key translatePublic(Key key, byte[] encoded) throws InvalidKeyException {
    if (jdk != null) return jdk.translateKey(key);
    if (key instanceof MlPublicKey && MlKeys.set(encoded, false).isOf(algorithm)) return key;
    return MlKeys.readPublic(encoded, algorithm);
  }
}
