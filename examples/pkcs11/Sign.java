// SPDX-License-Identifier: Apache-2.0
// java Sign.java CONFIGURATION ALIAS FILE: signs a file with an EC key of the token, and encrypts it by AES-GCM under a key of
// the session; both in the PKCS#11 module.  Asks for the PIN.
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.Security;
import java.security.Signature;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.spec.GCMParameterSpec;

public class Sign {
    public static void main(String[] words) throws Exception {
        Provider module = Security.getProvider("SunPKCS11").configure(words[0]);
        byte[] text = Files.readAllBytes(Path.of(words[2]));

        char[] pin = System.console().readPassword("PIN: ");
        KeyStore token = KeyStore.getInstance("PKCS11", module);
        token.load(null, pin);
        Signature signature = Signature.getInstance("SHA256withECDSA", module);
        signature.initSign((PrivateKey) token.getKey(words[1], null));
        signature.update(text);
        byte[] signed = signature.sign();
        System.out.println("signature " + Base64.getEncoder().encodeToString(signed));

        Signature verify = Signature.getInstance("SHA256withECDSA"); // Java's own
        verify.initVerify(token.getCertificate(words[1]));
        verify.update(text);
        System.out.println(verify.verify(signed) ? "verified" : "WRONG");

        KeyGenerator generator = KeyGenerator.getInstance("AES", module);
        generator.init(128);
        Cipher gcm = Cipher.getInstance("AES/GCM/NoPadding", module);
        byte[] iv = new byte[12];
        new SecureRandom().nextBytes(iv);
        gcm.init(Cipher.ENCRYPT_MODE, generator.generateKey(), new GCMParameterSpec(128, iv));
        System.out.println("encrypted " + gcm.doFinal(text).length + " bytes");
    }
}
