// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.AlgorithmParameters;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.Provider;
import java.security.spec.AlgorithmParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import javax.crypto.Cipher;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Ciphers and AEADs: parameters of any kind, pieces in arrays and buffers which may overlap, and what was
 * encrypted before. When output comes, after how many calls of update, is not compared, but all of it when a
 * message ends; and nothing is after an exception, but a second try with more room, until the next init.
 */
final class CipherWalk extends Walk<Cipher> {
  /** What one call encrypted: so that decryption has something that fits. */
  private record Sealed(Key key, AlgorithmParameterSpec params, byte[] aad, byte[] out) {}

  private final String name;
  private final boolean isChaCha20;
  private final boolean isAead;
  private final int[] keys;
  private final int[] ivs;
  private final List<Sealed> sealed = new ArrayList<>();
  private Sealed last; // what the last init was given, unless it was refused
  private final ByteArrayOutputStream ownOut = new ByteArrayOutputStream();
  private final ByteArrayOutputStream modelOut = new ByteArrayOutputStream();
  private boolean mustInit = true;
  private boolean isFresh = true; // there was no init
  private boolean decrypts;
  private boolean isBegun;
  private int pending; // bytes of the message so far

  CipherWalk(Dice dice, Provider.Service own, Provider model) throws Exception {
    super(dice, model);
    String transformation = Transformations.any(dice, own.getAlgorithm());
    ours = Cipher.getInstance(transformation, own.getProvider());
    theirs = Cipher.getInstance(transformation, model);
    name = transformation;
    isChaCha20 = name.startsWith("ChaCha20");
    isAead = name.contains("GCM") || name.contains("CCM") || name.contains("Poly1305");
    keys = Transformations.keys(name);
    ivs = Transformations.ivs(name);
  }

  @Override
  void step() {
    if (isFresh && !isForeign && dice.oneIn(4)) parameters();
    if (mustInit) init();
    else
      switch (dice.below(14)) {
        case 0 -> init();
        case 1, 2, 3, 4 -> open();
        case 5 -> aad(dice.bytes(dice.oneIn(10) ? dice.length() : dice.below(50)), dice.oneIn(2));
        case 6, 7 -> update(memory(null), true);
        case 8 -> update(memory(null), false);
        case 9, 10 -> buffers(memory(null));
        case 11 -> wrap();
        default -> finish(memory(null));
      }
  }

  /**
   * Room for all that may come. In place only while nothing is kept: the JDK's GCM writes that over input
   * which it has not read yet, and its ChaCha20 always writes over input.
   */
  private Memory memory(byte[] given) {
    boolean mayTouch = !isChaCha20 && (isAead ? pending == 0 : pending % 16 == 0);
    return Memory.any(dice, given, pending + 64, mayTouch && dice.oneIn(2));
  }

  private AlgorithmParameterSpec params(boolean wrong) {
    if (wrong && dice.oneIn(3)) return null;
    byte[] iv = dice.bytes(wrong ? dice.below(20) : ivs[dice.below(ivs.length)]);
    int tag = wrong && dice.oneIn(2) ? 8 * dice.below(20) : 128;
    if (name.matches(".*[GC]CM.*") != (wrong && dice.oneIn(3))) return new GCMParameterSpec(tag, iv);
    return iv.length == 0 ? null : new IvParameterSpec(iv);
  }

  private Key key(boolean wrong) {
    byte[] bytes = dice.bytes(wrong && dice.oneIn(2) ? 1 + dice.below(40) : keys[dice.below(keys.length)]);
    return wrong ? AnyKey.secret(dice, bytes) : new SecretKeySpec(bytes, algorithm());
  }

  private String algorithm() {
    return isChaCha20 ? "ChaCha20" : name.replaceAll("[/_].*", "");
  }

  /** Parameters before an init, of which the IV is random. */
  private void parameters() {
    both(
        "getParameters",
        c -> {
          AlgorithmParameters made = c.getParameters();
          return all(c.getIV(), made == null ? "none" : made.getAlgorithm() + " " + made.getEncoded().length);
        });
  }

  /** The JDK's ChaCha20 before 21 takes no key and nonce twice, also not for decryption. */
  private boolean mayDecryptAgain() {
    return !isChaCha20 || Runtime.version().feature() >= 21;
  }

