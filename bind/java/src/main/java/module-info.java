// SPDX-License-Identifier: Apache-2.0
/** Headrace as a provider of Java's cryptography. */
module org.headrace.jce {
  exports org.headrace.jce;

  provides java.security.Provider with
      org.headrace.jce.HeadraceProvider;
}
