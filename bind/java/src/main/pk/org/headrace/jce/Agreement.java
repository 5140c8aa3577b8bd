// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.interfaces.ECKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.NamedParameterSpec;
import javax.crypto.SecretKey;

/** ECDH and X25519. */
final class Agreement extends AgreedSecret {
  private final PkUse use;
  private PkKey key;
  private Curve curve; // of ECDH

  Agreement(PkUse use) {
    JdkKeys.require("EC");
    this.use = use;
  }

  /**
   * As in the JDK a refused key of X25519, and refused parameters of ECDH, leave the key and the secret that
   * were there. A refused key of ECDH leaves none, as in JDK 25, but not in JDK 17.
   */
  @Override
  protected void engineInit(Key given, SecureRandom random) throws InvalidKeyException {
    if (use == PkUse.ECDH) begin(null);
    PkKey next = translate(given);
    if (given instanceof ECKey ec) curve = Curve.of(ec.getParams());
    begin(next);
  }

  @Override
  protected void engineInit(Key given, AlgorithmParameterSpec params, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    if (params == null) {
      engineInit(given, random);
      return;
    }
    if (use == PkUse.ECDH) throw new InvalidAlgorithmParameterException("Parameters not supported");
    begin(translate(given)); // as the JDK's, it keeps this key if the parameters are refused
    if (!(params instanceof NamedParameterSpec named) || !named.getName().equalsIgnoreCase("X25519"))
      throw new InvalidAlgorithmParameterException("Unsupported name");
  }

  private PkKey translate(Key given) throws InvalidKeyException {
    if (!(given instanceof PrivateKey)) throw new InvalidKeyException("Unsupported key type");
    if (use == PkUse.ECDH && !(given instanceof ECKey)) throw new InvalidKeyException("Not an EC key");
    return KeyCache.get(given, use);
  }

  private void begin(PkKey next) {
    forget();
    key = next;
  }

  @Override
  protected Key engineDoPhase(Key peer, boolean lastPhase) throws InvalidKeyException, IllegalStateException {
    if (key == null) throw new IllegalStateException("Not initialized");
    if (hasSecret()) throw new IllegalStateException("Phase already executed");
    if (!lastPhase)
      throw new IllegalStateException("Only two party agreement supported, lastPhase must be true");
    if (!(peer instanceof PublicKey)) throw new InvalidKeyException("Unsupported key type");
    byte[] encoded = use == PkUse.ECDH ? ecPoint(peer) : EdwardsKeys.publicX25519(peer);
    byte[] out = new byte[key.outLength()];
    int result = key.run(PkKey.DERIVE, PkOptions.NONE, out, encoded, 0, encoded.length);
    if (result == Errors.EKEY) throw new InvalidKeyException("Point has small order, or is not on the curve");
    Errors.check(result);
    keep(out);
    return null;
  }

  private byte[] ecPoint(Key peer) throws InvalidKeyException {
    Key read = peer instanceof ECPublicKey ? peer : JdkKeys.read("EC", peer);
    if (!(read instanceof ECPublicKey ec)) throw new InvalidKeyException("Not an EC key");
    if (!curve.is(ec.getParams())) throw new InvalidKeyException("the keys are of different curves");
    return curve.encode(ec.getW());
  }

  @Override
  String notReady() {
    return "Not initialized correctly";
  }

  @Override
  String noRoom(int length, int room) {
    return "Need " + length + " bytes, only " + room + " available";
  }

  @Override
  protected SecretKey engineGenerateSecret(String algorithm) throws NoSuchAlgorithmException {
    if (algorithm == null) throw new NoSuchAlgorithmException("Algorithm must not be null");
    if (!isKeyName(algorithm)) throw new NoSuchAlgorithmException("Only supported for algorithm " + TLS);
    return takeKey(algorithm, false);
  }
}
