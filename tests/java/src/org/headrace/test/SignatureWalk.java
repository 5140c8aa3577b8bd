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
import java.security.spec.ECGenParameterSpec;
import java.security.spec.EdDSAParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Signatures: calls in any order, also such as are refused, messages in pieces, and signatures of both sides,
 * at times changed. Those that contain random numbers are compared by the message that the model says was
 * signed.
 */
final class SignatureWalk extends Walk<Signature> {
  /** A message and its signature. */
  private record Signed(KeyPair pair, AlgorithmParameterSpec params, byte[] message, byte[] signature) {}

  private final String name;
  private final Provider model;
  private final boolean isRandom;
  private final boolean isRaw;
  private final boolean isPss;
  private final boolean isEd;
  private KeyPair pair; // null until a key was taken
  private AlgorithmParameterSpec params;
  private Signed signed;
  private boolean isBegun; // parameters of PSS may not be set
  private List<byte[]> begun = List.of(new byte[0]); // what the message may be, which is signed next

  SignatureWalk(Dice dice, Provider.Service own, Provider model) throws Exception {
    super(dice, model);
    name = own.getAlgorithm();
    this.model = model;
    ours = Signature.getInstance(name, own.getProvider());
    theirs = Signature.getInstance(name, model);
    isRandom = !name.endsWith("withRSA") && !name.matches("Ed.*");
    isRaw = name.startsWith("NONE");
    isPss = name.equals("RSASSA-PSS");
    isEd = name.startsWith("Ed");
    if (isPss) set(); // else no key is taken by JDK 17
  }

  @Override
  void step() {
    byte[] piece = dice.bytes(length());
    switch (pair == null ? 0 : dice.below(12)) {
      case 0 -> init(dice.oneIn(2));
      case 1 -> init(true);
      case 2, 3 -> update(piece);
      case 4 -> sign();
      case 5, 6 -> whole(piece);
      case 7 -> verify();
      case 8 -> verifyInParts();
      case 9 -> verifyNow();
      case 10 -> refused();
      default -> {
        // Parameters in the middle of a message, which it refuses, leave the JDK's PSS with some of them.
        if ((isPss && !isBegun || isEd) && dice.oneIn(2)) set();
        else both("setParameter(null)", s -> set(s, null));
      }
    }
  }

  /** Without a digest mostly what fits, or almost. */
  private int length() {
    if (!isRaw) return dice.length();
    if (name.startsWith("NONEwithDSA")) return dice.of(20, 20, 20, 20, 10, 10, 0, 1, 5, 19, 21, 300);
    return dice.of(20, 20, 32, 32, 5, 0, 1, 43, 44, 63, 64, 65, 53, 117, 118, 245, 246, 300);
  }

  private interface Update {
    void by(Signature signature) throws SignatureException;
  }

  private void update(byte[] piece) {
    String of = "(" + piece.length + ")";
    switch (dice.below(5)) {
      case 0 -> update("buffer" + of, piece, s -> s.update(ByteBuffer.wrap(piece)));
      case 1 -> update("direct" + of, piece, s -> s.update(direct(piece)));
      case 2 -> update("byte", new byte[] {7}, s -> s.update((byte) 7));
      default -> update("array" + of, piece, s -> s.update(piece));
    }
  }

  private static ByteBuffer direct(byte[] piece) {
    return ByteBuffer.allocateDirect(piece.length).put(piece).flip();
  }

  private void update(String text, byte[] piece, Update update) {
    Object done =
        both(
            "update " + text,
            s -> {
              update.by(s);
              return "done";
            });
    if (done == null) return; // it is not a part of the message
    isBegun = true;
    begun = begun.stream().map(before -> joined(before, piece)).toList();
  }

  private static byte[] joined(byte[] before, byte[] after) {
    byte[] all = Arrays.copyOf(before, before.length + after.length);
    System.arraycopy(after, 0, all, before.length, after.length);
    return all;
  }

