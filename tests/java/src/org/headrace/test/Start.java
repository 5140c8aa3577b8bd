// SPDX-License-Identifier: Apache-2.0
package org.headrace.test;

import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.Security;
import java.security.Signature;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.Mac;

/**
 * A program that uses some services, as start_test.py starts it, and prints which providers serve them. It knows
 * Headrace's class by its name only, which is the argument where it shall install it.
 */
final class Start {
  private Start() {}

  /** Installs the provider if a class is named, and prints what there is. */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 0)
      Security.insertProviderAt((Provider) Class.forName(arguments[0]).getDeclaredConstructor().newInstance(), 1);
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    System.out.println("sum " + HexFormat.of().formatHex(digest.digest("abc".getBytes())));
    System.out.println("MessageDigest " + digest.getProvider().getName());
    System.out.println("Mac " + Mac.getInstance("HmacSHA256").getProvider().getName());
    System.out.println("Cipher " + Cipher.getInstance("AES/GCM/NoPadding").getProvider().getName());
    System.out.println("Signature " + Signature.getInstance("SHA256withRSA").getProvider().getName());
    System.out.println("KeyPairGenerator " + KeyPairGenerator.getInstance("EC").getProvider().getName());
    Provider headrace = Security.getProvider("Headrace");
    if (headrace == null) return;
    System.out.println("module " + headrace.getClass().getModule().getName());
    System.out.println("failure " + headrace.getClass().getMethod("failure").invoke(null));
  }
}