  /** Not both may be wrong, as which is seen first is not said. */
  private void init() {
    if (isAead && !isForeign && last != null && dice.oneIn(4)) {
      init(mayDecryptAgain() ? 1 + dice.below(2) : Cipher.ENCRYPT_MODE, last.key, last.params);
      return;
    }
    // Bouncy Castle takes other parameters, too.
    boolean isAny = dice.oneIn(30) && !isForeign;
    int wrong = dice.below(10), mode = isAny ? dice.below(6) : 1 + dice.below(2);
    AlgorithmParameterSpec params = params(wrong == 1 && !isForeign);
    // By the JDK's GCM decryption without parameters is by random ones.
    if (params == null && isAead) mode = Cipher.ENCRYPT_MODE;
    init(mode, key(wrong == 0 && !isForeign), params);
  }

  private boolean init(int mode, Key key, AlgorithmParameterSpec params) {
    long seed = dice.seed();
    isFresh = false;
    forget();
    mustInit =
        both(
                "init(" + mode + ", " + AnyKey.text(key) + ", " + Transformations.text(params) + ")",
                c -> {
                  try {
                    c.init(mode, key, params, Dice.secure(seed));
                  } catch (NullPointerException e) { // by the JDK's ChaCha20, where others name the key
                    throw key == null ? new InvalidKeyException(e) : e;
                  }
                  return all(c.getIV(), c.getBlockSize(), c.getParameters() == null);
                })
            == null;
    decrypts = mode == Cipher.DECRYPT_MODE;
    last = mustInit || params == null ? null : new Sealed(key, params, null, null);
    return !mustInit;
  }

  private void forget() {
    pending = 0;
    isBegun = false;
    ownOut.reset();
    modelOut.reset();
  }

  private ByteArrayOutputStream out(Cipher cipher) {
    return cipher == ours ? ownOut : modelOut;
  }

  /** Takes what a call wrote; its answer is whether it wrote there only. */
  private Object took(Cipher cipher, int length, byte[] now, Memory memory) {
    out(cipher).write(now, memory.out(), length);
    for (int i = 0; i < now.length; i++)
      if (now[i] != memory.content()[i] && (i < memory.out() || i >= memory.out() + memory.room())) return "wrote elsewhere";
    return "done";
  }

  private Object whole(Cipher cipher, byte[] last) {
    ByteArrayOutputStream out = out(cipher);
    if (last != null) out.writeBytes(last);
    byte[] bytes = out.toByteArray();
    out.reset();
    return bytes;
  }

  /** Encrypts a message, or decrypts one, at times with a changed bit. */
  private void open() {
    if (sealed.isEmpty() || dice.oneIn(3)) {
      seal();
      return;
    }
    Sealed one = sealed.get(dice.below(sealed.size()));
    if (!mayDecryptAgain()) init(Cipher.ENCRYPT_MODE, key(false), params(false));
    if (!init(Cipher.DECRYPT_MODE, one.key, one.params)) return;
    byte[] text = one.out.clone();
    if (text.length > 0 && dice.oneIn(3)) text[dice.below(text.length)] ^= (byte) (1 << dice.below(8));
    if (one.aad != null) aad(one.aad, dice.oneIn(2));
    if (dice.oneIn(2)) {
      Memory first = memory(Arrays.copyOf(text, dice.below(text.length + 1)));
      update(first, dice.oneIn(2));
      text = Arrays.copyOfRange(text, first.length(), text.length);
    }
    if (!mustInit) finish(memory(text));
  }

  private void seal() {
    Key key = key(false);
    AlgorithmParameterSpec params = params(false);
    if (!init(Cipher.ENCRYPT_MODE, key, params)) return;
    byte[] text = dice.bytes(dice.length()), aad = isAead ? dice.bytes(dice.below(40)) : null;
    Object out =
        both(
            "doFinal(" + text.length + " bytes)",
            c -> {
              if (aad != null) c.updateAAD(aad);
              return c.doFinal(text);
            });
    if (out != null) sealed.add(new Sealed(key, params, aad, (byte[]) out));
    end(out != null);
  }

  /** After a piece of the text it is refused, but not always where that was empty or is to be decrypted. */
  private void aad(byte[] bytes, boolean isBuffer) {
    if (pending > 0 || isBegun) return;
    // JDK 17's ChaCha20-Poly1305 makes wrong tags of 16 bytes and more in a buffer, JDK 25's right ones.
    boolean asBuffer = isBuffer && !(isChaCha20 && Runtime.version().feature() < 25);
    both(
        "updateAAD(" + bytes.length + ")",
        c -> {
          if (asBuffer) c.updateAAD(ByteBuffer.wrap(bytes));
          else c.updateAAD(bytes);
          return "done";
        });
  }

