// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.ObjectOutputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Security;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.Mac;
import javax.crypto.spec.OAEPParameterSpec;
import javax.crypto.spec.PSource;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.headrace.jce.HeadraceProvider;

/**
 * Does with keys of the accelerator what the lines of stdin say, each in one line of answer: what came of
 * it, or the exception. Its arguments are the folder of public keys and certificates, and the place of
 * the provider in the list.
 */
class Custody {
  private static Path folder;
  private static KeyStore store;

  public static void main(String[] arguments) throws Exception {
    folder = Path.of(arguments[0]);
    Security.insertProviderAt(new HeadraceProvider(), Integer.parseInt(arguments[1]));
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null; ) {
      String[] words = line.split(" ");
      String answer;
      try {
        answer = answer(words);
      } catch (Exception | LinkageError e) {
        answer = e.getClass().getSimpleName() + ": " + e.getMessage();
      }
      System.out.println(answer.replace('\n', ' '));
    }
  }

  private static String answer(String[] words) throws Exception {
    return switch (words[0]) {
      case "load" -> load(words.length > 1 ? words[1] : null);
      case "entries" -> entries();
      case "secret" -> secret(words[1]);
      case "refuses" -> refuses(words[1]);
      case "sign" -> sign(words[1], words[2], Integer.parseInt(words[3]));
      case "begin" -> begin(words[1], words[2]);
      case "end" -> end();
      case "tls" -> tls(words[1], words[2]);
      case "agree" -> {
        KeyAgreement.getInstance("ECDH").init(key(words[1]));
        yield "agreed";
      }
      case "decapsulate" -> decapsulate(words[1]);
      case "mac" -> mac(words[1], words[2], Integer.parseInt(words[3]));
      case "decrypt" -> decrypt(words[1], words[2]);
      case "many" -> many(words[1], words[2]);
      case "cipher", "crypt", "aad", "iv", "again", "encrypt", "decrypt-by", "hold", "release" -> CustodyCipher.answer(store, words);
      default -> throw new IllegalArgumentException(words[0]);
    };
  }

  private static String load(String file) throws Exception {
    store = KeyStore.getInstance("Headrace");
    try (InputStream in = file == null ? null : new FileInputStream(folder.resolve(file).toFile())) {
      store.load(in, null);
    }
    return store.size() + " keys, " + HeadraceProvider.keyStoreFailure();
  }

  private static String entries() throws Exception {
    TreeMap<String, String> all = new TreeMap<>();
    for (String alias : Collections.list(store.aliases())) {
      Certificate[] chain = store.getCertificateChain(alias);
      boolean isKey = store.isKeyEntry(alias) && !store.isCertificateEntry(alias) && store.containsAlias(alias);
      boolean isFound = chain == null || alias.equals(store.getCertificateAlias(store.getCertificate(alias)));
      all.put(alias, store.getKey(alias, null).getAlgorithm() + "/" + (chain == null ? 0 : chain.length) + (isKey && isFound ? "" : "?"));
    }
    return all.toString();
  }

  private static PrivateKey key(String alias) throws Exception {
    return (PrivateKey) store.getKey(alias, null);
  }

  /** That a key shows nothing. */
  private static String secret(String alias) throws Exception {
    Key key = store.getKey(alias, null);
    if (key.getEncoded() != null || key.getFormat() != null) return "it is shown";
    new ObjectOutputStream(new ByteArrayOutputStream()).writeObject(key);
    return "it is written";
  }

  private static String refuses(String what) throws Exception {
    switch (what) {
      case "delete" -> store.deleteEntry("rsa");
      case "set" -> store.setKeyEntry("rsa", key("rsa"), new char[0], store.getCertificateChain("rsa"));
      case "certificate" -> store.setCertificateEntry("ca", store.getCertificate("rsa"));
      default -> store.store(new ByteArrayOutputStream(), new char[0]);
    }
    return "done";
  }

  // ---- signatures ----

  /** The public key of a file, as the JDK reads it, or as its bytes where it does not know the algorithm. */
  private static PublicKey publicKey(String alias, String algorithm) throws Exception {
    String pem = Files.readString(folder.resolve(alias + ".pub"));
    byte[] der = Base64.getMimeDecoder().decode(pem.replaceAll("-----.*-----", ""));
    try {
      return KeyFactory.getInstance(algorithm).generatePublic(new X509EncodedKeySpec(der));
    } catch (java.security.NoSuchAlgorithmException e) {
      return new PublicKey() {
        @Override
        public String getAlgorithm() {
          return algorithm;
        }

        @Override
        public String getFormat() {
          return "X.509";
        }

        @Override
        public byte[] getEncoded() {
          return der;
        }
      };
    }
  }

  private static Signature signature(String algorithm) throws Exception {
    return Signature.getInstance(algorithm.startsWith("PSS") ? "RSASSA-PSS" : algorithm);
  }

  /** Sets parameters, after the key, by which Java chooses the provider. */
  private static void set(Signature signature, String algorithm) throws Exception {
    if (!algorithm.startsWith("PSS")) return;
    String digest = "SHA-" + algorithm.substring(3);
    int salt = Integer.parseInt(algorithm.substring(3)) / 8;
    signature.setParameter(new PSSParameterSpec(digest, "MGF1", new MGF1ParameterSpec(digest), salt, 1));
  }

  private static String sign(String alias, String algorithm, int len) throws Exception {
    byte[] message = new byte[len];
    Arrays.fill(message, (byte) 7);
    Signature signer = signature(algorithm);
    signer.initSign(key(alias));
    set(signer, algorithm);
    signer.update(message);
    byte[] made = signer.sign();
    Signature verifier = signature(algorithm);
    verifier.initVerify(publicKey(alias, key(alias).getAlgorithm()));
    set(verifier, algorithm);
    verifier.update(message);
    return "by " + signer.getProvider().getName() + ": " + verifier.verify(made);
  }

  private static Signature begun;

  /** Begins a message, which another command ends: meanwhile anything may happen to the key. */
  private static String begin(String alias, String algorithm) throws Exception {
    begun = signature(algorithm);
    begun.initSign(key(alias));
    begun.update(new byte[100]);
    return "begun";
  }

  private static String end() throws Exception {
    return begun.sign().length + " bytes";
  }

  /** Signs in several threads at once. */
  private static String many(String alias, String algorithm) throws Exception {
    List<FutureTask<Integer>> all = new java.util.ArrayList<>();
    for (int i = 0; i < 4; i++) {
      FutureTask<Integer> task =
          new FutureTask<>(
              () -> {
                for (int n = 0; n < 50; n++) sign(alias, algorithm, n);
                return 50;
              });
      all.add(task);
      new Thread(task).start();
    }
    int sum = 0;
    for (FutureTask<Integer> task : all) sum += task.get();
    return sum + " signed";
  }

  // ---- MACs and decryption ----

  /** Makes a decapsulator, by a class that Java has from 21 on. */
  private static String decapsulate(String alias) throws Exception {
    Class<?> kem = Class.forName("javax.crypto.KEM");
    Object made = kem.getMethod("getInstance", String.class, String.class).invoke(null, "ML-KEM", "Headrace");
    try {
      kem.getMethod("newDecapsulator", PrivateKey.class).invoke(made, key(alias));
    } catch (InvocationTargetException e) {
      throw (Exception) e.getCause();
    }
    return "made";
  }

  /** The MAC of zeros, whose first byte and whose rest go different ways. */
  private static String mac(String alias, String algorithm, int len) throws Exception {
    Mac mac = Mac.getInstance(algorithm);
    mac.init(store.getKey(alias, null));
    if (len == 0) return HexFormat.of().formatHex(mac.doFinal());
    mac.update((byte) 0);
    Mac copy = (Mac) mac.clone();
    mac.update(new byte[9]);
    mac.reset();
    mac.update(ByteBuffer.allocateDirect(len - 1));
    mac.update((byte) 0);
    byte[] first = mac.doFinal();
    copy.update(new byte[len - 1]);
    if (!Arrays.equals(first, copy.doFinal())) return "the copy has another";
    return HexFormat.of().formatHex(first);
  }

  private static String decrypt(String alias, String padding) throws Exception {
    Cipher theirs = Cipher.getInstance("RSA/ECB/" + padding, "SunJCE");
    OAEPParameterSpec params =
        padding.startsWith("OAEP")
            ? new OAEPParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, PSource.PSpecified.DEFAULT)
            : null;
    theirs.init(Cipher.ENCRYPT_MODE, publicKey(alias, "RSA"), params);
    byte[] sealed = theirs.doFinal("a secret".getBytes());
    Cipher ours = Cipher.getInstance("RSA/ECB/" + padding);
    ours.init(Cipher.DECRYPT_MODE, store.getKey(alias, null), params);
    return "by " + ours.getProvider().getName() + ": " + new String(ours.doFinal(sealed));
  }

  // ---- TLS ----

  private static SSLContext context(String managers) throws Exception {
    KeyManagerFactory made = KeyManagerFactory.getInstance(managers);
    made.init(store, null);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    try (InputStream in = new FileInputStream(folder.resolve("ca.crt").toFile())) {
      trusted.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(made.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  /** A handshake that server and client sign with the only key that has a certificate, and a byte each way. */
  private static String tls(String version, String managers) throws Exception {
    SSLContext context = context(managers);
    try (SSLServerSocket listener =
        (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      listener.setNeedClientAuth(true);
      FutureTask<String> server =
          new FutureTask<>(
              () -> {
                try (SSLSocket peer = (SSLSocket) listener.accept()) {
                  int got = peer.getInputStream().read();
                  peer.getOutputStream().write(got + 1);
                  return ((X509Certificate) peer.getSession().getPeerCertificates()[0]).getPublicKey().getAlgorithm();
                }
              });
      new Thread(server).start();
      try (SSLSocket client =
          (SSLSocket) context.getSocketFactory().createSocket(listener.getInetAddress(), listener.getLocalPort())) {
        client.setEnabledProtocols(new String[] {version});
        client.getOutputStream().write(4);
        int got = client.getInputStream().read();
        X509Certificate of = (X509Certificate) client.getSession().getPeerCertificates()[0];
        return client.getSession().getProtocol() + " " + of.getPublicKey().getAlgorithm() + " " + server.get() + " " + got;
      }
    }
  }
}
