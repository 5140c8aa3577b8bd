// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.io.InvalidObjectException;
import java.io.NotSerializableException;
import java.io.ObjectInputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.interfaces.ECKey;
import java.security.interfaces.EdECKey;
import java.security.interfaces.RSAKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;

/**
 * A private key that stays in the accelerator's service: it has a name, and the public key. Each kind
 * has the interface by which JSSE and others choose an algorithm.
 */
abstract class NamedKey implements PrivateKey {
  private static final long serialVersionUID = 1L;

  /** The longest message of a signature that is not one of a digest: PK_MESSAGE of accel/public_key.h. */
  static final int MOST_MESSAGE = 4096;

  /** Why it is not written. */
  static final String STAYS = "a key that stays in the accelerator's service";

  private final String name;
  private final String algorithm;
  private final transient byte[] spki;
  private final transient int row;
  private final transient PkUse use;

  private NamedKey(String name, String algorithm, int row, byte[] spki, PkUse use) {
    this.name = name;
    this.algorithm = algorithm;
    this.row = row;
    this.spki = spki;
    this.use = use;
  }

  /** A key of RSA. */
  static final class Rsa extends NamedKey implements RSAKey {
    private static final long serialVersionUID = 1L;
    private final transient BigInteger modulus;

    Rsa(String name, int row, byte[] spki, BigInteger modulus) {
      super(name, "RSA", row, spki, PkUse.RSA);
      this.modulus = modulus;
    }

    @Override
    public BigInteger getModulus() {
      return modulus;
    }

    /** None. From Java 22 on it is inherited from two interfaces, which must not be left to choose. */
    @Override
    public AlgorithmParameterSpec getParams() {
      return null;
    }

    @Override
    int outLength() {
      return (modulus.bitLength() + 7) / 8;
    }
  }

  /** A key of ECDSA. */
  static final class Ec extends NamedKey implements ECKey {
    private static final long serialVersionUID = 1L;
    private final transient Curve curve;

    Ec(String name, int row, byte[] spki, Curve curve) {
      super(name, "EC", row, spki, PkUse.ECDSA);
      this.curve = curve;
    }

    @Override
    public ECParameterSpec getParams() {
      return curve.params;
    }

    @Override
    int outLength() {
      return 2 * curve.size;
    }
  }

  /** A key of Ed25519. */
  static final class Edwards extends NamedKey implements EdECKey {
    private static final long serialVersionUID = 1L;

    Edwards(String name, int row, byte[] spki) {
      super(name, "EdDSA", row, spki, PkUse.ED25519);
    }

    @Override
    public NamedParameterSpec getParams() {
      return NamedParameterSpec.ED25519;
    }

    @Override
    int outLength() {
      return EddsaSignature.SIZE;
    }
  }

  /** A key of ML-DSA. */
  static final class Ml extends NamedKey {
    private static final long serialVersionUID = 1L;
    private final String set;

    /** A key of a parameter set. */
    Ml(String name, int row, byte[] spki, String set) {
      super(name, "ML-DSA", row, spki, PkUse.ML);
      this.set = set;
    }

    String set() {
      return set;
    }

    @Override
    int outLength() {
      return MlSignature.length(set);
    }
  }

  /** The length of a signature, or of a decrypted message with its padding. */
  abstract int outLength();

  /** Opens it for a use; the key is closed when the result is no longer used. */
  final PkKey open(PkUse wanted) throws InvalidKeyException {
    if (wanted != use) throw new InvalidKeyException("the key " + name + " is not for " + wanted);
    byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
    long address = PkCalls.namedOpen(bytes, row, outLength());
    if (address < 0) throw refused(address);
    PkKey opened = new PkKey(address);
    // The name may have got another key since the store was loaded; what is open now is compared.
    if (Arrays.equals(spki, NamedKeys.publicKey(bytes))) return opened;
    opened.destroy();
    throw refused(Errors.EHANDLE);
  }

  private InvalidKeyException refused(long error) {
    return new InvalidKeyException("the key " + name + ": " + Errors.describe((int) error));
  }

  /** The SubjectPublicKeyInfo. */
  final byte[] spki() {
    return spki;
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

  private void writeObject(java.io.ObjectOutputStream out) throws NotSerializableException {
    throw new NotSerializableException(STAYS);
  }

  private void readObject(ObjectInputStream in) throws InvalidObjectException {
    throw new InvalidObjectException(STAYS);
  }
}
