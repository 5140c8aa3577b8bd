// SPDX-License-Identifier: Apache-2.0
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.security.MessageDigest;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** java Truth MODE SECONDS: one algorithm of the JDK, again and again, for so much CPU time; a line when it is warm. */
public final class Truth {
    private static final byte[] data = new byte[8192];
    private static final byte[] out = new byte[data.length + 16];

    private interface Work {
        void run() throws Exception;
    }

    private static Work cbc() throws Exception {
        Cipher cipher = Cipher.getInstance("AES/CBC/NoPadding");
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"), new IvParameterSpec(new byte[16]));
        return () -> cipher.update(data, 0, data.length, out);
    }

    private static Work gcm() throws Exception {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        long[] count = new long[1];
        byte[] nonce = new byte[12];
        return () -> {
            long n = ++count[0];
            for (int i = 0; i < 8; i++)
                nonce[i] = (byte) (n >> 8 * i);
            cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"), new GCMParameterSpec(128, nonce));
            cipher.doFinal(data, 0, data.length, out);
        };
    }

    private static Work digest(String name) throws Exception {
        MessageDigest digest = MessageDigest.getInstance(name);
        return () -> digest.update(data);
    }

    private static Work work(String mode) throws Exception {
        switch (mode) {
        case "aes-cbc": return cbc();
        case "gcm": return gcm();
        case "sha256": return digest("SHA-256");
        case "sha3": return digest("SHA3-256");
        case "md5": return digest("MD5");
        default: throw new IllegalArgumentException(mode);
        }
    }

    private static void until(Work work, double seconds) throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long end = threads.getCurrentThreadCpuTime() + (long) (seconds * 1e9);
        while (threads.getCurrentThreadCpuTime() < end)
            for (int i = 0; i < 10; i++)
                work.run();
    }

    public static void main(String[] words) throws Exception {
        Work work = work(words[0]);
        until(work, 1); // compiled by now
        System.out.println("warm");
        until(work, Double.parseDouble(words[1]));
    }
}
