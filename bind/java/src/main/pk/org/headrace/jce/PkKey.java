// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.security.InvalidKeyException;
import java.util.Arrays;

/** A key of public key outside Java's heap, which any number of threads use. */
final class PkKey {
  /** enum pk_op of bind/java/native/pk.h. */
  static final int SIGN = 0;

  static final int VERIFY = 1;
  static final int SIGN_DER = 2;
  static final int VERIFY_DER = 3;
  static final int ENCRYPT = 4;
  static final int DECRYPT = 5;
  static final int DERIVE = 6;
  static final int ENCAPSULATE = 7;
  static final int DECAPSULATE = 8;
  static final int RECOVER = 9;
  static final int PRIVATE = 10;
  static final int MAC = 11;
  static final int PUBLIC = 12;

  private record Memory(long address) implements Runnable {
    @Override
    public void run() {
      PkCalls.free(address);
    }
  }

  private final long address;
  private final Cleaner.Cleanable cleanable;

  private final MlSet set; // of a key of ML-*, else null
  private volatile byte[] open; // see open()

  PkKey(long address) {
    this(address, null);
  }

  private PkKey(long address, MlSet set) {
    this.address = address;
    this.set = set;
    cleanable = NativeObject.CLEANER.register(this, new Memory(address));
  }

  /** Makes a key of its parts (pk.h), which are wiped. */
  static PkKey make(int algorithm, boolean isPrivate, byte[]... parts) throws InvalidKeyException {
    return make(algorithm, null, isPrivate, parts);
  }

  static PkKey make(MlSet set, boolean isPrivate, byte[] key) throws InvalidKeyException {
    return make(Rows.number(set.name()), set, isPrivate, key);
  }

  private static PkKey make(int algorithm, MlSet set, boolean isPrivate, byte[]... parts)
      throws InvalidKeyException {
    byte[] joined = Parts.join(parts);
    long address = PkCalls.make(algorithm, isPrivate ? 1 : 0, joined, joined.length);
    Arrays.fill(joined, (byte) 0);
    if (address < 0) throw new InvalidKeyException("this key cannot be used: error " + address);
    return new PkKey(address, set);
  }

  /** A new private key of key agreement, which is nowhere else; to be destroyed after its use. */
  static PkKey ephemeral(int algorithm) {
    long address = PkCalls.ephemeral(algorithm);
    if (address < 0) throw Errors.unexpected((int) address);
    return new PkKey(address);
  }

  /** The parameter set of a key of ML-DSA or ML-KEM. */
  MlSet set() {
    return set;
  }

  /** The public key, of so many bytes, of a private one of key agreement. It is computed once. */
  byte[] open(int length) {
    byte[] found = open;
    if (found != null) return found;
    found = new byte[length];
    Errors.check(run(PUBLIC, PkOptions.NONE, found, found, 0, 0));
    return open = found;
  }

  /** The length of this key's signatures, secrets or encrypted texts. */
  int outLength() {
    int length = PkCalls.outLength(address);
    Reference.reachabilityFence(this);
    return length;
  }

  int run(int op, PkOptions o, byte[] out, byte[] in, int at, int len) {
    int result =
        PkCalls.run(
            address, op, o.padding(), o.digest(), o.mgfDigest(), o.saltLength(), o.label(), out, in, at, len);
    Reference.reachabilityFence(this);
    return result;
  }

  long address() {
    return address;
  }

  /** Wipes it. No other thread may use it. */
  void destroy() {
    cleanable.clean();
  }
}
