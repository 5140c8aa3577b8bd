/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that stay in the service: imported, generated and named ones, and what becomes of them. */
#include "client.h"
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t bytes[32] = { 9, 8, 7 };

static int run(struct task *t, uint64_t handle)
{
    task_make_handle(t, handle, bytes);
    return hr_accel_run(&t->job);
}

static void check_imported(void)
{
    struct task t;
    uint64_t handle, generated, other;
    uint8_t tag[32];
    if (hr_accel_key_import(&handle, HR_HMAC_SHA256, bytes, sizeof bytes))
        complain("not imported");
    if (run(&t, handle) || task_check(&t))
        complain("an imported key gives another MAC");
    if (hr_accel_key_generate(&generated, HR_HMAC_SHA256, 32) || generated == handle ||
        run(&t, generated) || !memcmp(t.tag, t.want_tag, 32))
        complain("a generated key");
    memcpy(tag, t.tag, sizeof tag);
    if (run(&t, generated) || memcmp(t.tag, tag, sizeof tag))
        complain("a generated key is another one now");
    hr_accel_key_close(generated);
    if (run(&t, generated) != HR_EHANDLE)
        complain("a closed key does something");
    if (hr_accel_key_import(&other, HR_AES_128_CTR, bytes, 16) || run(&t, other) >= 0)
        complain("a cipher's key makes a MAC");
    hr_accel_key_close(other);
    if (hr_accel_key_import(&other, HR_AES_128_CTR, bytes, 15) != HR_EKEYLEN)
        complain("a key of 15 bytes");
    if (hr_accel_key_open(&other, "there-is-none") != HR_EHANDLE)
        complain("a name that is none");
    tap(1, "imported and generated keys");

    service_kill(&service);
    service_again(&service);
    const int result = run(&t, handle);
    tap(result == HR_EHANDLE || result == HR_EGONE, "an imported key dies with its service: %s",
        hr_strerror(result));
    hr_accel_key_close(handle);
}

static _Atomic int waited;

static void *start_later(void *arg)
{
    usleep(300000);
    waited = 1;
    service_again(&service);
    return arg;
}

static void check_named(uint64_t handle)
{
    struct task t;
    pthread_t thread;
    if (run(&t, handle) || task_check(&t))
        complain("a named key: %s", hr_strerror(t.job.result));
    tap(1, "a named key");
    service_kill(&service);
    pthread_create(&thread, NULL, start_later, NULL);
    if (run(&t, handle) || task_check(&t) || !waited)
        complain("after a restart: %s", hr_strerror(t.job.result));
    pthread_join(thread, NULL);
    tap(1, "a job under a named key waits for the next service");
    service_kill(&service);
    hr_accel_patience(100);
    const int result = run(&t, handle);
    tap(result == HR_EGONE, "but not for ever: %s", hr_strerror(result));
    hr_accel_patience(5000);
    service_again(&service);
    hr_accel_key_close(handle);
}

static char folder[] = "/tmp/headrace-keys-XXXXXX", file[64];

/* A key of the name "test", which this user may use. */
static void begin(void)
{
    static char *arguments[16];
    size_t num = 0;
    while (service_arguments[num] && num < COUNT_OF(arguments) - 3) {
        arguments[num] = service_arguments[num];
        num++;
    }
    if (!mkdtemp(folder))
        complain("no folder");
    arguments[num] = "--keys";
    arguments[num + 1] = folder;
    snprintf(file, sizeof file, "%s/test", folder);
    FILE *f = fopen(file, "w");
    fprintf(f, "algorithm = HMAC-SHA-256\nuid = %u\nkey = ", (unsigned)getuid());
    for (size_t i = 0; i < sizeof bytes; i++)
        fprintf(f, "%02x", bytes[i]);
    fputs("\n", f);
    fclose(f);
    chmod(file, 0600);
    service_begin(&service, arguments, "[client all]\nattach = yes\n");
}

void client_keys(void)
{
    struct hr_queue *queue;
    uint64_t handle;
    begin();
    if (hr_queue_connect(&queue, service.socket) || !hr_queue_connected(queue))
        complain("not connected");
    hr_queue_close(queue);
    check_imported();
    if (hr_accel_key_open(&handle, "test"))
        complain("the key cannot be opened");
    check_named(handle);
    service_end(&service);
    unlink(file);
    rmdir(folder);
}
