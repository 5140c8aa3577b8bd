/* SPDX-License-Identifier: Apache-2.0 */
/* custody RSA_KEYS HEADRACED [OPTION...]: named keys of public key, which stay in the service, by
 * libheadrace-accel: results, terms, rotation, restarts.  RSA_KEYS is a file of tests/pk. */
#define _GNU_SOURCE
#include "custody.h"
#include "config/pk_key.h"
#include <headrace/algorithms.h>
#include <headrace/classes.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, LONG = 600000 }; /* LONG: ms, for a machine under load */

struct service service;
static const char policy[] = "[unit public-key]\nthreads = 3\n"
                             "[client all]\nattach = yes\nattaches = 0\n";

/* ---- keys whose results are known ---- */

static bool is_ours(const struct pair *p)
{
    return p->row->cls == HR_CLASS_RSA || p->row->cls == HR_CLASS_SIGN;
}

static bool is_ecdsa(const struct pair *p)
{
    return p->row->alg == HR_ECDSA_P256 || p->row->alg == HR_ECDSA_P384 ||
           p->row->alg == HR_ECDSA_P521;
}

/* sign_digest lets a pair of ECDSA sign as many bytes as a digest has. */
static void sign_digest(struct pair *p)
{
    p->job.len = p->back.len = DIGEST;
    if (hr_job_run(&p->job))
        complain("%s", p->row->name);
    memcpy(p->want, p->tag, p->want_len);
}

static void write_all(void)
{
    char name[16];
    for (size_t i = 0; i < num_pairs; i++) {
        struct pair *p = &pairs[i];
        name_of(name, i);
        if (is_ecdsa(p))
            sign_digest(p);
        if (is_ours(p))
            write_key(name, p,
                      decrypts(p) ? "use = decrypt\npadding = pkcs1, oaep\n"
                                    "digest = SHA-1\nuid = 0-70000\n"
                                  : "use = sign\nuid = 0-70000\n");
    }
}

static void check_results(void)
{
    char name[16];
    size_t num = 0;
    for (size_t i = 0; i < num_pairs; i++) {
        struct pair *p = &pairs[i];
        if (!is_ours(p))
            continue;
        name_of(name, i);
        under_handle(p, open_key(name));
        pair_check(p, hr_accel_run);
        num++;
    }
    tap(num > 20, "%zu keys that stay in the service sign and decrypt", num);
}

static void check_public(void)
{
    uint8_t want[CONTROL_SPKI], got[CONTROL_SPKI + 1];
    char name[16];
    for (size_t i = 0; i < num_pairs; i++) {
        const struct pair *p = &pairs[i];
        struct pk_parts parts = { .num = 8 };
        size_t want_len = sizeof want, len = sizeof got;
        if (!is_ours(p))
            continue;
        name_of(name, i);
        memcpy(parts.at, &p->parts, sizeof parts.at);
        if (pk_spki(want, &want_len, p->row->alg, &p->key, &parts))
            complain("%s: no public key", p->row->name);
        if (hr_accel_key_public(name, got, &len) || len != want_len || memcmp(got, want, len))
            complain("%s: another public key", p->row->name);
        if (hr_accel_key_public(name, got, &(size_t){ len - 1 }) != HR_EBUFFER)
            complain("%s: a public key in too little room", p->row->name);
    }
    size_t len = sizeof got;
    if (hr_accel_key_public("nobody", got, &len) != HR_EHANDLE)
        complain("a key that is none has a public one");
    tap(1, "their public keys");
}

/* is_listed checks what the list says of a key, and opens it meanwhile. */
static int is_listed(void *num, const struct hr_accel_key *key)
{
    const size_t i = strtoul(key->name + 3, NULL, 10);
    const struct pair *p = &pairs[i < num_pairs ? i : 0];
    const bool rsa = p->row->cls == HR_CLASS_RSA, decrypt = decrypts(p);
    const uint32_t other = decrypt ? 1 << HR_RSA_OAEP : 1 << HR_RSA_PSS;
    if (!is_ours(p) || key->alg != p->row->alg ||
        key->paddings != (rsa ? 1 << HR_RSA_PKCS1 | other : 0) ||
        key->uses != (decrypt ? HR_USE_DECRYPT : HR_USE_SIGN) ||
        key->num_digests != (decrypt              ? 1u
                             : rsa || is_ecdsa(p) ? 3u
                                                  : 0u))
        complain("%s is listed as another key", key->name);
    hr_accel_key_close(open_key(key->name));
    return ++*(int *)num == 10 ? 10 : 0;
}

