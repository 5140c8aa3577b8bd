// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.Key;
import java.security.KeyStore;
import java.security.Provider;
import java.security.Security;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import javax.crypto.AEADBadTagException;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.headrace.jce.HeadraceProvider;

/**
 * Encrypts and decrypts with secret keys of the accelerator, as {@link Custody} is told, and compares with
 * another provider that is given the bytes of the key.
 */
final class CustodyCipher {
  private static final Provider JDK = Security.getProvider("SunJCE");

  private final String name;
  private final Key key;
  private final Random dice = new Random(1);
  private Key model; // the key itself

  private CustodyCipher(KeyStore store, String alias, String name) throws Exception {
    this.name = name;
    key = store.getKey(alias, null);
  }

  /** Each command is followed by an alias, a transformation, and perhaps a length and a key's bytes. */
  static String answer(KeyStore store, String[] words) throws Exception {
    CustodyCipher it = new CustodyCipher(store, words[1], words[2]);
    return switch (words[0]) {
      case "cipher" -> it.compare(Integer.parseInt(words[3]), HexFormat.of().parseHex(words[4]));
      case "crypt" -> it.crypt(Cipher.ENCRYPT_MODE, new byte[Integer.parseInt(words[3])]).length + " bytes";
      case "aad" -> it.withAad(Integer.parseInt(words[3]));
      case "iv" -> it.withIv(Integer.parseInt(words[3]));
      case "again" -> it.again();
      case "hold" -> it.hold();
      case "release" -> held.doFinal().length + " bytes";
      default -> it.init(words[0].equals("encrypt") ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE);
    };
  }

  private boolean isAead() {
    return name.matches(".*(GCM|CCM|Poly).*");
  }

  private AlgorithmParameterSpec spec(int number) {
    if (name.contains("ECB")) return null;
    byte[] iv = new byte[name.contains("DES") ? 8 : isAead() ? 12 : 16];
    Arrays.fill(iv, (byte) number);
    return name.matches(".*[GC]CM.*") ? new GCMParameterSpec(112, iv) : new IvParameterSpec(iv);
  }

  private Cipher model() throws Exception {
    try {
      return Cipher.getInstance(name, JDK);
    } catch (java.security.NoSuchAlgorithmException e) {
      return Cipher.getInstance(name, new HeadraceProvider());
    }
  }

  private int number; // of the IV, since none may be used twice

  private Cipher started(Cipher cipher, int mode, Key with) throws Exception {
    cipher.init(mode, with, spec(number));
    if (isAead()) cipher.updateAAD(new byte[] {1, 2, 3});
    return cipher;
  }

  private byte[] crypt(int mode, byte[] in) throws Exception {
    Cipher cipher = started(Cipher.getInstance(name), mode, key);
    if (!cipher.getProvider().getName().equals(HeadraceProvider.NAME)) throw new IllegalStateException("by another");
    return cipher.doFinal(in);
  }

  /** The same in pieces of any length, in arrays and in direct buffers. */
  private byte[] inPieces(int mode, byte[] in, boolean isDirect) throws Exception {
    Cipher cipher = started(Cipher.getInstance(name), mode, key);
    ByteBuffer all = (isDirect ? ByteBuffer.allocateDirect(in.length) : ByteBuffer.allocate(in.length)).put(in).flip();
    ByteBuffer out = isDirect ? ByteBuffer.allocateDirect(in.length + 64) : ByteBuffer.allocate(in.length + 64);
    for (int left; (left = all.remaining()) > 0; ) {
      ByteBuffer piece = all.slice().limit(dice.nextInt(Math.min(left, 1 << dice.nextInt(17))) + 1);
      cipher.update(piece, out);
      all.position(all.position() + piece.position());
    }
    cipher.doFinal(all, out);
    byte[] made = new byte[out.flip().remaining()];
    out.get(made);
    return made;
  }

  private String compare(int len, byte[] bytes) throws Exception {
    model = new SecretKeySpec(bytes, key.getAlgorithm());
    byte[] text = new byte[len];
    dice.nextBytes(text);
    byte[] want = started(model(), Cipher.ENCRYPT_MODE, model).doFinal(text);
    byte[] back = started(model(), Cipher.DECRYPT_MODE, model).doFinal(want);
    if (!Arrays.equals(text, back)) return "the model is wrong";
    for (int mode : new int[] {Cipher.ENCRYPT_MODE, Cipher.DECRYPT_MODE}) {
      byte[] in = mode == Cipher.ENCRYPT_MODE ? text : want, out = mode == Cipher.ENCRYPT_MODE ? want : text;
      if (!Arrays.equals(out, crypt(mode, in))) return "another result, mode " + mode;
      if (!Arrays.equals(out, inPieces(mode, in, false))) return "another result in pieces, mode " + mode;
      if (!Arrays.equals(out, inPieces(mode, in, true))) return "another result in buffers, mode " + mode;
      if (!Arrays.equals(out, inPlace(mode, in, out.length))) return "another result in place, mode " + mode;
    }
    return isAead() ? aead(want) : name.contains("Padding") && !name.contains("NoPadding") ? padded(want) : parameters(text, want);
  }

