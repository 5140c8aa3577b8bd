// SPDX-License-Identifier: Apache-2.0
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import io.jsonwebtoken.Jwts;
import java.io.FileInputStream;
import java.io.InputStream;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Security;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import org.headrace.jce.HeadraceProvider;

/** Tokens that keys of the accelerator sign, by two libraries. Its argument is a file of certificates. */
class Jwt {
  private static KeyStore store;

  public static void main(String[] arguments) throws Exception {
    // Nimbus sets the parameters of PSS before the key, and Java then takes the first provider.
    Security.insertProviderAt(new HeadraceProvider(), 1);
    store = KeyStore.getInstance("Headrace");
    try (InputStream in = new FileInputStream(arguments[0])) {
      store.load(in, null);
    }
    RSAPublicKey rsa = (RSAPublicKey) publicKey("rsa");
    for (String name : new String[] {"RS256", "PS256"})
      nimbus(name, new RSASSASigner(privateKey("rsa")), new RSASSAVerifier(rsa));
    ECPublicKey ec = (ECPublicKey) publicKey("p256");
    nimbus("ES256", new ECDSASigner(privateKey("p256"), Curve.P_256), new ECDSAVerifier(ec));
    jjwt("rsa", Jwts.SIG.RS256);
    jjwt("rsa", Jwts.SIG.PS384);
    jjwt("p384", Jwts.SIG.ES384);
    System.out.println("all verify");
  }

  private static PrivateKey privateKey(String name) throws Exception {
    return (PrivateKey) store.getKey(name, null);
  }

  private static PublicKey publicKey(String name) throws Exception {
    return store.getCertificate(name).getPublicKey();
  }

  private static void nimbus(String name, JWSSigner signer, JWSVerifier verifier) throws Exception {
    JWSObject token = new JWSObject(new JWSHeader(new JWSAlgorithm(name)), new Payload("{\"sub\":\"user\"}"));
    token.sign(signer);
    if (!JWSObject.parse(token.serialize()).verify(verifier)) throw new IllegalStateException("Nimbus " + name);
  }

  private static void jjwt(String key, io.jsonwebtoken.security.SignatureAlgorithm algorithm) throws Exception {
    String token = Jwts.builder().subject("user").signWith(privateKey(key), algorithm).compact();
    String subject =
        Jwts.parser().verifyWith(publicKey(key)).build().parseSignedClaims(token).getPayload().getSubject();
    if (!subject.equals("user")) throw new IllegalStateException("jjwt " + key);
  }
}