static void check_list(void)
{
    int few = 0, all = 10;
    const bool ends = hr_accel_key_list(is_listed, &few) == 10 && few == 10;
    tap(ends && !hr_accel_key_list(is_listed, &all) && all > 30, "their list");
}

/* ---- terms ---- */

static void check_terms_to_sign(const struct pair *p, uint64_t handle)
{
    static const uint8_t info[] = { 0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
                                    0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20 };
    uint8_t in[512] = { 0 };
    const size_t size = p->want_len;
    const int no = HR_EACCESS;
    memcpy(in, info, sizeof info);
    expect(0, "PKCS#1", handle, p, HR_JOB_SIGN, OPTIONS(HR_RSA_PKCS1, HR_SHA256), in, 32);
    expect(0, "DigestInfo", handle, p, HR_JOB_SIGN, OPTIONS(HR_RSA_PKCS1, 0), in, 51);
    expect(no, "a longer DigestInfo", handle, p, HR_JOB_SIGN, OPTIONS(HR_RSA_PKCS1, 0), in, 52);
    in[14]++;
    expect(no, "DigestInfo of SHA-384", handle, p, HR_JOB_SIGN, OPTIONS(HR_RSA_PKCS1, 0), in, 51);
    expect(no, "no DigestInfo", handle, p, HR_JOB_SIGN, OPTIONS(HR_RSA_PKCS1, 0), in, 32);
    expect(no, "raw RSA", handle, p, HR_JOB_SIGN, OPTIONS(HR_RSA_NONE, 0), in, size);
    expect(no, "PSS", handle, p, HR_JOB_SIGN, OPTIONS(HR_RSA_PSS, HR_SHA256), in, 32);
    expect(no, "SHA-1", handle, p, HR_JOB_SIGN, OPTIONS(HR_RSA_PKCS1, HR_SHA1), in, 20);
    expect(no, "no padding", handle, p, HR_JOB_SIGN, OPTIONS(0, HR_SHA256), in, 32);
    expect(no, "decryption", handle, p, HR_JOB_PK_DECRYPT, OPTIONS(HR_RSA_PKCS1, 0), in, size);
    expect(no, "raw decryption", handle, p, HR_JOB_PK_DECRYPT, OPTIONS(HR_RSA_NONE, 0), in, size);
    expect(HR_ELENGTH, "a digest that is short", handle, p, HR_JOB_SIGN,
           OPTIONS(HR_RSA_PKCS1, HR_SHA256), in, 31);
}

static void check_terms_to_decrypt(const struct pair *p, uint64_t handle)
{
    const uint8_t *in = p->back.in; /* OAEP by SHA-1, with a label */
    const size_t size = p->back.len;
    const int no = HR_EACCESS;
    expect(no, "signing", handle, p, HR_JOB_SIGN, OPTIONS(HR_RSA_PKCS1, HR_SHA256), in, 32);
    expect(no, "raw signing", handle, p, HR_JOB_SIGN, OPTIONS(HR_RSA_NONE, 0), in, size);
    expect(no, "raw decryption", handle, p, HR_JOB_PK_DECRYPT, OPTIONS(HR_RSA_NONE, 0), in, size);
    expect(no, "PKCS#1", handle, p, HR_JOB_PK_DECRYPT, OPTIONS(HR_RSA_PKCS1, 0), in, size);
    expect(no, "errors of padding", handle, p, HR_JOB_PK_DECRYPT,
           OPTIONS(HR_RSA_TLS, 0, .client_version = 0x303, .raise_errors = 1), in, size);
    expect(no, "OAEP by SHA-256", handle, p, HR_JOB_PK_DECRYPT, OPTIONS(HR_RSA_OAEP, HR_SHA256), in,
           size);
    expect(HR_EPADDING, "OAEP without its label", handle, p, HR_JOB_PK_DECRYPT,
           OPTIONS(HR_RSA_OAEP, HR_SHA1), in, size);
    expect(0, "TLS", handle, p, HR_JOB_PK_DECRYPT, OPTIONS(HR_RSA_TLS, 0, .client_version = 0x303),
           in, size);
    write_key("d", p, "use = decrypt\npadding = pkcs1\nuid = 0-70000\n");
    if (reload())
        complain("not reloaded");
    const uint64_t other = open_key("d");
    expect(0, "PKCS#1 now", other, p, HR_JOB_PK_DECRYPT, OPTIONS(HR_RSA_PKCS1, 0), in, size);
    /* else equal results of both would say that the padding is right */
    expect(no, "TLS beside PKCS#1", other, p, HR_JOB_PK_DECRYPT,
           OPTIONS(HR_RSA_TLS, 0, .client_version = 0x303), in, size);
}