  private void update(Memory memory, boolean asArray) {
    isBegun = true;
    pending += memory.length();
    mustInit |=
        both(
                "update(" + place(memory) + ")",
                c -> {
                  if (asArray) {
                    byte[] bytes = c.update(memory.content(), memory.in(), memory.length());
                    if (bytes != null) out(c).writeBytes(bytes);
                    return "done";
                  }
                  byte[] array = memory.content().clone();
                  return took(c, c.update(array, memory.in(), memory.length(), array, memory.out()), array, memory);
                })
            == null;
  }

  private void buffers(Memory memory) {
    isBegun = true;
    pending += memory.length();
    mustInit |= both("update(buffers " + place(memory) + ")", c -> buffers(c, memory, false)) == null;
  }

  private Object buffers(Cipher c, Memory memory, boolean last) throws Exception {
    Memory.Copy copy = memory.copy();
    ByteBuffer in = copy.input(), out = copy.output();
    int at = out.position(), n = last ? c.doFinal(in, out) : c.update(in, out);
    return all(in.remaining(), out.position() - at - n, took(c, n, copy.now(), memory));
  }

  private static String place(Memory m) {
    return m.in() + " + " + m.length() + " to " + m.out() + " + " + m.room() + (m.direct() ? " direct" : "")
        + (m.readOnly() ? " read only" : "");
  }

  /**
   * At times first without any room, for which there must be an exception, and the message goes on; but not
   * where padding is taken away, as nothing may be left.
   */
  private void finish(Memory memory) {
    // JDK 17 says of a text without a whole tag that there is no room.
    if (isAead && decrypts && pending + memory.length() < 16) return;
    boolean mayBeEmpty = decrypts && name.endsWith("PKCS5Padding");
    // The JDK's take an empty text for a whole message, Bouncy Castle's do not.
    if (mayBeEmpty && isForeign && pending + memory.length() == 0) return;
    if (memory.length() > 0 && !mayBeEmpty && dice.oneIn(5) && tooShort(memory)) return;
    boolean done =
        switch (dice.below(4)) {
          case 0 -> both("doFinal(" + memory.length() + ")", c -> whole(c, c.doFinal(memory.input()))) != null;
          case 1 ->
              both(
                      "doFinal(array, " + place(memory) + ")",
                      c -> {
                        byte[] array = memory.content().clone();
                        int n = c.doFinal(array, memory.in(), memory.length(), array, memory.out());
                        return all(took(c, n, array, memory), whole(c, null));
                      })
                  != null;
          default ->
              both("doFinal(buffers " + place(memory) + ")", c -> all(buffers(c, memory, true), whole(c, null))) != null;
        };
    forget();
    end(done);
  }

  /** What may follow a message. Bouncy Castle's refuse a used nonce later. */
  private void end(boolean done) {
    mustInit |= !done || isAead && (decrypts || isForeign || isChaCha20);
    if (!done || decrypts || !isChaCha20) return;
    // JDK 25's goes on with the same nonce where a message ended in buffers. Ours, like GCM, does not.
    both("a piece of text after the end", c -> c == theirs || isRefused(() -> c.update(new byte[3])));
    both("another end", c -> c == theirs || isRefused(() -> c.doFinal(new byte[3])));
  }

  private static boolean isRefused(Callable<byte[]> call) {
    return Outcome.of(call).thrown() == IllegalStateException.class;
  }

  /** Whether the message cannot go on, as another exception than that of the room came. */
  private boolean tooShort(Memory memory) {
    Object answer =
        both(
            "doFinal(" + memory.length() + ", no room)",
            c -> {
              try {
                c.doFinal(memory.input(), 0, memory.length(), new byte[0], 0);
                return "no exception";
              } catch (ShortBufferException e) {
                return "no room";
              } catch (GeneralSecurityException e) {
                return "no room"; // both are true, and which is seen first is not said
              }
            });
    // Where another exception may have come, the message does not go on.
    // JDK's ChaCha20 does not go on anyway.
    mustInit |= answer == null || decrypts || memory.length() % 16 != 0 || isChaCha20;
    return mustInit;
  }

  private void wrap() {
    Key inner = key(dice.oneIn(4));
    byte[] bytes = dice.bytes(dice.below(60));
    if (dice.oneIn(2)) both("wrap(" + AnyKey.text(inner) + ")", c -> c.wrap(inner));
    else both("unwrap(" + bytes.length + ")", c -> c.unwrap(bytes, "AES", Cipher.SECRET_KEY));
  }
}
