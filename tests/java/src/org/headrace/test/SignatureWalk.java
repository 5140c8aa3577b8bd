// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.nio.ByteBuffer;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.Arrays;

/**
 * Signatures: calls in any order, messages in pieces, and signatures of both sides, at times changed.
 * Those that contain random numbers are compared after the model verified them.
 */
final class SignatureWalk extends Walk<Signature> {
  /** A message and its signature. */
  private record Signed(KeyPair pair, AlgorithmParameterSpec params, byte[] message, byte[] signature) {}

  private final String name;
  private final Provider model;
  private final boolean isRandom;
  private final boolean isRaw;
  private KeyPair pair;
  private AlgorithmParameterSpec params;
  private Signed signed;
  private boolean isSigning;
  private byte[] begun = {}; // of the message that is signed
  private int given; // bytes of a message

  SignatureWalk(Dice dice, Provider.Service own, Provider model) throws Exception {
    super(dice, model);
    name = own.getAlgorithm();
    this.model = model;
    ours = Signature.getInstance(name, own.getProvider());
    theirs = Signature.getInstance(name, model);
    isRandom = !name.endsWith("withRSA") && !name.matches("Ed.*");
    isRaw = name.startsWith("NONE");
    if (name.equals("RSASSA-PSS")) set(); // else no key is taken by JDK 17
  }

  @Override
  void step() {
    byte[] piece = dice.bytes(isRaw ? dice.of(20, 20, 20, 5, 0) : dice.length());
    // JDK 17's PSS takes what was begun before initSign as the beginning of the next message.
    switch (pair == null ? 0 : name.equals("RSASSA-PSS") ? 6 + dice.below(4) : dice.below(10)) {
      case 0 -> init(dice.oneIn(2));
      case 1 -> init(true);
      case 2 -> update("update(" + piece.length + ")", piece, s -> s.update(piece));
      case 3 -> update("update(buffer of " + piece.length + ")", piece, s -> s.update(ByteBuffer.wrap(piece)));
      case 4 -> update("update(byte)", new byte[] {7}, s -> s.update((byte) 7));
      case 5 -> sign();
      case 6, 7 -> whole(piece);
      case 8 -> verify();
      default -> {
        if (name.equals("RSASSA-PSS") && dice.oneIn(2)) set();
        else both("setParameter(null)", s -> set(s, null));
      }
    }
  }

  private interface Update {
    void by(Signature signature) throws SignatureException;
  }

  private void update(String text, byte[] piece, Update update) {
    given += piece.length;
    // Of more bytes, the JDK's DSA and ECDSA without a digest throw an ArrayIndexOutOfBoundsException at once,
    // ours a SignatureException at the end.
    if (name.startsWith("NONEwithDSA") && given > 20) return;
    if (name.startsWith("NONEwithECDSA") && given > 64) return;
    Object done =
        both(
            text,
            s -> {
              update.by(s);
              return "done";
            });
    if (done == null || !isSigning) return;
    int length = begun.length;
    begun = Arrays.copyOf(begun, length + piece.length);
    System.arraycopy(piece, 0, begun, length, piece.length);
  }

  private static Object set(Signature signature, AlgorithmParameterSpec spec) throws Exception {
    signature.setParameter(spec);
    return "done";
  }

  private void set() {
    String digest = dice.of("SHA-1", "SHA-256", "SHA-384", "SHA-512");
    PSSParameterSpec spec =
        new PSSParameterSpec(digest, "MGF1", new MGF1ParameterSpec(dice.of(digest, "SHA-256")), dice.below(40), 1);
    if (both("setParameter(" + spec + ")", s -> set(s, spec)) != null) params = spec;
  }

  private void init(boolean isSign) {
    KeyPair next = PairsOfKeys.any(dice, name);
    PrivateKey own = next.getPrivate();
    PublicKey open = next.getPublic();
    boolean isOther = dice.oneIn(12);
    PrivateKey wrongOwn = PairsOfKeys.other(name).getPrivate();
    PublicKey wrongOpen = dice.oneIn(3) ? null : PairsOfKeys.other(name).getPublic();
    Object done =
        both(
            (isSign ? "initSign(" : "initVerify(") + Keys.describe(next) + (isOther ? ", other)" : ")"),
            s -> {
              if (isSign) s.initSign(isOther ? wrongOwn : own);
              else s.initVerify(isOther ? wrongOpen : open);
              return "done";
            });
    // Which key counts after a failure is not said: JDK 17 and 25 differ.
    pair = done == null ? null : next;
    isSigning = isSign;
    begun = new byte[0];
    given = 0;
  }

  /** Signs what was begun. A message that is begun in the wrong state is the other side's matter. */
  private void sign() {
    byte[] message = begun;
    boolean asArray = dice.oneIn(3);
    Object made =
        both(
            "sign",
            s -> {
              byte[] signature = asArray ? intoArray(s) : s.sign();
              if (s == ours) signed = new Signed(pair, params, message, signature);
              return isRandom ? isValid(message, signature) : signature;
            });
    if (made == null) pair = null; // whether a part of the message is left is not said
    begun = new byte[0];
    given = 0;
  }

  private static byte[] intoArray(Signature s) throws Exception {
    byte[] room = new byte[6000];
    return Arrays.copyOfRange(room, 3, 3 + s.sign(room, 3, room.length - 3));
  }

  private Object isValid(byte[] message, byte[] signature) throws Exception {
    Signature reader = Signature.getInstance(name, model);
    if (params != null) reader.setParameter(params);
    reader.initVerify(pair.getPublic());
    reader.update(message);
    return reader.verify(signature);
  }

  /** A whole message, and then its verification. */
  private void whole(byte[] piece) {
    init(true);
    if (pair == null) return;
    update("update(" + piece.length + ")", piece, s -> s.update(piece));
    sign();
    if (pair != null && signed != null && dice.oneIn(2)) verify();
  }

  private void verify() {
    if (signed == null) return;
    AlgorithmParameterSpec of = signed.params;
    if (of != null && both("setParameter(" + of + ")", s -> set(s, of)) == null) return;
    params = of;
    byte[] shown = changed(signed.signature), message = signed.message;
    PublicKey open = signed.pair.getPublic();
    Object done =
        both(
            "verify(" + shown.length + ")",
            s -> {
              s.initVerify(open);
              s.update(message);
              return s.verify(shown);
            });
    pair = done == null ? null : signed.pair;
    isSigning = false;
    given = 0;
  }

  private byte[] changed(byte[] signature) {
    byte[] given = signature.clone();
    // A change of what DER adds is seen in different orders by the JDK's versions, and of ML-DSA's hints.
    if (!dice.oneIn(3)) return given;
    if (name.matches("NONE.*RSA|ML-DSA.*")) return given;
    given[given.length - 1 - dice.below(8)] ^= (byte) (1 << dice.below(8));
    return given;
  }
}
