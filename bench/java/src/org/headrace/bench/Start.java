// SPDX-License-Identifier: Apache-2.0
package org.headrace.bench;

import java.security.MessageDigest;
import java.security.Provider;
import java.security.Security;

/** A program that computes one digest, with a provider before the JDK's: how long it takes to start. */
public final class Start {
  private Start() {}

  /**
   * Computes it.
   *
   * @param args the provider
   */
  public static void main(String[] args) throws Exception {
    Provider provider = Providers.of(args[0]);
    if (provider != null) Security.insertProviderAt(provider, 1);
    if (MessageDigest.getInstance("SHA-256").digest(new byte[16]).length != 32) System.exit(1);
  }
}