  private byte[] inPlace(int mode, byte[] in, int outLength) throws Exception {
    byte[] array = Arrays.copyOf(in, Math.max(in.length, outLength) + 16);
    int made = started(Cipher.getInstance(name), mode, key).doFinal(array, 0, in.length, array, 0);
    return Arrays.copyOf(array, made);
  }

  private String parameters(byte[] text, byte[] want) throws Exception {
    Cipher cipher = started(Cipher.getInstance(name), Cipher.ENCRYPT_MODE, key);
    AlgorithmParameters given = cipher.getParameters();
    cipher.init(Cipher.DECRYPT_MODE, key, given);
    return Arrays.equals(text, cipher.doFinal(want)) ? "right" : "another result by its parameters";
  }

  /** Bad padding is told, and a buffer for the text alone is enough. */
  private String padded(byte[] want) throws Exception {
    Cipher cipher = started(Cipher.getInstance(name), Cipher.DECRYPT_MODE, key);
    cipher.update(want, 0, 1);
    byte[] exact = new byte[started(model(), Cipher.DECRYPT_MODE, model).doFinal(want).length];
    try {
      cipher.doFinal(want, 1, want.length - 1, new byte[Math.max(0, exact.length - 1)], 0);
      if (exact.length > 0) return "a buffer was too large";
      cipher = started(cipher, Cipher.DECRYPT_MODE, key);
      cipher.update(want, 0, 1);
    } catch (javax.crypto.ShortBufferException e) {
      if (exact.length == 0) return "there was no room for nothing";
    }
    if (cipher.doFinal(want, 1, want.length - 1, exact, 0) != exact.length) return "another length";
    Cipher raw = model(name.replaceAll("/[^/]*$", "/NoPadding"));
    byte[] wrong = started(raw, Cipher.ENCRYPT_MODE, model).doFinal(new byte[48]);
    try {
      crypt(Cipher.DECRYPT_MODE, wrong);
      return "bad padding was taken";
    } catch (BadPaddingException e) {
      return "right";
    }
  }

  private static Cipher model(String name) throws Exception {
    return Cipher.getInstance(name, JDK);
  }

  /** No text comes of a wrong tag, and no IV serves twice. */
  private String aead(byte[] want) throws Exception {
    byte[] wrong = want.clone();
    wrong[wrong.length - 1] ^= 1;
    byte[] out = new byte[want.length];
    Cipher cipher = started(Cipher.getInstance(name), Cipher.DECRYPT_MODE, key);
    try {
      cipher.doFinal(wrong, 0, wrong.length, out);
      return "a wrong tag was taken";
    } catch (AEADBadTagException e) {
      if (!Arrays.equals(new byte[out.length], out)) return "text came out";
    }
    try {
      started(cipher, Cipher.DECRYPT_MODE, key).doFinal(new byte[5]);
      return "no tag was taken";
    } catch (AEADBadTagException e) {
      number++; // ChaCha20-Poly1305 does not encrypt under the IV that it decrypted with
      started(cipher, Cipher.ENCRYPT_MODE, key).doFinal();
    }
    return again(cipher);
  }

  private String again() throws Exception {
    Cipher cipher = started(Cipher.getInstance(name), Cipher.ENCRYPT_MODE, key);
    cipher.doFinal();
    return again(cipher);
  }

  private String again(Cipher cipher) throws Exception {
    try {
      cipher.update(new byte[1]);
      return "an IV served two messages";
    } catch (IllegalStateException e) {
      // as it should be
    }
    String first = refused(cipher);
    number++;
    started(cipher, Cipher.ENCRYPT_MODE, key).doFinal(new byte[9]);
    return first == null ? "an IV served two messages" : "right";
  }

  private String refused(Cipher cipher) {
    try {
      started(cipher, Cipher.ENCRYPT_MODE, key);
      return null;
    } catch (Exception e) {
      return e.getMessage();
    }
  }

  private static Cipher held;

  /** Begins a message, which another command ends: meanwhile anything may happen to the key. */
  private String hold() throws Exception {
    held = started(Cipher.getInstance(name), Cipher.ENCRYPT_MODE, key);
    held.update(new byte[8]);
    return "held";
  }

  // ---- what is refused ----

  private String init(int mode) throws Exception {
    Cipher cipher = Cipher.getInstance(name);
    cipher.init(mode, key, spec(0));
    return "by " + cipher.getProvider().getName() + ", " + cipher.doFinal(new byte[mode == Cipher.ENCRYPT_MODE ? 32 : 0]).length;
  }

  private String withAad(int len) throws Exception {
    Cipher cipher = Cipher.getInstance(name);
    cipher.init(Cipher.ENCRYPT_MODE, key, spec(0));
    cipher.updateAAD(new byte[len]);
    return cipher.doFinal(new byte[9]).length + " bytes";
  }

  private String withIv(int len) throws Exception {
    Cipher cipher = Cipher.getInstance(name);
    cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, new byte[len]));
    return cipher.doFinal(new byte[9]).length + " bytes";
  }
}
