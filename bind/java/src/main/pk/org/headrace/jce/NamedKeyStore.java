// SPDX-License-Identifier: Apache-2.0
package org.headrace.jce;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.KeyStoreSpi;
import java.security.PrivateKey;
import java.security.UnrecoverableEntryException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.Date;
import java.util.Enumeration;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.SecretKey;

/**
 * The keys of the accelerator's service as a key store, which nothing is written to. What it is
 * loaded from is a file of certificates in PEM: each key has the chain for its public key. Without a
 * service it is empty.
 */
final class NamedKeyStore extends KeyStoreSpi {
  /** The file of certificates for a store that is loaded from none. */
  private static final String CERTIFICATES = "headrace.certificates";

  private static volatile String problem;

  private record Entry(Key key, X509Certificate[] chain) {}

  private Map<String, Entry> entries = Map.of();
  private Date loaded = new Date();

  /** Why the store that was loaded last has no keys; null if the service gave a list. */
  static String problem() {
    return problem;
  }

  @Override
  public void engineLoad(InputStream stream, char[] password) throws IOException, CertificateException {
    Certificates certificates = stream == null ? configured() : new Certificates(stream);
    Map<String, Entry> found = new TreeMap<>();
    for (Map.Entry<String, Key> e : keys().entrySet()) {
      boolean isPrivate = e.getValue() instanceof NamedKey;
      X509Certificate[] chain = isPrivate ? certificates.chain(((NamedKey) e.getValue()).spki()) : null;
      found.put(e.getKey(), new Entry(e.getValue(), chain));
    }
    entries = found;
    loaded = new Date();
  }

  private static Certificates configured() throws IOException, CertificateException {
    String path = System.getProperty(CERTIFICATES);
    if (path == null) return new Certificates();
    try (InputStream in = new FileInputStream(path)) {
      return new Certificates(in);
    }
  }

  private static Map<String, Key> keys() {
    Throwable failure = HeadraceProvider.failure();
    problem = failure == null ? null : "the provider's library cannot be used: " + failure;
    if (failure != null) return Map.of();
    try {
      return NamedKeys.list();
    } catch (InvalidKeyException e) {
      problem = e.getMessage();
      return Map.of();
    }
  }

  @Override
  public Key engineGetKey(String alias, char[] password) {
    Entry entry = entries.get(alias);
    return entry == null ? null : entry.key();
  }

  @Override
  public Certificate[] engineGetCertificateChain(String alias) {
    Entry entry = entries.get(alias);
    return entry == null || entry.chain() == null ? null : entry.chain().clone();
  }

  @Override
  public Certificate engineGetCertificate(String alias) {
    Entry entry = entries.get(alias);
    return entry == null || entry.chain() == null ? null : entry.chain()[0];
  }

  @Override
  public KeyStore.Entry engineGetEntry(String alias, KeyStore.ProtectionParameter protection)
      throws UnrecoverableEntryException {
    Entry entry = entries.get(alias);
    if (entry == null) return null;
    if (entry.key() instanceof SecretKey secret) return new KeyStore.SecretKeyEntry(secret);
    if (entry.chain() == null) throw new UnrecoverableEntryException("there is no certificate for " + alias);
    return new KeyStore.PrivateKeyEntry((PrivateKey) entry.key(), entry.chain());
  }

  @Override
  public boolean engineEntryInstanceOf(String alias, Class<? extends KeyStore.Entry> kind) {
    Entry entry = entries.get(alias);
    if (entry == null) return false;
    return kind == (entry.key() instanceof SecretKey ? KeyStore.SecretKeyEntry.class : KeyStore.PrivateKeyEntry.class);
  }

  @Override
  public String engineGetCertificateAlias(Certificate certificate) {
    for (Map.Entry<String, Entry> e : entries.entrySet()) {
      X509Certificate[] chain = e.getValue().chain();
      if (chain != null && chain[0].equals(certificate)) return e.getKey();
    }
    return null;
  }

  @Override
  public Date engineGetCreationDate(String alias) {
    return entries.containsKey(alias) ? (Date) loaded.clone() : null;
  }

  @Override
  public Enumeration<String> engineAliases() {
    return Collections.enumeration(entries.keySet());
  }

  @Override
  public boolean engineContainsAlias(String alias) {
    return entries.containsKey(alias);
  }

  @Override
  public int engineSize() {
    return entries.size();
  }

  @Override
  public boolean engineIsKeyEntry(String alias) {
    return entries.containsKey(alias);
  }

  @Override
  public boolean engineIsCertificateEntry(String alias) {
    return false;
  }

  // ---- what a program may not do ----

  private static final String READ_ONLY = "the accelerator's keys are made by headrace accel key";

  @Override
  public void engineSetKeyEntry(String alias, Key key, char[] password, Certificate[] chain)
      throws KeyStoreException {
    throw new KeyStoreException(READ_ONLY);
  }

  @Override
  public void engineSetKeyEntry(String alias, byte[] key, Certificate[] chain) throws KeyStoreException {
    throw new KeyStoreException(READ_ONLY);
  }

  @Override
  public void engineSetCertificateEntry(String alias, Certificate certificate) throws KeyStoreException {
    throw new KeyStoreException(READ_ONLY);
  }

  @Override
  public void engineDeleteEntry(String alias) throws KeyStoreException {
    throw new KeyStoreException(READ_ONLY);
  }

  /** Only an IOException or an unchecked one can be thrown here. */
  @Override
  public void engineStore(OutputStream stream, char[] password) throws IOException {
    throw new IOException(READ_ONLY, new KeyStoreException(READ_ONLY));
  }
}