static void check_terms(void)
{
    struct pair *sign = pair_of(HR_RSA2048, HR_RSA_PKCS1, false),
                *decrypt = pair_of(HR_RSA2048, HR_RSA_OAEP, true),
                *ecdsa = pair_of(HR_ECDSA_P256, 0, false);
    write_key("s", sign, "use = sign\npadding = pkcs1\ndigest = SHA-256\nuid = 0-70000\n");
    write_key("d", decrypt, "use = decrypt\npadding = oaep, tls\ndigest = SHA-1\nuid = 0-70000\n");
    write_key("e", ecdsa, "use = sign\ndigest = SHA-384\nlog = yes\nuid = 0-70000\n");
    if (reload())
        complain("not reloaded");
    check_terms_to_sign(sign, open_key("s"));
    check_terms_to_decrypt(decrypt, open_key("d"));
    const uint64_t handle = open_key("e");
    expect(0, "SHA-384", handle, ecdsa, HR_JOB_SIGN, NULL, sign->in, 48);
    expect(HR_EACCESS, "SHA-256", handle, ecdsa, HR_JOB_SIGN, NULL, sign->in, 32);
    expect(HR_EACCESS, "verification", handle, ecdsa, HR_JOB_VERIFY, NULL, sign->in, 48);
    expect(HR_EHANDLE, "another row", handle, sign, HR_JOB_SIGN, OPTIONS(HR_RSA_PKCS1, HR_SHA256),
           sign->in, 32);
    expect(HR_EHANDLE, "no handle", handle + 1, ecdsa, HR_JOB_SIGN, NULL, sign->in, 48);
    expect(HR_EINVAL, "a long message", handle, ecdsa, HR_JOB_SIGN, NULL, sign->in, PAIR_MOST);
    tap(1, "a key's purpose, paddings and digests");
}

static void check_files(void)
{
    static const char *const wrong[] = {
        "use = sign, decrypt\n",
        "",
        "use = verify\n",
        "use = sign\npadding = oaep\n",
        "use = decrypt\npadding = pss\n",
        "use = decrypt\npadding = pkcs1, tls\n",
        "use = sign\npadding = ,\n",
        "use = sign\ndigest = ,\n",
        "use = sign\ndigest = MD5\n",
        "use = sign\nlog = 1\n",
        "use = sign\npadding = none\n",
        "use = sign\nkey = 00\n",
        "use = sign\nn = 03\nd = 01\n",
    };
    const struct pair *p = pair_of(HR_RSA2048, HR_RSA_PKCS1, false);
    struct pair other = *p;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        write_key("wrong", p, wrong[i]);
        if (reload() != HR_EINVAL)
            complain("a key with the terms %s", wrong[i]);
    }
    other.row = hr_algorithm(HR_RSA3072);
    write_key("wrong", &other, "use = sign\n");
    if (reload() != HR_EINVAL)
        complain("a key of another size");
    other.row = p->row;
    other.parts.d.len--;
    write_key("wrong", &other, "use = sign\n");
    if (reload() != HR_EINVAL)
        complain("a key whose numbers do not fit");
    unlink(path_of("wrong"));
    if (reload())
        complain("not reloaded");
    tap(1, "files that are no keys");
}

/* open_as returns what a process of another user gets when it opens a key. */
static int open_as(uid_t uid, const char *name)
{
    int status = 0;
    const pid_t child = fork();
    if (!child) {
        uint64_t handle;
        if (setresuid(uid, uid, uid))
            _exit(100);
        _exit(-hr_accel_key_open(&handle, name));
    }
    waitpid(child, &status, 0);
    return -WEXITSTATUS(status);
}