  /** What was begun is the message still, or nothing is. */
  private void mayBeReset() {
    List<byte[]> all = new ArrayList<>(begun);
    if (all.stream().noneMatch(m -> m.length == 0)) all.add(new byte[0]);
    begun = all;
  }

  private void reset() {
    begun = List.of(new byte[0]);
    isBegun = false;
  }

  private static Object set(Signature signature, AlgorithmParameterSpec spec) throws Exception {
    signature.setParameter(spec);
    return "done";
  }

  private void set() {
    set(isEd ? edSpec() : pssSpec());
  }

  private AlgorithmParameterSpec edSpec() {
    if (dice.oneIn(2)) return new EdDSAParameterSpec(dice.oneIn(2));
    return new EdDSAParameterSpec(false, dice.bytes(dice.below(3)));
  }

  private AlgorithmParameterSpec pssSpec() {
    String digest = dice.of("SHA-1", "SHA-256", "SHA-384", "SHA-512");
    MGF1ParameterSpec mgf = new MGF1ParameterSpec(dice.of(digest, "SHA-256"));
    return new PSSParameterSpec(digest, "MGF1", mgf, dice.below(40), 1);
  }

  private void init(boolean isSign) {
    KeyPair next = PairsOfKeys.any(dice, name);
    PrivateKey own = next.getPrivate();
    PublicKey open = next.getPublic();
    boolean isOther = dice.oneIn(5), isNone = dice.oneIn(3);
    PrivateKey wrongOwn = isNone ? null : PairsOfKeys.other(name).getPrivate();
    PublicKey wrongOpen = isNone ? null : PairsOfKeys.other(name).getPublic();
    String text = isOther ? isNone ? "null" : "other" : Keys.describe(next);
    Object done =
        both(
            (isSign ? "initSign(" : "initVerify(") + text + ")",
            s -> {
              if (isSign) s.initSign(isOther ? wrongOwn : own);
              else s.initVerify(isOther ? wrongOpen : open);
              return "done";
            });
    if (done == null) return; // the key and the message before stay
    pair = next;
    reset();
  }

  /** Signs what was begun. */
  private void sign() {
    int way = dice.below(4);
    Object made =
        both(
            "sign",
            s -> {
              byte[] signature = way == 0 ? intoArray(s) : s.sign();
              byte[] message = signedOf(signature);
              if (s == theirs && message == null) throw new AssertionError("the model signed something else");
              if (s == ours && message != null) signed = new Signed(pair, params, message, signature);
              return isRandom ? message : signature;
            });
    if (made == null) mayBeReset();
    else reset();
  }

  private static byte[] intoArray(Signature s) throws Exception {
    byte[] room = new byte[6000];
    return Arrays.copyOfRange(room, 3, 3 + s.sign(room, 3, room.length - 3));
  }

  /** Which of the possible messages was signed, as the model says. */
  private byte[] signedOf(byte[] signature) throws Exception {
    Signature reader = Signature.getInstance(name, model);
    if (params != null) reader.setParameter(params);
    for (byte[] message : begun) {
      reader.initVerify(pair.getPublic());
      try {
        reader.update(message);
        if (reader.verify(signature)) return message;
      } catch (SignatureException | ArrayIndexOutOfBoundsException e) {
        // such a message cannot be signed
      }
    }
    return null;
  }

  /** A whole message, and then its verification. */
  private void whole(byte[] piece) {
    init(true);
    if (pair == null) return;
    update("array(" + piece.length + ")", piece, s -> s.update(piece));
    sign();
    if (dice.oneIn(2)) verify();
  }

  /** The key and the parameters of the last signature. */
  private boolean initVerifyOfSigned() {
    if (signed == null) return false;
    PublicKey open = signed.pair.getPublic();
    Object done =
        both(
            "initVerify(of the last signature)",
            s -> {
              s.initVerify(open);
              return "done";
            });
    if (done == null) return false;
    pair = signed.pair;
    reset();
    AlgorithmParameterSpec of = signed.params;
    if (of == null && isEd) of = new EdDSAParameterSpec(false);
    return of == null || set(of);
  }

