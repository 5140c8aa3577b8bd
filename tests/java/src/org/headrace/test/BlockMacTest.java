// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.Test;

/** CMAC, the retail MAC of ISO 9797-1, GMAC and Poly1305 against Bouncy Castle's. */
class BlockMacTest {
  private static final BouncyCastleProvider THEIRS = new BouncyCastleProvider();
  private final Random random = new Random(24);

  private record Kind(String name, String key, boolean hasNonce, int... keys) {}

  private static final Kind[] KINDS = {
    new Kind("AESCMAC", "AES", false, 16, 24, 32),
    new Kind("DESEDECMAC", "DESede", false, 16, 24),
    new Kind("AES-GMAC", "AES", true, 16, 24, 32),
    new Kind("ISO9797ALG3MAC", "DESede", false, 16, 24),
    new Kind("ISO9797ALG3", "DESede", false, 16),
    new Kind("ISO9797ALG3WITHISO7816-4PADDING", "DESede", false, 16, 24),
    new Kind("ISO9797ALG3MACWITHISO7816-4PADDING", "DESede", false, 24),
    new Kind("POLY1305", "Poly1305", false, 32),
  };

  private byte[] bytes(int len) {
    byte[] out = new byte[len];
    random.nextBytes(out);
    return out;
  }

  private byte[] keyOf(Kind kind, int len) {
    byte[] key = bytes(len);
    if (kind.name().startsWith("ISO9797") && len == 24) System.arraycopy(key, 0, key, 16, 8);
    return key;
  }

  /** Feeds the message in pieces of all kinds. */
  private void feed(Mac mac, byte[] in) {
    for (int at = 0, len; at < in.length; at += len) {
      len = 1 + random.nextInt(in.length - at);
      int kind = random.nextInt(4);
      if (kind == 0) len = 1;
      switch (kind) {
        case 0 -> mac.update(in[at]);
        case 1 -> mac.update(ByteBuffer.wrap(in, at, len).asReadOnlyBuffer());
        case 2 -> mac.update(ByteBuffer.allocateDirect(len).put(in, at, len).flip());
        default -> mac.update(in, at, len);
      }
    }
  }

  @Test
  void isBouncyCastles() throws Exception {
    for (Kind kind : KINDS)
      for (int keyLen : kind.keys())
        for (int len : new int[] {0, 1, 7, 8, 15, 16, 17, 64, 255, 256, 257, 4096, 40000}) {
          SecretKeySpec key = new SecretKeySpec(keyOf(kind, keyLen), kind.key());
          AlgorithmParameterSpec nonce = kind.hasNonce() ? new IvParameterSpec(bytes(12)) : null;
          Mac own = Mac.getInstance(kind.name(), Ours.PROVIDER), model = Mac.getInstance(kind.name(), THEIRS);
          own.init(key, nonce);
          model.init(key, nonce);
          byte[] in = bytes(len);
          assertEquals(model.getMacLength(), own.getMacLength());
          int half = random.nextInt(len + 1);
          own.update(in, 0, half);
          // A copy and its original would make two tags with one nonce.
          if (kind.hasNonce()) assertThrows(CloneNotSupportedException.class, own::clone);
          for (Mac mac : kind.hasNonce() ? new Mac[] {own} : new Mac[] {own, (Mac) own.clone()}) {
            feed(mac, java.util.Arrays.copyOfRange(in, half, len));
            assertArrayEquals(model.doFinal(in), mac.doFinal(), kind.name() + " " + len);
          }
        }
  }

  @Test
  void servesOnceForANonce() throws Exception {
    Mac own = Mac.getInstance("AES-GMAC", Ours.PROVIDER);
    SecretKeySpec key = new SecretKeySpec(bytes(16), "AES");
    assertThrows(InvalidAlgorithmParameterException.class, () -> own.init(key, null));
    own.init(key, new IvParameterSpec(bytes(12)));
    own.update((byte) 1);
    own.reset();
    own.doFinal(bytes(20));
    assertThrows(IllegalStateException.class, () -> own.doFinal(bytes(20)));
    IvParameterSpec next = new IvParameterSpec(bytes(12));
    own.init(key, next);
    own.doFinal(bytes(20));
    SecretKeySpec same = new SecretKeySpec(key.getEncoded(), "AES");
    assertThrows(InvalidAlgorithmParameterException.class, () -> own.init(same, next));
    assertThrows(IllegalStateException.class, () -> own.doFinal(bytes(20)));
    own.init(key, new IvParameterSpec(bytes(12)));
    own.doFinal(bytes(20));
  }

  @Test
  void refusesKeys() throws Exception {
    for (Kind kind : KINDS) {
      Mac own = Mac.getInstance(kind.name(), Ours.PROVIDER);
      AlgorithmParameterSpec nonce = kind.hasNonce() ? new IvParameterSpec(bytes(12)) : null;
      assertThrows(InvalidKeyException.class, () -> own.init(new SecretKeySpec(new byte[15], "AES"), nonce));
      assertThrows(InvalidKeyException.class, () -> own.init(Keys.rsa(2048).getPrivate(), nonce));
    }
  }

  /** A retail MAC under three different keys is Bouncy Castle's. */
  @Test
  void refusesAThirdKey() throws Exception {
    for (String name : new String[] {"ISO9797ALG3MAC", "ISO9797ALG3WITHISO7816-4PADDING"}) {
      Mac own = Mac.getInstance(name, Ours.PROVIDER);
      for (int bit = 0; bit < 64; bit++) {
        byte[] key = bytes(24);
        System.arraycopy(key, 0, key, 16, 8);
        own.init(new SecretKeySpec(key, "DESede"));
        key[16 + bit / 8] ^= (byte) (1 << bit % 8);
        assertThrows(InvalidKeyException.class, () -> own.init(new SecretKeySpec(key, "DESede")));
      }
    }
  }
}
