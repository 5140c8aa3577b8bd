// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;

/**
 * A key and the state of a message, in memory outside Java's heap. It is wiped when this object is no
 * longer used, or by {@link #destroy}.
 *
 * <p>Its methods are those of {@link Calls}, and keep it reachable until a call has returned: an Spi
 * whose last use is a call may be collected while that runs.
 */
class NativeObject {
  static final Cleaner CLEANER = Cleaner.create();

  private record Memory(long address) implements Runnable {
    @Override
    public void run() {
      Calls.free(address);
    }
  }

  private final long address;
  private final Cleaner.Cleanable cleanable;

  NativeObject(long address) {
    if (address == 0) throw new OutOfMemoryError("memory of a key");
    this.address = address;
    cleanable = CLEANER.register(this, new Memory(address));
  }

  NativeObject(int algorithm) {
    this(Calls.make(algorithm));
  }

  final long address() {
    return address;
  }

  /** Whether the key is that of before. */
  boolean setKey(byte[] key) {
    int result = Calls.setKey(address, key, key.length);
    Reference.reachabilityFence(this);
    return Errors.check(result) == 1;
  }

  /** The same with a key that was sealed. */
  void setSealed(byte[] sealed, long number) {
    int result = Calls.setSealed(address, sealed, sealed.length, number);
    Reference.reachabilityFence(this);
    Errors.check(result);
  }

  int start(int op, byte[] iv, int ivLen, int extra) {
    int result = Calls.start(address, op, iv, ivLen, extra);
    Reference.reachabilityFence(this);
    return result;
  }

  int aad(byte[] aad, long at, int len) {
    int result = Calls.aad(address, aad, at, len);
    Reference.reachabilityFence(this);
    return result;
  }

  int lengths(long aadLen, long len) {
    int result = Calls.lengths(address, aadLen, len);
    Reference.reachabilityFence(this);
    return result;
  }

  int update(byte[] out, long outAt, int room, byte[] in, long inAt, int len) {
    int result = Calls.update(address, out, outAt, room, in, inAt, len);
    Reference.reachabilityFence(this);
    return result;
  }

  int finish(byte[] out, long outAt, int room) {
    int result = Calls.finish(address, out, outAt, room);
    Reference.reachabilityFence(this);
    return result;
  }

  int macMany(long in, long lengths, int num, long out) {
    int result = ManyCalls.mac(address, in, lengths, num, out);
    Reference.reachabilityFence(this);
    return result;
  }

  int once(
      int op, byte[] iv, int ivLen, int extra, byte[] aad, int aadLen,
      byte[] out, long outAt, int room, byte[] in, long inAt, int len) {
    int result =
        Calls.once(address, op, iv, ivLen, extra, aad, aadLen, out, outAt, room, in, inAt, len);
    Reference.reachabilityFence(this);
    return result;
  }

  NativeObject copy() {
    long made = Calls.copy(address);
    Reference.reachabilityFence(this);
    return new NativeObject(made);
  }

  /** Wipes and frees it; it must not be used afterwards. */
  void destroy() {
    cleanable.clean();
  }
}
