// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.Provider;
import java.security.spec.AlgorithmParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Key wrap: keys and parameters that may both be wrong, messages and keys in any order of calls, what was
 * wrapped before, and that with a changed bit or of another length. {@link Accident} lists where SunJCE
 * throws an exception by accident; ours must throw another one there, and all else must be equal.
 */
final class WrapWalk extends Walk<Cipher> {
  private static final int[] LENGTHS = {0, 1, 7, 8, 9, 16, 17, 24, 32, 40};

  /** An exception of SunJCE's that no documentation has, and what ours is instead. */
  private enum Accident {
    NULL_KEY(NullPointerException.class, InvalidKeyException::new),
    /** The output of decryption would have a negative length. */
    SHORT_TEXT(NegativeArraySizeException.class, e -> new IllegalBlockSizeException(e.getMessage()));

    private interface Maker {
      Exception of(Exception cause);
    }

    private final Class<?> model;
    private final Maker maker;

    Accident(Class<?> model, Maker maker) {
      this.model = model;
      this.maker = maker;
    }

    private Exception repaired(Exception e) {
      return e.getClass() == model ? maker.of(e) : e;
    }
  }

  private final String name;
  private final int[] keys;
  private final int ivLength;
  private final List<byte[]> wrapped = new ArrayList<>();
  private SecretKeySpec key;

  WrapWalk(Dice dice, Provider.Service own, Provider model) throws Exception {
    super(dice, model);
    name = own.getAlgorithm();
    ours = Cipher.getInstance(name, own.getProvider());
    theirs = Cipher.getInstance(name, model);
    keys = Transformations.keys(name);
    ivLength = Transformations.ivs(name)[0];
    key = new SecretKeySpec(dice.bytes(keys[dice.below(keys.length)]), "AES");
  }

  /** A step in which SunJCE may have an accident, but ours may not have it. */
  private Object both(String step, Accident accident, Step<Cipher> by) {
    return both(
        step,
        c -> {
          try {
            return by.by(c);
          } catch (Exception e) {
            throw c == theirs ? accident.repaired(e) : e;
          }
        });
  }

  @Override
  void step() {
    switch (dice.below(16)) {
      case 0, 1, 2, 3 -> init();
      case 4, 5 -> update(text());
      case 6 -> updateBuffer(text());
      case 7, 8, 9 -> finish(text());
      case 10 -> finishBuffer(text(), dice.below(3) * 40);
      case 11 -> wrap();
      case 12, 13 -> unwrap(text());
      case 14 -> {
        int length = dice.below(50);
        both("getOutputSize(" + length + ")", c -> c.getOutputSize(length));
        both("updateAAD", c -> {
          c.updateAAD(new byte[3]);
          return "done";
        });
      }
      default -> both("getters", c -> all(c.getIV(), c.getBlockSize(), text(c.getParameters())));
    }
  }

  private static String text(AlgorithmParameters made) throws Exception {
    return made == null ? "none" : made.getAlgorithm() + " " + made.getEncoded().length;
  }

  /** Something to wrap, or to unwrap. */
  private byte[] text() {
    if (wrapped.isEmpty() || dice.oneIn(2)) return dice.bytes(LENGTHS[dice.below(LENGTHS.length)]);
    byte[] one = wrapped.get(dice.below(wrapped.size())).clone();
    if (one.length > 0 && dice.oneIn(4)) one[dice.below(one.length)] ^= (byte) (1 << dice.below(8));
    return dice.oneIn(8) ? Arrays.copyOf(one, one.length + dice.of(-8, -1, 1, 8)) : one;
  }

  private AlgorithmParameterSpec params() {
    return switch (dice.below(14)) {
      case 0, 1 -> new IvParameterSpec(dice.bytes(ivLength));
      case 2 -> new IvParameterSpec(dice.bytes(dice.below(20)));
      case 3 -> new GCMParameterSpec(128, dice.bytes(12));
      default -> null;
    };
  }

  private void init() {
    if (dice.oneIn(8)) key = new SecretKeySpec(dice.bytes(keys[dice.below(keys.length)]), "AES");
    Key given = dice.oneIn(6) ? AnyKey.secret(dice, dice.bytes(1 + dice.below(40))) : key;
    int mode = dice.oneIn(20) ? dice.below(7) : 1 + dice.below(4);
    AlgorithmParameterSpec params = params();
    boolean hasNone = params == null && dice.oneIn(2);
    both(
        "init(" + mode + ", " + AnyKey.text(given) + ", " + Transformations.text(params) + ")",
        Accident.NULL_KEY,
        c -> {
          if (hasNone) c.init(mode, given);
          else c.init(mode, given, params);
          return all(c.getIV(), c.getBlockSize());
        });
  }

  private void update(byte[] text) {
    if (dice.oneIn(2)) both("update(" + text.length + ")", c -> c.update(text));
    else
      both(
          "update(" + text.length + ", to an array)",
          c -> {
            byte[] out = new byte[80];
            return all(c.update(text, 0, text.length, out, 3), out);
          });
  }

  private void updateBuffer(byte[] text) {
    int room = dice.below(3) * 60;
    both(
        "update(" + text.length + ", to a buffer of " + room + ")",
        c -> {
          ByteBuffer in = ByteBuffer.wrap(text.clone()), out = ByteBuffer.allocate(room);
          return all(c.update(in, out), in.remaining(), out.position());
        });
  }

  private void finish(byte[] text) {
    int room = dice.below(3) * 40;
    switch (dice.below(3)) {
      case 0 -> both("doFinal()", Accident.SHORT_TEXT, Cipher::doFinal);
      case 1 -> keep(both("doFinal(" + text.length + ")", Accident.SHORT_TEXT, c -> c.doFinal(text)));
      default ->
          both(
              "doFinal(" + text.length + ", to an array of " + room + ")",
              Accident.SHORT_TEXT,
              c -> {
                byte[] out = new byte[room];
                return all(c.doFinal(text, 0, text.length, out, 0), out);
              });
    }
  }

  private void finishBuffer(byte[] text, int room) {
    both(
        "doFinal(" + text.length + ", to a buffer of " + room + ")",
        Accident.SHORT_TEXT,
        c -> {
          ByteBuffer in = ByteBuffer.wrap(text.clone()), out = ByteBuffer.allocate(room);
          return all(c.doFinal(in, out), in.remaining(), out.position(), out.array());
        });
  }

  private void keep(Object out) {
    if (out instanceof byte[] bytes) wrapped.add(bytes);
  }

  private void wrap() {
    Key inner = dice.oneIn(4) ? AnyKey.secret(dice, dice.bytes(1 + dice.below(40))) : new SecretKeySpec(dice.bytes(dice.of(16, 24, 5)), "AES");
    keep(both("wrap(" + AnyKey.text(inner) + ")", c -> c.wrap(inner)));
  }

  private void unwrap(byte[] text) {
    int type = dice.oneIn(8) ? dice.below(5) : Cipher.SECRET_KEY;
    both("unwrap(" + text.length + ", " + type + ")", c -> c.unwrap(text, "AES", type));
  }
}