static void check_users(void)
{
    const struct pair *p = pair_of(HR_ED25519, 0, false);
    if (getuid()) {
        tap_skip("other users' processes need root", "a key's users");
        return;
    }
    write_key("theirs", p, "use = sign\nuid = 1000\n");
    if (reload())
        complain("not reloaded");
    tap(open_as(1000, "theirs") == 0 && open_as(NOBODY, "theirs") == HR_EACCESS,
        "a key's users, and others");
}

/* ---- rotation ---- */

static struct {
    struct pair *pair;
    _Atomic int stop;
    _Atomic unsigned done;
} work;

/* sign_often signs until it is to stop, and complains of any failure. */
static void *sign_often(void *arg)
{
    struct pair *p = malloc(sizeof *p);
    uint8_t want[PAIR_MOST];
    memcpy(p, work.pair, sizeof *p);
    memcpy(want, p->want, sizeof want);
    p->job.tag = p->tag;
    p->job.in = p->in;
    if (p->job.options)
        p->job.options = &p->options;
    while (!work.stop && !complaints_so_far()) {
        memset(p->tag, 0, p->want_len);
        const int error = hr_accel_run(&p->job);
        if (error || memcmp(p->tag, want, p->want_len))
            complain("%s: %s", p->row->name, error ? hr_strerror(error) : "wrong");
        work.done++;
    }
    free(p);
    return NULL;
}

static void wait_for_work(unsigned more)
{
    const unsigned before = work.done;
    while (work.done - before < more && !complaints_so_far())
        usleep(200);
}

static void check_rotation(void)
{
    struct pair *p = pair_of(HR_RSA2048, HR_RSA_PKCS1, false),
                *other = pair_of(HR_RSA3072, HR_RSA_PKCS1, false);
    pthread_t thread;
    write_key("r", p, "use = sign\nuid = 0-70000\n");
    if (reload())
        complain("not reloaded");
    const uint64_t first = open_key("r");
    under_handle(p, first);
    work.pair = p;
    pthread_create(&thread, NULL, sign_often, NULL);
    for (int i = 0; i < 6; i++) { /* other terms, the same key */
        wait_for_work(4);
        write_key("r", p,
                  i % 2 ? "use = sign\nuid = 0-70000\n"
                        : "use = sign\nuid = 0-70000\nrate = 100000\n");
        if (reload())
            complain("not reloaded");
    }
    wait_for_work(4);
    work.stop = 1;
    pthread_join(thread, NULL);
    tap(1, "no job fails while the terms of its key change");
    write_key("r", other, "use = sign\nuid = 0-70000\n");
    if (reload())
        complain("not reloaded");
    expect(HR_EHANDLE, "the old key", first, p, HR_JOB_SIGN, OPTIONS(HR_RSA_PKCS1, HR_SHA256),
           p->in, 32);
    under_handle(other, open_key("r"));
    pair_check(other, hr_accel_run);
    unlink(path_of("r"));
    if (reload())
        complain("not reloaded");
    expect(HR_EHANDLE, "a removed key", other->job.handle, other, HR_JOB_SIGN,
           OPTIONS(HR_RSA_PKCS1, HR_SHA256), p->in, 32);
    tap(1, "rotation: a handle stands for one key");
}

/* ---- many threads, and jobs that are for other keys ---- */

enum { CROWD = 200 }; /* threads, of which each wants two of the unit's 32 sub-rings */
static pthread_barrier_t all_have_signed;

static void *sign_in_crowd(void *arg)
{
    struct pair *const pairs_of[] = { pair_of(HR_ECDSA_P256, 0, false),
                                      pair_of(HR_RSA2048, HR_RSA_PKCS1, false) };
    for (int i = 0; i < 4; i++) {
        const struct pair *p = pairs_of[i % 2];
        uint8_t tag[PAIR_MOST] = { 0 };
        struct hr_job job = p->job;
        job.tag = tag;
        const int error = hr_accel_run(&job);
        if (error || memcmp(tag, p->want, p->want_len))
            complain("%s: %s", p->row->name, error ? hr_strerror(error) : "wrong");
        pthread_barrier_wait(&all_have_signed);
    }
    return NULL;
}

