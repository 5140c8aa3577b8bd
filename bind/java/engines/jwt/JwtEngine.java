// SPDX-License-Identifier: Apache-2.0
import com.nimbusds.jose.EncryptionMethod;
import com.nimbusds.jose.JWEAlgorithm;
import com.nimbusds.jose.JWEHeader;
import com.nimbusds.jose.JWEObject;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.AESDecrypter;
import com.nimbusds.jose.crypto.AESEncrypter;
import com.nimbusds.jose.crypto.DirectDecrypter;
import com.nimbusds.jose.crypto.DirectEncrypter;
import com.nimbusds.jose.crypto.ECDHDecrypter;
import com.nimbusds.jose.crypto.ECDHEncrypter;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.crypto.RSADecrypter;
import com.nimbusds.jose.crypto.RSAEncrypter;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import io.jsonwebtoken.Claims;
import io.jsonwebtoken.Jwts;
import io.jsonwebtoken.security.AeadAlgorithm;
import java.io.InputStream;
import java.nio.file.Files;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** A service of tokens: signs, verifies, encrypts and decrypts them with Nimbus and with jjwt. */
final class JwtEngine {
  private static KeyStore store;

  private JwtEngine() {}

  public static void main(String[] args) throws Exception {
    store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(Engine.KEYS)) {
      store.load(in, Engine.PASSWORD.toCharArray());
    }
    for (String alg : new String[] {"HS256", "HS512", "RS256", "PS256", "ES256", "EdDSA"}) jws(alg);
    for (String enc : new String[] {"A128GCM", "A256GCM", "A128CBC-HS256", "A256CBC-HS512"}) jwe(enc);
    wrapped();
    Engine.end();
  }

  private static PrivateKey privateKey(String name) throws Exception {
    return (PrivateKey) store.getKey(name, Engine.PASSWORD.toCharArray());
  }

  private static PublicKey publicKey(String name) throws Exception {
    return store.getCertificate(name).getPublicKey();
  }

  private static String claims(int i) {
    return "{\"sub\":\"user" + i + "\",\"iss\":\"https://issuer.example\",\"aud\":\"api\",\"scope\":\"read write\"}";
  }

  /** A token that is signed with and without the tail of its signature changed. */
  private static void check(JWSVerifier verifier, String token, int i) throws Exception {
    JWSObject parsed = JWSObject.parse(token);
    Engine.require(parsed.verify(verifier), "a token verifies");
    Engine.result(parsed.getPayload().toString());
    if (i % 50 != 0) return;
    int at = token.lastIndexOf('.') + 5;
    char other = token.charAt(at) == 'A' ? 'B' : 'A';
    String forged = token.substring(0, at) + other + token.substring(at + 1);
    Engine.require(!JWSObject.parse(forged).verify(verifier), "a forged token does not verify");
  }

  private static void jws(String alg) throws Exception {
    if (alg.equals("EdDSA")) {
      edDsa();
      return;
    }
    JWSSigner signer;
    JWSVerifier verifier;
    int count = 200;
    if (alg.startsWith("HS")) {
      byte[] key = Engine.bytes(64, 1);
      signer = new MACSigner(key);
      verifier = new MACVerifier(key);
      count = 60_000;
    } else if (alg.startsWith("ES")) {
      signer = new ECDSASigner((ECPrivateKey) privateKey("ec"));
      verifier = new ECDSAVerifier((ECPublicKey) publicKey("ec"));
      count = 500;
    } else {
      signer = new RSASSASigner(privateKey("rsa"));
      verifier = new RSASSAVerifier((RSAPublicKey) publicKey("rsa"));
    }
    int tokens = Engine.times(count);
    boolean repeats = !alg.startsWith("ES") && !alg.startsWith("PS"); // those two are random
    Engine.timed(
        "nimbus-" + alg,
        true,
        () -> {
          for (int i = 0; i < tokens; i++) {
            JWSObject jws = new JWSObject(new JWSHeader(new JWSAlgorithm(alg)), new Payload(claims(i)));
            jws.sign(signer);
            String token = jws.serialize();
            if (repeats) Engine.result(token);
            check(verifier, token, i);
          }
        });
  }

  /** Nimbus takes Ed25519 from Tink, which is not JCE's; jjwt takes it from the providers. */
  private static void edDsa() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
    KeyPair pair = generator.generateKeyPair();
    int tokens = Engine.times(300);
    Engine.timed(
        "jjwt-EdDSA",
        true,
        () -> {
          for (int i = 0; i < tokens; i++) {
            String token = Jwts.builder().subject("user" + i).signWith(pair.getPrivate()).compact();
            Claims read =
                Jwts.parser().verifyWith(pair.getPublic()).build().parseSignedClaims(token).getPayload();
            Engine.result(read.getSubject());
          }
        });
  }

  private static void jwe(String enc) throws Exception {
    EncryptionMethod method = EncryptionMethod.parse(enc);
    byte[] key = Engine.bytes(method.cekBitLength() / 8, 2);
    DirectEncrypter encrypter = new DirectEncrypter(key);
    DirectDecrypter decrypter = new DirectDecrypter(key);
    int tokens = Engine.times(20_000);
    Engine.timed(
        "nimbus-" + enc,
        true,
        () -> {
          for (int i = 0; i < tokens; i++) {
            JWEObject jwe = new JWEObject(new JWEHeader(JWEAlgorithm.DIR, method), new Payload(claims(i)));
            jwe.encrypt(encrypter);
            JWEObject read = JWEObject.parse(jwe.serialize());
            read.decrypt(decrypter);
            Engine.result(read.getPayload().toString());
          }
        });
    SecretKey secret = new SecretKeySpec(key, "AES");
    AeadAlgorithm aead = Jwts.ENC.get().forKey(enc);
    int few = Engine.times(5_000);
    Engine.timed(
        "jjwt-" + enc,
        true,
        () -> {
          for (int i = 0; i < few; i++) {
            String token = Jwts.builder().subject("user" + i).encryptWith(secret, aead).compact();
            Claims read = Jwts.parser().decryptWith(secret).build().parseEncryptedClaims(token).getPayload();
            Engine.result(read.getSubject());
          }
        });
  }

  /** Keys that are wrapped: by AES, by RSA-OAEP, and agreed on by ECDH. */
  private static void wrapped() throws Exception {
    Key rsa = privateKey("rsa");
    ECPublicKey ec = (ECPublicKey) publicKey("ec");
    SecretKey kek = new SecretKeySpec(Engine.bytes(16, 3), "AES");
    Object[][] cases = {
      {JWEAlgorithm.A128KW, new AESEncrypter(kek), new AESDecrypter(kek)},
      {JWEAlgorithm.A128GCMKW, new AESEncrypter(kek), new AESDecrypter(kek)},
      {
        JWEAlgorithm.RSA_OAEP_256,
        new RSAEncrypter((RSAPublicKey) publicKey("rsa")),
        new RSADecrypter((PrivateKey) rsa)
      },
      {JWEAlgorithm.ECDH_ES, new ECDHEncrypter(ec), new ECDHDecrypter((ECPrivateKey) privateKey("ec"))},
    };
    int tokens = Engine.times(200);
    for (Object[] c : cases)
      Engine.timed(
          "nimbus-" + c[0],
          true,
          () -> {
            for (int i = 0; i < tokens; i++) {
              JWEHeader header = new JWEHeader((JWEAlgorithm) c[0], EncryptionMethod.A128GCM);
              JWEObject jwe = new JWEObject(header, new Payload(claims(i)));
              jwe.encrypt((com.nimbusds.jose.JWEEncrypter) c[1]);
              JWEObject read = JWEObject.parse(jwe.serialize());
              read.decrypt((com.nimbusds.jose.JWEDecrypter) c[2]);
              Engine.result(read.getPayload().toString());
            }
          });
  }
}
