/* SPDX-License-Identifier: Apache-2.0 */
/* Work of known size, for counts of instructions, on the kernels that the CPU chooses.
 * work            every row's every operation, on each a line of the result's first bytes
 * work ROW OP N   one call: a message of N bytes, or N iterations of PBKDF2 for one block */
#include "internal.h"
#include "test.h"
#include <headrace/algorithms.h>
#include <headrace/queue.h>

enum { MOST = 65536 };
static uint8_t message[MOST], out[MOST + HR_DIGEST_MAX_OUT];
static const uint8_t iv[16] = "an initial value";

static void must(int error)
{
    if (error)
        complain("%s", hr_strerror(error));
}

static size_t digest_it(const struct hr_algorithm *row, enum hr_op op, size_t n)
{
    must(hr_digest(out, row->alg, message, n));
    return row->out_len;
}

static size_t mac_it(const struct hr_algorithm *row, enum hr_op op, size_t n)
{
    struct hr_hmac_key key;
    if (op == HR_OP_ITERATE) {
        must(hr_pbkdf2(out, row->out_len, row->alg, "password", 8, "salt", 4, n));
        return row->out_len;
    }
    must(hr_hmac_key_init(&key, row->alg, "key", 3));
    must(hr_hmac(out, message, n, &key));
    return row->out_len;
}

static size_t cipher_it(const struct hr_algorithm *row, enum hr_op op, size_t n)
{
    struct hr_cipher_key key;
    must(hr_cipher_key_init(&key, row->alg, message, row->key_len));
    must((op == HR_OP_ENCRYPT ? hr_cipher_encrypt : hr_cipher_decrypt)(out, message, n, &key, iv,
                                                                       row->iv_len));
    return n;
}

/* aead_it encrypts, or decrypts random bytes. It decrypts in a stream, which writes the text
 * although the tag is wrong. */
static size_t aead_it(const struct hr_algorithm *row, enum hr_op op, size_t n)
{
    struct hr_aead_key key;
    struct hr_aead_ctx ctx;
    must(hr_aead_key_init(&key, row->alg, message, row->key_len));
    if (op == HR_OP_ENCRYPT) {
        must(hr_aead_encrypt(out, out + n, 16, message, n, NULL, 0, &key, iv, 12));
        return n + 16;
    }
    must(hr_aead_init(&ctx, &key, op, iv, 12));
    must(hr_aead_lengths(&ctx, 0, n, 16));
    must(hr_aead_update(&ctx, out, message, n));
    if (hr_aead_verify(&ctx, message, 16) != HR_EMAC)
        complain("what nobody made is no forgery");
    return n;
}

static size_t nmac_it(const struct hr_algorithm *row, enum hr_op op, size_t n)
{
    struct hr_nmac_key key;
    must(hr_nmac_key_init(&key, row->alg, message, row->key_len));
    must(hr_nmac(out, message, n, &key, iv, row->iv_len));
    return row->out_len;
}

static size_t xts_it(const struct hr_algorithm *row, enum hr_op op, size_t n)
{
    struct hr_xts_key key;
    must(hr_xts_key_init(&key, row->alg, message, row->key_len));
    must((op == HR_OP_ENCRYPT ? hr_xts_encrypt : hr_xts_decrypt)(out, message, n, &key, iv));
    return n;
}

/* wrap_it wraps n bytes, or as many as are whole semiblocks; to unwrap, it wraps first. */
static size_t wrap_it(const struct hr_algorithm *row, enum hr_op op, size_t n)
{
    struct hr_wrap_key key;
    size_t len;
    n -= row->mode == HR_MODE_KW ? n % 8 : 0;
    must(hr_wrap_key_init(&key, row->alg, message, row->key_len));
    must(hr_wrap(out, &len, message, n, &key, NULL));
    if (op == HR_OP_UNWRAP)
        must(hr_unwrap(out, &len, out, len, &key, NULL));
    return len;
}

/* job_it runs a class without a function above as a job of its first operation. */
static size_t job_it(const struct hr_algorithm *row, enum hr_op op, size_t n)
{
    struct hr_job job = { .alg = (uint16_t)row->alg,
                          .key_form = HR_KEY_BYTES,
                          .key = message,
                          .key_len = row->key_len,
                          .iv = iv,
                          .iv_len = row->iv_len,
                          .in = message,
                          .len = n,
                          .out = out,
                          .tag = out + n };
    must(hr_job_run(&job));
    return n + row->out_len;
}

/* work makes one call, and returns how many bytes of `out` it wrote. */
static size_t work(const struct hr_algorithm *row, enum hr_op op, size_t n)
{
    static size_t (*const of_class[])(const struct hr_algorithm *, enum hr_op, size_t) = {
        [HR_CLASS_DIGEST] = digest_it, [HR_CLASS_MAC] = mac_it,   [HR_CLASS_CIPHER] = cipher_it,
        [HR_CLASS_AEAD] = aead_it,     [HR_CLASS_NMAC] = nmac_it, [HR_CLASS_XTS] = xts_it,
        [HR_CLASS_WRAP] = wrap_it,
    };
    const int known = (size_t)row->cls < COUNT_OF(of_class) && of_class[row->cls];
    return (known ? of_class[row->cls] : job_it)(row, op, n);
}

/* some_length returns an odd length unless the row wants whole blocks, or a number of
 * iterations. */
static size_t some_length(const struct hr_algorithm *row, enum hr_op op)
{
    if (row->cls == HR_CLASS_MAC && op == HR_OP_ITERATE)
        return 10;
    return row->cls == HR_CLASS_CIPHER && row->block_len > 1 ? 1008 : 1003;
}

static void work_on_all(void)
{
    const struct hr_algorithm *row;
    for (size_t r = 0; (row = hr_algorithm_at(r)); r++)
        for (enum hr_op op = 0; (int)op < hr_num_ops(row->alg); op++) {
            const size_t len = work(row, op, some_length(row, op));
            uint8_t digest[32];
            must(hr_digest(digest, HR_SHA256, out, len));
            printf("%s %s ", row->symbol, op_name(row, op));
            print_hex(digest, sizeof digest);
            printf("\n");
        }
}

int main(int argc, char **argv)
{
    random_bytes(message, sizeof message);
    if (argc == 1)
        work_on_all();
    if (argc == 4) {
        const struct hr_algorithm *row = hr_algorithm_by_name(argv[1]);
        const size_t n = strtoul(argv[3], NULL, 10);
        enum hr_op op = 0;
        while (row && (int)op < hr_num_ops(row->alg) && strcmp(op_name(row, op), argv[2]))
            op++;
        if (!row || (int)op >= hr_num_ops(row->alg) || n > MOST)
            return 2;
        work(row, op, n);
    }
    return complaints_so_far() != 0;
}
