// SPDX-License-Identifier: Apache-2.0
/** Headrace as a provider of Java's cryptography. */
module org.headrace.jce {
  requires static java.management; // of Calibrate only

  exports org.headrace.jce;

  provides java.security.Provider with
      org.headrace.jce.HeadraceProvider;
}
