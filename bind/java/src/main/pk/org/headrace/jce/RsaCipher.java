// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.interfaces.RSAKey;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.CipherSpi;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.NoSuchPaddingException;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.OAEPParameterSpec;

/**
 * RSA as a cipher of one message: by the padding of its transformation, and what SunJCE does too, with
 * the private key to encrypt, which signs, and with the public one to decrypt.
 *
 * <p>Bad padding is told, as SunJCE tells it, and the native call takes the same time for either; but
 * who sees that a decryption by PKCS#1 failed can decrypt (Bleichenbacher's attack).
 */
final class RsaCipher extends CipherSpi {
  private static final byte[] NOTHING = {};
  private static final String TLS = "TlsRsaPremasterSecret";

  private final RsaPadding given;
  private RsaPadding padding;
  private PkKey key;
  private NamedKey named; // if it is one
  private int op;
  private int size; // of the modulus, in bytes
  private byte[] message = NOTHING; // with room for the longest
  private int length; // of the message; more than the room: it is too long

  RsaCipher(RsaPadding padding) {
    given = padding;
    this.padding = padding;
  }

  /** A service is one of a whole transformation, whose mode is ECB. */
  @Override
  protected void engineSetMode(String mode) throws NoSuchAlgorithmException {
    if (!mode.equalsIgnoreCase("ECB")) throw new NoSuchAlgorithmException("Unsupported mode " + mode);
  }

  @Override
  protected void engineSetPadding(String name) throws NoSuchPaddingException {
    throw new NoSuchPaddingException("Padding " + name + " not supported");
  }

  // ---- set-up ----

  @Override
  protected void engineInit(int opmode, Key key, SecureRandom random) throws InvalidKeyException {
    try {
      init(opmode, key, (AlgorithmParameterSpec) null);
    } catch (InvalidAlgorithmParameterException e) {
      throw new InvalidKeyException("Wrong parameters", e);
    }
  }

  @Override
  protected void engineInit(int opmode, Key key, AlgorithmParameterSpec params, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    init(opmode, key, params);
  }

  @Override
  protected void engineInit(int opmode, Key key, AlgorithmParameters params, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    AlgorithmParameterSpec spec = null;
    try {
      if (params != null) spec = params.getParameterSpec(OAEPParameterSpec.class);
    } catch (GeneralSecurityException e) {
      throw new InvalidAlgorithmParameterException("Wrong parameter", e);
    }
    engineInit(opmode, key, spec, random);
  }

