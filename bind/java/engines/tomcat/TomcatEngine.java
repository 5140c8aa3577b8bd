// SPDX-License-Identifier: Apache-2.0
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.KeyStore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;

/**
 * Tomcat with TLS by JSSE, and a client in the same process: small answers over connections that stay,
 * large answers, and full handshakes with a certificate of P-256 and one of RSA-2048.
 */
final class TomcatEngine {
  private static final byte[] PAGE = Engine.bytes(4 << 20, 1);

  private static int port;
  private static TrustManagerFactory trust;

  private TomcatEngine() {}

  /** Answers with as many bytes as the request names. */
  private static final class Page extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
      int length = Integer.parseInt(request.getParameter("bytes"));
      response.setContentLength(length);
      try (OutputStream out = response.getOutputStream()) {
        out.write(PAGE, 0, length);
      }
    }
  }

  private static SSLHostConfigCertificate certificate(SSLHostConfig host, String alias) {
    SSLHostConfigCertificate c =
        new SSLHostConfigCertificate(
            host,
            alias.equals("ec") ? SSLHostConfigCertificate.Type.EC : SSLHostConfigCertificate.Type.RSA);
    c.setCertificateKeystoreFile(Engine.KEYS.toString());
    c.setCertificateKeystorePassword(Engine.PASSWORD);
    c.setCertificateKeystoreType("PKCS12");
    c.setCertificateKeyAlias(alias);
    return c;
  }

  private static Tomcat start() throws Exception {
    java.util.logging.LogManager.getLogManager().reset();
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(Engine.WORK.toString());
    Connector connector = new Connector();
    connector.setPort(0);
    connector.setSecure(true);
    connector.setScheme("https");
    connector.setProperty("SSLEnabled", "true");
    connector.setProperty("address", "127.0.0.1");
    connector.setProperty("maxKeepAliveRequests", "-1");
    connector.setProperty("sslImplementationName", "org.apache.tomcat.util.net.jsse.JSSEImplementation");
    SSLHostConfig host = new SSLHostConfig();
    host.addCertificate(certificate(host, "ec"));
    host.addCertificate(certificate(host, "rsa"));
    connector.addSslHostConfig(host);
    tomcat.setConnector(connector);
    Tomcat.addServlet(tomcat.addContext("", null), "page", new Page()).addMapping("/");
    tomcat.start();
    port = connector.getLocalPort();
    return tomcat;
  }

  /** Connects by a full handshake: a context of its own has no session to resume. */
  private static SSLSocket connect(String protocol, String suite) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    SSLSocket s = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port);
    s.setEnabledProtocols(new String[] {protocol});
    s.setEnabledCipherSuites(new String[] {suite});
    s.startHandshake();
    return s;
  }

  private static void get(SSLSocket s, int length) throws IOException {
    String request = "GET /?bytes=" + length + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    s.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    InputStream in = s.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) head.append((char) in.read());
    Engine.require(head.toString().startsWith("HTTP/1.1 200"), head.toString());
    byte[] body = in.readNBytes(length);
    Engine.require(body.length == length, "the answer is whole");
    Engine.result(body);
  }

  private static void answers(String protocol, String suite, int count, int length) throws Exception {
    try (SSLSocket s = connect(protocol, suite)) {
      Engine.result(s.getSession().getCipherSuite());
      for (int i = 0; i < count; i++) get(s, length);
    }
  }

  private static void handshakes(String protocol, String suite, int count) throws Exception {
    for (int i = 0; i < count; i++)
      try (SSLSocket s = connect(protocol, suite)) {
        SSLSession session = s.getSession();
        Engine.result(session.getPeerCertificates()[0].getPublicKey().getAlgorithm() + session.getCipherSuite());
        get(s, 100);
      }
  }

  /** Each name, protocol and suite. In TLS 1.3 the server prefers its certificate of P-256. */
  private static final String[][] TLS = {
    {"tls13-aes128", "TLSv1.3", "TLS_AES_128_GCM_SHA256"},
    {"tls13-aes256", "TLSv1.3", "TLS_AES_256_GCM_SHA384"},
    {"tls13-chacha", "TLSv1.3", "TLS_CHACHA20_POLY1305_SHA256"},
    {"tls12-rsa-gcm", "TLSv1.2", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"},
    {"tls12-ec-cbc", "TLSv1.2", "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256"},
  };

  public static void main(String[] args) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(Engine.KEYS)) {
      store.load(in, Engine.PASSWORD.toCharArray());
    }
    trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(store);
    Tomcat tomcat = start();
    int small = Engine.times(3_000);
    int large = Engine.times(25);
    int handshakes = Engine.times(150);
    for (String[] t : TLS) {
      Engine.timed(t[0] + "-handshakes", true, () -> handshakes(t[1], t[2], handshakes));
      Engine.timed(t[0] + "-small", true, () -> answers(t[1], t[2], small, 200));
      Engine.timed(t[0] + "-large", true, () -> answers(t[1], t[2], large, PAGE.length));
    }
    tomcat.stop();
    tomcat.destroy();
    Engine.end();
  }
}
