// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import javax.crypto.Mac;
import javax.crypto.SecretKey;

/**
 * Many independent messages in one call, which the library computes side by side in vector registers:
 * that takes a part of the time of one message after another. The results are those of
 * {@link MessageDigest}, {@link Mac} and {@link Signature}.
 *
 * <p>An algorithm that the library has no such form of, and every algorithm where the library cannot be
 * loaded ({@link HeadraceProvider#failure}), is computed one message after another by the installed
 * providers. The provider need not be installed for the others, nor does its win map matter. The methods
 * can be called by any number of threads.
 *
 * <p>Messages in arrays are copied into memory outside Java's heap, 272 KiB at a time, which is wiped
 * after the call; one longer than 16 KiB is computed alone. Those in direct buffers are used where they
 * lie. No call makes the garbage collector wait.
 */
public final class HeadraceBatch {
  private HeadraceBatch() {}

  private static boolean isThere() {
    return HeadraceProvider.failure() == null;
  }

  /**
   * The digests of messages, in their order.
   *
   * @throws NoSuchAlgorithmException no provider has the algorithm
   */
  public static byte[][] digest(String algorithm, byte[][] messages) throws NoSuchAlgorithmException {
    Offers.DigestRow row = isThere() ? Offers.digest(algorithm) : null;
    if (row != null) return digest(row, messages.length, i -> whole(messages[i]));
    MessageDigest digest = MessageDigest.getInstance(algorithm);
    byte[][] out = new byte[messages.length][];
    for (int i = 0; i < out.length; i++) out[i] = digest.digest(messages[i]);
    return out;
  }

  /**
   * The digests of what remains of buffers, in their order. It is taken from them, as
   * {@link MessageDigest#update(ByteBuffer)} does.
   *
   * @throws NoSuchAlgorithmException no provider has the algorithm
   */
  public static byte[][] digest(String algorithm, List<ByteBuffer> messages) throws NoSuchAlgorithmException {
    ByteBuffer[] buffers = messages.toArray(new ByteBuffer[0]);
    Offers.DigestRow row = isThere() ? Offers.digest(algorithm) : null;
    if (row == null) return digestAlone(algorithm, buffers);
    byte[][] out = digest(row, buffers.length, i -> Piece.toRead(buffers[i]));
    Reference.reachabilityFence(buffers);
    for (ByteBuffer buffer : buffers) buffer.position(buffer.limit());
    return out;
  }