  private void init(int opmode, Key from, AlgorithmParameterSpec params)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    boolean encrypts = opmode == Cipher.ENCRYPT_MODE || opmode == Cipher.WRAP_MODE;
    boolean isPrivate = from instanceof PrivateKey;
    forget();
    key = KeyCache.get(from, PkUse.RSA);
    named = from instanceof NamedKey n ? n : null;
    if (given.isOaep() && encrypts == isPrivate)
      throw new InvalidKeyException("OAEP cannot be used to sign or verify signatures");
    RsaPadding with = given.with(params);
    op = encrypts ? isPrivate ? PkKey.SIGN : PkKey.ENCRYPT : isPrivate ? PkKey.DECRYPT : PkKey.RECOVER;
    padding = with;
    size = key.outLength();
    int longest = with.longest(size);
    message = new byte[encrypts ? longest : size];
  }

  private void forget() {
    Arrays.fill(message, (byte) 0);
    length = 0;
  }

  @Override
  protected int engineGetBlockSize() {
    return 0;
  }

  @Override
  protected int engineGetOutputSize(int inputLen) {
    return size;
  }

  @Override
  protected byte[] engineGetIV() {
    return null;
  }

  @Override
  protected AlgorithmParameters engineGetParameters() {
    if (!padding.isOaep()) return null;
    try {
      AlgorithmParameters made = AlgorithmParameters.getInstance("OAEP", "SunJCE");
      made.init(padding.params());
      return made;
    } catch (GeneralSecurityException e) {
      throw new ProviderException(e);
    }
  }

  @Override
  protected int engineGetKeySize(Key of) throws InvalidKeyException {
    return of instanceof RSAKey rsa ? rsa.getModulus().bitLength() : 8 * KeyCache.get(of, PkUse.RSA).outLength();
  }

  // ---- the message ----

  private void add(byte[] in, int at, int len) {
    if (len <= 0 || in == null) return;
    if (len > message.length - length) {
      length = message.length + 1;
      return;
    }
    System.arraycopy(in, at, message, length, len);
    length += len;
  }

  @Override
  protected byte[] engineUpdate(byte[] in, int at, int len) {
    add(in, at, len);
    return NOTHING;
  }

  @Override
  protected int engineUpdate(byte[] in, int at, int len, byte[] out, int outAt) {
    add(in, at, len);
    return 0;
  }

  @Override
  protected byte[] engineDoFinal(byte[] in, int at, int len)
      throws IllegalBlockSizeException, BadPaddingException {
    add(in, at, len);
    return finish();
  }

  @Override
  protected int engineDoFinal(byte[] in, int at, int len, byte[] out, int outAt)
      throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
    if (size > out.length - outAt) throw new ShortBufferException("Need " + size + " bytes for output");
    add(in, at, len);
    byte[] made = finish();
    System.arraycopy(made, 0, out, outAt, made.length);
    if (op == PkKey.DECRYPT) Arrays.fill(made, (byte) 0);
    return made.length;
  }

  private byte[] finish() throws IllegalBlockSizeException, BadPaddingException {
    if (length > message.length)
      throw new IllegalBlockSizeException("Data must not be longer than " + message.length + " bytes");
    byte[] in = whole();
    byte[] out = new byte[size];
    try {
      int made = key.run(op, padding.options(), out, in, 0, in.length);
      PkKey renewed = made == Errors.EHANDLE && named != null ? KeyCache.renew(named, PkUse.RSA) : null;
      if (renewed != null) {
        key = renewed;
        made = key.run(op, padding.options(), out, in, 0, in.length);
      }
      if (made < 0) throw error(made);
      return made == size ? out : Arrays.copyOf(out, made);
    } finally {
      forget();
      Arrays.fill(in, (byte) 0);
      if (op == PkKey.DECRYPT && padding.added() > 0) Arrays.fill(out, (byte) 0);
    }
  }

  /** The message; where it stands for a number, that is as long as the modulus. */
  private byte[] whole() {
    boolean isNumber = op == PkKey.DECRYPT || op == PkKey.RECOVER || padding.added() == 0;
    byte[] in = new byte[isNumber ? size : length];
    System.arraycopy(message, 0, in, in.length - length, length);
    return in;
  }

  private static BadPaddingException error(int error) {
    return switch (error) {
      case Errors.ELENGTH -> new BadPaddingException("Message is larger than modulus");
      case Errors.EPADDING, Errors.EMAC -> new BadPaddingException("Padding error in decryption");
      default -> throw new ProviderException(Errors.describe(error));
    };
  }

  // ---- keys as messages ----

  @Override
  protected byte[] engineWrap(Key wrapped) throws InvalidKeyException, IllegalBlockSizeException {
    byte[] bytes = WrappedKeys.bytes(wrapped);
    try {
      if (bytes.length > message.length) throw new InvalidKeyException("Key is too long for wrapping");
      return engineDoFinal(bytes, 0, bytes.length);
    } catch (BadPaddingException e) {
      throw new InvalidKeyException("Wrapping failed", e);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  /** TLS's secret, which needs parameters that only the JDK's own classes can read, is left to it. */
  @Override
  protected Key engineUnwrap(byte[] wrapped, String algorithm, int type)
      throws InvalidKeyException, NoSuchAlgorithmException {
    if (wrapped.length > message.length) throw new InvalidKeyException("Key is too long for unwrapping");
    if (algorithm.equals(TLS)) throw new IllegalStateException("No TlsRsaPremasterSecretParameterSpec specified");
    byte[] bytes;
    try {
      bytes = engineDoFinal(wrapped, 0, wrapped.length);
    } catch (BadPaddingException | IllegalBlockSizeException e) {
      throw new InvalidKeyException("Unwrapping failed", e);
    }
    try {
      return WrappedKeys.make(bytes, algorithm, type);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }
}
