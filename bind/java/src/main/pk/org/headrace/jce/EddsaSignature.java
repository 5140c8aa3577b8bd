// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.InvalidParameterException;
import java.security.Key;
import java.security.SignatureException;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.EdDSAParameterSpec;
import java.util.Arrays;

/** Ed25519 and, by {@link EdDSAParameterSpec}, Ed25519ctx and Ed25519ph. */
final class EddsaSignature extends PkSignature {
  private static final int PREHASH = 2; // HR_SIGN_PREHASH
  private static final int CONTEXT = 32; // HR_SIGN_CONTEXT: an empty context is one, too
  static final int SIZE = 64;

  /** The order of the group (RFC 8032 section 5.1). */
  private static final BigInteger ORDER =
      BigInteger.ONE.shiftLeft(252).add(new BigInteger("27742317777372353535851937790883648493"));

  private static final int TOP = 0x10; // its highest byte

  private final DigestNames.Name prehash = DigestNames.find("SHA-512");
  private PkOptions options = PkOptions.NONE;

  EddsaSignature() {
    super(PkUse.ED25519, new Message.Kept());
    JdkKeys.require("Ed25519");
  }

  @Override
  void checkKey(Key given, boolean isPrivate) throws InvalidKeyException {
    if (given == null) throw new InvalidKeyException("Unsupported key type");
  }

  @Override
  PkOptions options() {
    return options;
  }

  @Override
  byte[] end() throws SignatureException {
    byte[] bytes = super.end();
    if ((options.padding() & PREHASH) == 0) return bytes;
    Message digest = new Message.Digested(prehash.number(), prehash.length());
    digest.update(bytes, 0, bytes.length);
    return digest.end();
  }

  /** An empty buffer does not begin the message, as it does not in the JDK. */
  @Override
  protected void engineUpdate(ByteBuffer input) {
    if (input.hasRemaining()) super.engineUpdate(input);
  }

  @Override
  void requireLength(int len) throws SignatureException {
    if (len != SIZE) throw new SignatureException("signature length invalid");
  }

  @Override
  byte[] taken(byte[] signature) throws SignatureException {
    if ((signature[SIZE - 1] & 0xff) < TOP) return signature;
    BigInteger s = new BigInteger(1, Parts.reverse(Arrays.copyOfRange(signature, SIZE / 2, SIZE)));
    if (s.compareTo(ORDER) >= 0) throw new SignatureException("s is too large");
    return signature;
  }

  @Override
  protected boolean engineVerify(byte[] signature) throws SignatureException {
    if (signature == null) throw new SignatureException("signature was null");
    return super.engineVerify(signature);
  }

  @Override
  protected void engineSetParameter(AlgorithmParameterSpec params) throws InvalidAlgorithmParameterException {
    if (params == null) return;
    if (!(params instanceof EdDSAParameterSpec ed))
      throw new InvalidAlgorithmParameterException("Only EdDSAParameterSpec supported");
    if (isUpdated) throw new InvalidParameterException("Cannot change signature parameters during operation");
    byte[] context = ed.getContext().orElse(null);
    int flag = ed.isPrehash() ? PREHASH : context != null && context.length == 0 ? CONTEXT : 0;
    options = new PkOptions(flag, 0, 0, 0, context);
  }
}
