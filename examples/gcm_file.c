/* SPDX-License-Identifier: Apache-2.0 */
/* gcm_file seal|open KEYFILE IN OUT: encrypts or decrypts a file by AES-256-GCM.  OUT of `seal` is
 * a random IV of 12 bytes, the ciphertext, and a tag of 16 bytes.  `open` writes nothing unless the
 * tag is right.  A key must not be used for more than 2^32 files, because IVs are random. */
#include <headrace/headrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { KEY = 32, IV = 12, TAG = 16 };

/* read_file returns a file's bytes from malloc, with room for `more` behind them, or NULL. */
static uint8_t *read_file(const char *name, size_t *len, size_t more)
{
    FILE *file = fopen(name, "rb");
    uint8_t *bytes = NULL;
    long end = -1;
    if (file && !fseek(file, 0, SEEK_END) && (end = ftell(file)) >= 0 && !fseek(file, 0, SEEK_SET))
        bytes = malloc((size_t)end + more + 1);
    if (bytes && fread(bytes, 1, (size_t)end, file) != (size_t)end) {
        free(bytes);
        bytes = NULL;
    }
    if (file)
        fclose(file);
    *len = (size_t)end;
    return bytes;
}

static int write_file(const char *name, const uint8_t *bytes, size_t len)
{
    FILE *file = fopen(name, "wb");
    if (!file)
        return 1;
    size_t written = fwrite(bytes, 1, len, file);
    return fclose(file) || written != len;
}

static int seal(uint8_t *bytes, size_t *len, const uint8_t key[KEY])
{
    uint8_t iv[IV];
    if (getrandom(iv, IV, 0) != IV)
        return HR_ESYSTEM;
    memmove(bytes + IV, bytes, *len);
    memcpy(bytes, iv, IV);
    int error = hr_aead_encrypt_once(bytes + IV, bytes + IV + *len, TAG, HR_AES_256_GCM, bytes + IV,
                                     *len, NULL, 0, key, KEY, bytes, IV);
    *len += IV + TAG;
    return error;
}

static int open_sealed(uint8_t *bytes, size_t *len, const uint8_t key[KEY])
{
    if (*len < IV + TAG)
        return HR_ELENGTH;
    *len -= IV + TAG;
    int error = hr_aead_decrypt_once(bytes + IV, bytes + IV + *len, TAG, HR_AES_256_GCM, bytes + IV,
                                     *len, NULL, 0, key, KEY, bytes, IV);
    memmove(bytes, bytes + IV, *len);
    return error;
}

int main(int argc, char **argv)
{
    size_t len, key_len;
    int sealing = argc == 5 && !strcmp(argv[1], "seal");
    if (!sealing && !(argc == 5 && !strcmp(argv[1], "open"))) {
        fprintf(stderr, "usage: gcm_file seal|open KEYFILE IN OUT\n");
        return 2;
    }
    uint8_t *key = read_file(argv[2], &key_len, 0);
    uint8_t *bytes = read_file(argv[3], &len, IV + TAG);
    if (!key || !bytes || key_len != KEY) {
        fputs("gcm_file: no such file, or a key that is not of 32 bytes\n", stderr);
        return 1;
    }
    int error = (sealing ? seal : open_sealed)(bytes, &len, key);
    explicit_bzero(key, KEY);
    if (error)
        fprintf(stderr, "gcm_file: %s\n", hr_strerror(error));
    else if ((error = write_file(argv[4], bytes, len)))
        perror("gcm_file");
    free(key);
    free(bytes);
    return error != 0;
}