  private boolean set(AlgorithmParameterSpec of) {
    if (both("setParameter(" + of + ")", s -> set(s, of)) == null) return false;
    params = of;
    return true;
  }

  private void verify() {
    if (!initVerifyOfSigned()) return;
    byte[] message = signed.message;
    update("array(" + message.length + ")", message, s -> s.update(message));
    verifyNow();
  }

  /** A message that goes on after a call that was refused, or that ends with it. */
  private void verifyInParts() {
    if (!initVerifyOfSigned()) return;
    byte[] message = signed.message, good = signed.signature;
    int half = message.length / 2;
    byte[] first = Arrays.copyOf(message, half), rest = Arrays.copyOfRange(message, half, message.length);
    if (dice.oneIn(2)) update("first half", first, s -> s.update(first));
    switch (dice.below(3)) {
      case 0 -> refused();
      case 1 -> init(dice.oneIn(2));
      default -> verifyNow();
    }
    update("second half", rest, s -> s.update(rest));
    both("verify(good)", s -> s.verify(good));
    mayBeReset();
  }

  private void verifyNow() {
    if (signed == null) return;
    byte[] shown = changed(signed.signature);
    both("verify(" + (shown == null ? "null" : shown.length) + ")", s -> s.verify(shown));
    mayBeReset();
  }

  /** JDK 17 takes bytes after a signature of Ed25519. */
  private static final boolean IS_17 = Runtime.version().feature() < 18;

  private byte[] changed(byte[] signature) {
    byte[] given = signature.clone();
    int length = given.length, more = 1 + dice.below(2), end = name.startsWith("ML-DSA") ? 200 : 1;
    switch (dice.below(12)) {
      // The JDK makes a number of no bytes of it, which is a NumberFormatException.
      case 0 -> given = name.endsWith("withDSAinP1363Format") ? given : new byte[0];
      case 1 -> given = null;
      case 2 -> given = Arrays.copyOf(given, length - more);
      case 3 -> given = isEd && IS_17 ? given : Arrays.copyOf(given, length + more);
      case 4 -> Arrays.fill(given, (byte) 0);
      case 5 -> Arrays.fill(given, (byte) -1);
      // A change of what DER adds is seen in different orders by the JDK's versions, and of ML-DSA's hints.
      case 6, 7 -> given[length - end - dice.below(8)] ^= (byte) (1 << dice.below(8));
      default -> {}
    }
    return given;
  }

  /** A call that is refused, or does nothing. */
  private void refused() {
    AlgorithmParameterSpec spec = wrongSpec();
    int size = dice.below(4);
    switch (dice.below(6)) {
      case 0 -> both("sign(short array)", s -> s.sign(new byte[size], 0, size));
      case 1 -> both("sign(no place)", s -> s.sign(new byte[3], 2, 3));
      case 2 -> both("verify(no place)", s -> s.verify(new byte[3], 2, 3));
      case 3 -> both("setParameter(" + spec + ")", s -> set(s, spec));
      case 4 -> both("setParameter(text)", SignatureWalk::setText);
      default -> both("getParameter(text)", SignatureWalk::getText);
    }
    mayBeReset();
  }

  @SuppressWarnings("deprecation")
  private static Object setText(Signature s) {
    s.setParameter("name", "value");
    return "done";
  }

  @SuppressWarnings("deprecation")
  private static Object getText(Signature s) {
    return s.getParameter("name");
  }

  /** Parameters that no signature takes. */
  private AlgorithmParameterSpec wrongSpec() {
    MGF1ParameterSpec mgf = MGF1ParameterSpec.SHA1;
    return switch (dice.below(isPss ? 4 : 2)) {
      case 0 -> new ECGenParameterSpec("secp256r1");
      case 1 -> isPss ? null : new PSSParameterSpec(20);
      case 2 -> new PSSParameterSpec("SHA-1", "MGF2", mgf, 20, 1);
      default -> new PSSParameterSpec(pair == null ? "SHA-0" : "SHA-1", "MGF1", mgf, 300, 1);
    };
  }
}