  private static byte[][] digestAlone(String algorithm, ByteBuffer[] buffers) throws NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance(algorithm);
    byte[][] out = new byte[buffers.length][];
    for (int i = 0; i < out.length; i++) {
      digest.update(buffers[i]);
      out[i] = digest.digest();
    }
    return out;
  }

  private static Piece whole(byte[] message) {
    return Piece.of(message, 0, message.length);
  }

  private static byte[][] digest(Offers.DigestRow row, int num, IntFunction<Piece> messages) {
    int algorithm = Rows.number(row.row());
    Digest alone = new Digest(algorithm, row.length());
    return Lanes.run(
        num,
        messages,
        row.length(),
        (in, lengths, n, out) -> ManyCalls.digest(algorithm, in, lengths, n, out),
        message -> {
          alone.engineUpdate(message.array(), (int) message.at(), message.length());
          return alone.engineDigest();
        });
  }

  /**
   * The MACs of messages under one key, in their order. HMACs are computed side by side.
   *
   * @throws NoSuchAlgorithmException no provider has the algorithm
   * @throws InvalidKeyException the key is not one for it
   */
  public static byte[][] mac(String algorithm, SecretKey key, byte[][] messages)
      throws NoSuchAlgorithmException, InvalidKeyException {
    Offers.DigestRow row = isThere() ? Offers.hmac(algorithm) : null;
    byte[] bytes = row == null || key == null ? null : KeyBytes.copy(key);
    if (bytes == null) return macAlone(algorithm, key, messages);
    NativeObject object = new NativeObject(Rows.number(row.row()));
    object.setKey(bytes);
    Arrays.fill(bytes, (byte) 0);
    try {
      return Lanes.run(
          messages.length,
          i -> whole(messages[i]),
          row.length(),
          object::macMany,
          message -> macOfLong(object, row.length(), message));
    } finally {
      object.destroy();
    }
  }

  private static byte[][] macAlone(String algorithm, SecretKey key, byte[][] messages)
      throws NoSuchAlgorithmException, InvalidKeyException {
    Mac mac = Mac.getInstance(algorithm);
    mac.init(key);
    byte[][] out = new byte[messages.length][];
    for (int i = 0; i < out.length; i++) out[i] = mac.doFinal(messages[i]);
    return out;
  }

  private static byte[] macOfLong(NativeObject object, int length, Piece message) {
    byte[] out = new byte[length];
    Errors.check(object.start(0, null, 0, 0));
    for (int done = 0, len; done < message.length(); done += len) {
      len = Math.min(message.length() - done, Pieces.MAX);
      Errors.check(object.update(null, 0, 0, message.array(), message.at() + done, len));
    }
    Errors.check(object.finish(out, 0, length));
    return out;
  }

  /**
   * Whether each signature is right, all under one key.
   *
   * @see #verify(String, AlgorithmParameterSpec, PublicKey[], byte[][], byte[][])
   */
  public static boolean[] verify(String algorithm, PublicKey key, byte[][] messages, byte[][] signatures)
      throws NoSuchAlgorithmException, InvalidKeyException {
    PublicKey[] keys = new PublicKey[messages.length];
    Arrays.fill(keys, key);
    try {
      return verify(algorithm, null, keys, messages, signatures);
    } catch (InvalidAlgorithmParameterException e) {
      throw new InvalidKeyException(e);
    }
  }

  /**
   * Whether the signature of each message by its key is right. Where
   * {@link Signature#verify} throws a SignatureException, the result is false.
   *
   * @param params what {@link Signature#setParameter} gets, or null
   * @throws NoSuchAlgorithmException no provider has the algorithm
   * @throws InvalidKeyException a key is not one for it; nothing is said of the others
   * @throws InvalidAlgorithmParameterException the parameters are not those of the algorithm
   */
  public static boolean[] verify(
      String algorithm, AlgorithmParameterSpec params, PublicKey[] keys, byte[][] messages, byte[][] signatures)
      throws NoSuchAlgorithmException, InvalidKeyException, InvalidAlgorithmParameterException {
    if (keys.length != messages.length || signatures.length != messages.length)
      throw new IllegalArgumentException("keys, messages and signatures are not equally many");
    boolean[] out = new boolean[messages.length];
    if (!isThere() || PkOffers.signature(algorithm) == null) {
      for (int i = 0; i < out.length; i++)
        out[i] = isRight(algorithm, params, keys[i], messages[i], signatures[i]);
      return out;
    }
    try (Checks checks = new Checks(out)) {
      for (int i = 0; i < out.length; i++)
        if (!add(checks, i, algorithm, params, keys[i], messages[i], Objects.requireNonNull(signatures[i])))
          out[i] = isRight(algorithm, params, keys[i], messages[i], signatures[i]);
      checks.finish();
    }
    return out;
  }

  /** Whether the library can use the key and the parameters; if so, the signature is to be checked. */
  private static boolean add(
      Checks checks, int place, String algorithm, AlgorithmParameterSpec params, PublicKey key,
      byte[] message, byte[] signature) {
    try {
      PkSignature own = PkOffers.signature(algorithm);
      if (params != null) own.engineSetParameter(params);
      own.engineInitVerify(key);
      own.engineUpdate(message, 0, message.length);
      PkSignature.Check check = own.check(signature);
      if (check != null) checks.add(place, check);
      return true;
    } catch (InvalidKeyException | InvalidAlgorithmParameterException e) {
      return false;
    } catch (SignatureException e) {
      return true; // for lack of parameters: the signature is not right
    }
  }

  /** Whether a signature is right, by the installed providers. */
  private static boolean isRight(
      String algorithm, AlgorithmParameterSpec params, PublicKey key, byte[] message, byte[] signature)
      throws NoSuchAlgorithmException, InvalidKeyException, InvalidAlgorithmParameterException {
    Signature other = Signature.getInstance(algorithm);
    if (params != null) other.setParameter(params);
    other.initVerify(key);
    try {
      other.update(message);
      return other.verify(signature);
    } catch (SignatureException e) {
      return false;
    }
  }
}