static void check_crowd(void)
{
    pthread_t threads[CROWD];
    struct pair *p = pair_of(HR_RSA2048, HR_RSA_PKCS1, false);
    write_key("c", p, "use = sign\nuid = 0-70000\n");
    if (reload())
        complain("not reloaded");
    under_handle(p, open_key("c"));
    pthread_barrier_init(&all_have_signed, NULL, CROWD);
    for (size_t i = 0; i < CROWD; i++)
        if (pthread_create(&threads[i], NULL, sign_in_crowd, NULL))
            abort();
    for (size_t i = 0; i < CROWD; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&all_have_signed);
    tap(1, "%d threads that stay sign by two kinds of keys", CROWD);
}

/* check_kinds: the service counts keys of either kind from the same number on. */
static void check_kinds(void)
{
    uint8_t bytes[32] = { 0 }, mac[32];
    uint64_t secret;
    const uint64_t public = open_key("c");
    if (hr_accel_key_import(&secret, HR_HMAC_SHA256, bytes, sizeof bytes))
        complain("not imported");
    for (int i = 0; i < 2; i++) {
        struct hr_job job = { .alg = HR_HMAC_SHA256,
                              .op = HR_JOB_MAC,
                              .key_form = HR_KEY_HANDLE,
                              .handle = i ? public : secret,
                              .in = bytes,
                              .len = sizeof bytes,
                              .tag = mac,
                              .tag_len = sizeof mac };
        const int error = hr_accel_run(&job), want = i ? HR_EHANDLE : 0;
        if (error != want)
            complain("a MAC under %s: %s", i ? "a key to sign" : "its key", hr_strerror(error));
    }
    hr_accel_key_close(secret);
    hr_accel_key_close(public);
    tap(1, "no handle stands for a key of another kind");
}

/* ---- the service restarts ---- */

static void check_restarts(void)
{
    const char *text = getenv("HEADRACE_TEST_RESTARTS");
    const int restarts = text ? atoi(text) : 4;
    pthread_t threads[3];
    work.pair = pair_of(HR_ECDSA_P256, 0, false);
    under_handle(work.pair, work.pair->job.handle);
    work.stop = 0;
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        pthread_create(&threads[i], NULL, sign_often, NULL);
    for (int i = 0; i < restarts; i++) {
        wait_for_work(20);
        service_kill(&service);
        usleep(random_below(20000));
        service_listens(&service);
    }
    wait_for_work(20);
    work.stop = 1;
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        pthread_join(threads[i], NULL);
    tap(1, "%d restarts under load: no job fails", restarts);
}

static void check_fork(void)
{
    struct pair *p = work.pair;
    int status = 1;
    const pid_t child = fork();
    if (!child) {
        pair_check(p, hr_accel_run);
        _exit(complaints_so_far());
    }
    waitpid(child, &status, 0);
    tap(!status, "the child of a fork signs");
}

static void check_end(void)
{
    struct pair *p = work.pair;
    service_kill(&service);
    hr_accel_patience(100);
    expect(HR_EGONE, "a service that is gone", p->job.handle, p, HR_JOB_SIGN, NULL, p->in, DIGEST);
    hr_accel_patience(LONG);
    tap(1, "without a service a job fails within the patience");
    service_again(&service);
    pair_check(p, hr_accel_run);
    hr_accel_key_close(p->job.handle);
    expect(HR_EHANDLE, "a closed key", p->job.handle, p, HR_JOB_SIGN, NULL, p->in, DIGEST);
    tap(1, "with the next service it runs, until its key is closed");
}

/* ---- */

int main(int argc, char **argv)
{
    char *arguments[16] = { 0 };
    if (argc < 3 || argc > 12)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    keys_begin();
    for (int i = 2; i < argc; i++)
        arguments[i - 2] = argv[i];
    arguments[argc - 2] = "--keys";
    arguments[argc - 1] = keys_folder;
    pairs_make(argv[1]);
    write_all();
    service_begin(&service, arguments, policy);
    setenv("HEADRACE_ACCEL", service.socket, 1);
    hr_accel_patience(LONG);
    check_results();
    check_public();
    check_list();
    check_terms();
    check_files();
    check_users();
    check_rotation();
    check_crowd();
    check_kinds();
    check_restarts();
    check_fork();
    check_end();
    service_end(&service);
    keys_end();
    tap(1, "the service ends well");
    return tap_done();
}
