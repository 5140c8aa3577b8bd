// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.lang.ref.Reference;
import java.security.ProviderException;

/**
 * The state of a message whose key stays in the accelerator's service. What the service refuses is a
 * ProviderException; other results are those of {@link NativeObject}.
 */
final class NamedObject extends NativeObject {
  private final NamedSecret secret;
  private final PkKey key;

  /** Makes an object for a key that the secret has opened. */
  NamedObject(NamedSecret secret, PkKey key) {
    this(secret, key, NamedCalls.make(key.address()));
  }

  private NamedObject(NamedSecret secret, PkKey key, long address) {
    super(address);
    this.secret = secret;
    this.key = key;
  }

  boolean isOf(PkKey other) {
    return key == other;
  }

  private int done(int result) {
    Reference.reachabilityFence(this);
    switch (result) {
      case Errors.EHANDLE -> secret.forget(key);
      case Errors.EGONE, Errors.EACCESS, Errors.ESYSTEM -> {}
      default -> {
        return result;
      }
    }
    throw new ProviderException(secret.problem(result));
  }

  @Override
  int start(int op, byte[] iv, int ivLen, int extra) {
    return done(NamedCalls.start(address(), op, iv, ivLen, extra));
  }

  @Override
  int update(byte[] out, long outAt, int room, byte[] in, long inAt, int len) {
    return done(NamedCalls.update(address(), out, outAt, room, in, inAt, len));
  }

  @Override
  int finish(byte[] out, long outAt, int room) {
    return done(NamedCalls.finish(address(), out, outAt, room));
  }

  @Override
  int once(
      int op, byte[] iv, int ivLen, int extra, byte[] aad, int aadLen,
      byte[] out, long outAt, int room, byte[] in, long inAt, int len) {
    return done(
        NamedCalls.once(address(), op, iv, ivLen, extra, aad, aadLen, out, outAt, room, in, inAt, len));
  }

  @Override
  NativeObject copy() {
    long made = Calls.copy(address());
    Reference.reachabilityFence(this);
    return new NamedObject(secret, key, made);
  }
}
