// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.Provider;
import java.security.PublicKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.OAEPParameterSpec;
import javax.crypto.spec.PSource;
import javax.crypto.spec.SecretKeySpec;

/**
 * RSA as a cipher: keys of several sizes in both directions, parameters of any kind, pieces that are too
 * long together, and ciphertexts that were changed. What is encrypted with random padding is compared
 * after it was decrypted.
 */
final class RsaWalk extends Walk<Cipher> {
  private static final int[] SIZES = {1024, 1024, 1024, 2048, 2048, 1536, 3072, 4096};
  private static final String[] DIGESTS = {
    "SHA-1", "SHA1", "SHA-224", "SHA-256", "SHA-384", "SHA-512", "SHA-512/224", "SHA-512/256", "MD5"
  };

  private final String name;
  private final boolean isOaep;
  private KeyPair pair;
  private AlgorithmParameterSpec params;
  private Key key;
  private int mode;

  RsaWalk(Dice dice, Provider.Service own, Provider model) throws Exception {
    super(dice, model);
    name = own.getAlgorithm();
    isOaep = name.contains("OAEP");
    ours = Cipher.getInstance(name, own.getProvider());
    theirs = Cipher.getInstance(name, model);
  }

  @Override
  void step() {
    byte[] piece = dice.bytes(dice.below(dice.oneIn(10) ? 600 : dice.oneIn(3) ? 129 : 20));
    byte[] out = new byte[dice.oneIn(5) ? dice.below(140) : 600];
    int at = dice.below(2);
    switch (pair == null ? 0 : dice.below(12)) {
      case 0, 1 -> init();
      case 2 -> both("update(" + piece.length + ")", c -> c.update(piece));
      case 3 -> both("update(" + piece.length + ", array)", c -> c.update(piece, 0, piece.length, out, at));
      case 4 -> both("update(" + piece.length + ", buffer)", c -> c.update(ByteBuffer.wrap(piece), ByteBuffer.wrap(out)));
      case 5 -> both("doFinal(" + piece.length + ")", c -> shown(c.doFinal(piece)));
      case 6 -> both("doFinal(" + piece.length + ", array)", c -> c.doFinal(piece, 0, piece.length, out.clone(), at) >= 0);
      case 7 ->
          both(
              "doFinal(" + piece.length + ", buffer)",
              c -> c.doFinal(ByteBuffer.wrap(piece), ByteBuffer.wrap(out.clone())) >= 0);
      case 8 -> wrap();
      default -> open();
    }
  }

  // ---- set-up ----

  private AlgorithmParameterSpec params() {
    if (dice.oneIn(12)) return new IvParameterSpec(new byte[16]);
    if (isOaep ? dice.oneIn(3) : !dice.oneIn(12)) return null;
    String digest = dice.oneIn(12) ? "SHA-9" : dice.of(DIGESTS);
    MGF1ParameterSpec mgf = new MGF1ParameterSpec(dice.oneIn(12) ? "SHA-9" : dice.of(DIGESTS));
    PSource label = dice.oneIn(2) ? PSource.PSpecified.DEFAULT : new PSource.PSpecified(dice.bytes(dice.below(40)));
    return new OAEPParameterSpec(digest, dice.oneIn(20) ? "MGF2" : "MGF1", mgf, label);
  }

