// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Certificates of a file, and the chains for public keys that can be made of them. */
final class Certificates {
  private static final int MOST_BYTES = 1 << 20;
  private static final int LONGEST = 10; // of chains

  private final List<X509Certificate> all = new ArrayList<>();

  /** No certificates. */
  Certificates() {}

  /** Those of a file in PEM, in any order. */
  Certificates(InputStream in) throws IOException, CertificateException {
    byte[] bytes = in.readNBytes(MOST_BYTES + 1);
    if (bytes.length > MOST_BYTES) throw new IOException("more than " + MOST_BYTES + " bytes of certificates");
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509", "SUN");
      for (Certificate c : factory.generateCertificates(new ByteArrayInputStream(bytes)))
        all.add((X509Certificate) c);
    } catch (CertificateException e) {
      throw e;
    } catch (GeneralSecurityException e) {
      throw new CertificateException(e);
    }
  }

  /**
   * The chain of the certificate for a public key, of several the one that is valid longest; null if
   * there is none.
   */
  X509Certificate[] chain(byte[] spki) {
    X509Certificate own =
        all.stream()
            .filter(c -> Arrays.equals(spki, c.getPublicKey().getEncoded()))
            .max(Comparator.comparing(X509Certificate::getNotAfter))
            .orElse(null);
    if (own == null) return null;
    List<X509Certificate> chain = new ArrayList<>();
    for (X509Certificate c = own; c != null && chain.size() < LONGEST; c = issuer(c)) chain.add(c);
    return chain.toArray(new X509Certificate[0]);
  }

  private X509Certificate issuer(X509Certificate of) {
    if (of.getIssuerX500Principal().equals(of.getSubjectX500Principal())) return null;
    for (X509Certificate c : all)
      if (c.getSubjectX500Principal().equals(of.getIssuerX500Principal()) && signed(c, of)) return c;
    return null;
  }

  private static boolean signed(X509Certificate issuer, X509Certificate c) {
    try {
      c.verify(issuer.getPublicKey());
      return true;
    } catch (GeneralSecurityException e) {
      return false;
    }
  }
}