  private Key other() {
    try {
      return switch (dice.below(4)) {
        case 0 -> null;
        case 1 -> new SecretKeySpec(new byte[16], "AES");
        case 2 -> Keys.pair("EC", new ECGenParameterSpec("secp256r1")).getPublic();
        default -> dice.oneIn(2) ? pair.getPublic() : pair.getPrivate();
      };
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void init() {
    pair = RsaCipherTest.pair(SIZES[dice.below(SIZES.length)], dice.below(3));
    params = params();
    mode = 1 + dice.below(4);
    key = mode == Cipher.ENCRYPT_MODE || mode == Cipher.WRAP_MODE ? pair.getPublic() : pair.getPrivate();
    if (dice.oneIn(5)) key = other();
    init(mode, key, dice.oneIn(3));
  }

  private boolean init(int mode, Key key, boolean asParameters) {
    AlgorithmParameters encoded = asParameters ? encoded(params) : null;
    return both(
            "init(" + mode + ", " + AnyKey.text(key) + ", " + text(params) + ")",
            c -> {
              if (encoded != null) c.init(mode, key, encoded);
              else if (params == null && asParameters) c.init(mode, key);
              else c.init(mode, key, params);
              AlgorithmParameters made = c.getParameters();
              OAEPParameterSpec spec = made == null ? null : made.getParameterSpec(OAEPParameterSpec.class);
              return all(c.getBlockSize(), c.getIV(), c.getOutputSize(5), text(spec));
            })
        != null;
  }

  /** Parameters as an object, or null if there can be none: the ciphers must be initialised all the same. */
  private static AlgorithmParameters encoded(AlgorithmParameterSpec spec) {
    try {
      AlgorithmParameters made = AlgorithmParameters.getInstance("OAEP", "SunJCE");
      made.init(spec);
      return made;
    } catch (GeneralSecurityException e) {
      return null;
    }
  }

  private static String text(AlgorithmParameterSpec params) {
    if (!(params instanceof OAEPParameterSpec oaep)) return params == null ? "null" : "IV";
    String mgf = oaep.getMGFParameters() instanceof MGF1ParameterSpec m ? m.getDigestAlgorithm() : "null";
    int label = oaep.getPSource() instanceof PSource.PSpecified p ? p.getValue().length : -1;
    return oaep.getDigestAlgorithm() + " " + oaep.getMGFAlgorithm() + " " + mgf + " " + label;
  }

  // ---- messages ----

  private boolean isRandom() {
    return key instanceof PublicKey && !name.contains("NoPadding");
  }

  /** The part of an encrypted or decrypted text that is compared. */
  private Object shown(byte[] out) throws Exception {
    if (!isRandom() || mode == Cipher.DECRYPT_MODE || mode == Cipher.UNWRAP_MODE) return out;
    Cipher reader = Cipher.getInstance(name, "SunJCE");
    reader.init(Cipher.DECRYPT_MODE, pair.getPrivate(), params);
    return all(out.length, reader.doFinal(out));
  }

  /** Encrypts by one side or signs, and decrypts or recovers by both, at times with a change. */
  private void open() {
    boolean isSigned = !isOaep && dice.oneIn(4);
    Key from = isSigned ? pair.getPrivate() : pair.getPublic();
    if (!(params instanceof OAEPParameterSpec) || !isOaep) params = null;
    key = isSigned ? pair.getPublic() : pair.getPrivate();
    mode = Cipher.DECRYPT_MODE;
    byte[] text = dice.bytes(dice.below(60)), sealed;
    try {
      Cipher maker = dice.oneIn(2) ? ours : theirs;
      maker.init(Cipher.ENCRYPT_MODE, from, params);
      sealed = maker.doFinal(text);
    } catch (Exception e) { // the key is too short for these digests, or there are no such
      init(mode, key, false);
      return;
    }
    if (!init(mode, key, false)) return;
    byte[] given = changed(sealed);
    int first = dice.below(given.length + 1);
    both("update(" + first + ")", c -> c.update(given, 0, first));
    both("doFinal()", c -> c.doFinal(given, first, given.length - first));
  }

  private byte[] changed(byte[] sealed) {
    byte[] given = sealed.clone();
    switch (dice.below(8)) {
      case 0 -> given[dice.below(given.length)] ^= (byte) (1 << dice.below(8));
      case 1 -> given = java.util.Arrays.copyOf(given, given.length - dice.below(3) + 1);
      case 2 -> given = java.util.Arrays.copyOfRange(given, dice.below(3), given.length);
      case 3 -> java.util.Arrays.fill(given, dice.of((byte) 0, (byte) -1));
      default -> {}
    }
    return given;
  }

  private void wrap() {
    Key inner = dice.oneIn(4) ? AnyKey.secret(dice, dice.bytes(16)) : new SecretKeySpec(dice.bytes(1 + dice.below(140)), "AES");
    if (mode == Cipher.WRAP_MODE || dice.oneIn(4)) {
      both("wrap(" + AnyKey.text(inner) + ")", c -> shown(c.wrap(inner)));
      return;
    }
    byte[] text = dice.bytes(dice.below(140));
    byte[] sealed = text;
    if (mode == Cipher.UNWRAP_MODE && dice.oneIn(2))
      try {
        Cipher maker = Cipher.getInstance(name, "SunJCE");
        maker.init(Cipher.WRAP_MODE, pair.getPublic(), params);
        sealed = maker.wrap(inner);
      } catch (Exception e) {
        sealed = text;
      }
    byte[] wrapped = sealed;
    String algorithm = dice.of("AES", "AES", "AES", "TlsRsaPremasterSecret");
    int type = dice.of(Cipher.SECRET_KEY, Cipher.SECRET_KEY, Cipher.PRIVATE_KEY, Cipher.PUBLIC_KEY);
    both("unwrap(" + wrapped.length + ", " + algorithm + ", " + type + ")", c -> c.unwrap(wrapped, algorithm, type));
    if (!algorithm.equals("AES")) pair = null; // the JDK's would take what it refused as the next one's beginning
  }
}
