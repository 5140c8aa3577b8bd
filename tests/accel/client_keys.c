/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that stay in the service: imported, generated and named ones, and their end. */
#include "client.h"
#include <headrace/algorithms.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
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

/* stand_in listens at the socket of the service, which has ended. */
static int stand_in(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", service.socket);
    unlink(service.socket);
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) || listen(fd, 1))
        complain("nobody stands in for the service");
    return fd;
}

static _Atomic int knocked;

/* start_when_wanted starts the service after the waiting job has tried to connect once. */
static void *start_when_wanted(void *listener)
{
    const int fd = accept((int)(intptr_t)listener, NULL, NULL);
    knocked = fd >= 0;
    unlink(service.socket);
    close(fd);
    service_again(&service);
    return NULL;
}

static void check_waits(uint64_t handle)
{
    struct task t;
    pthread_t thread;
    service_kill(&service);
    const int listener = stand_in();
    hr_accel_patience(UINT32_MAX); /* waits for the service without limit */
    pthread_create(&thread, NULL, start_when_wanted, (void *)(intptr_t)listener);
    if (run(&t, handle) || task_check(&t) || !knocked)
        complain("after a restart: %s", hr_strerror(t.job.result));
    shutdown(listener, SHUT_RDWR); /* accept returns if nobody connected */
    pthread_join(thread, NULL);
    close(listener);
    tap(1, "a job under a named key waits for the next service");
}

static int run_in(struct hr_queue *queue, struct task *t, uint64_t handle)
{
    struct hr_job *job = &t->job, *done;
    task_make_handle(t, handle, bytes);
    return hr_queue_submit(queue, &job, 1) != 1 || hr_queue_poll(queue, &done, 1, 1) != 1 ||
           task_check(t);
}

/* check_crowded checks that queues which share a sub-ring, and had nothing to do while the service
 * was started again, are served afterwards. */
static void check_crowded(uint64_t handle)
{
    struct hr_queue *queues[RING_MAX_RINGS];
    struct hr_queue **const guest = &queues[RING_MAX_RINGS - 1]; /* one sub-ring is for such */
    struct task t;
    for (size_t i = 0; i < COUNT_OF(queues); i++)
        if (hr_queue_connect(&queues[i], service.socket) || !hr_queue_connected(queues[i]))
            complain("queue %zu is not connected", i);
    if (run_in(*guest, &t, handle))
        complain("before the restart: %s", hr_strerror(t.job.result));
    service_kill(&service);
    service_again(&service);
    hr_accel_patience(5000);
    for (struct hr_queue **q = queues; q < guest; q++)
        if (run_in(*q, &t, handle))
            complain("queue %d, after the restart: %s", (int)(q - queues),
                     hr_strerror(t.job.result));
    if (run_in(*guest, &t, handle))
        complain("a queue that shares, after the restart: %s", hr_strerror(t.job.result));
    for (size_t i = 0; i < COUNT_OF(queues); i++)
        hr_queue_close(queues[i]);
    tap(1, "queues that share a sub-ring go on after a restart that none of them saw");
}

/* ---- a service that goes away while a key is opened again ---- */

static _Atomic int stop, wrong;
static _Atomic unsigned right;

static void *use(void *handle)
{
    struct hr_queue *queue;
    struct task t;
    if (hr_queue_connect(&queue, service.socket))
        abort();
    while (!stop) {
        const int bad = run_in(queue, &t, *(const uint64_t *)handle);
        wrong += bad;
        right += !bad;
    }
    hr_queue_close(queue);
    return NULL;
}

/* check_revoked revokes the client again and again, now and then while it connects. */
static void check_revoked(uint64_t handle)
{
    enum { THREADS = 2, TIMES = 1500 };
    const struct control_request revoke = { .magic = CONTROL_MAGIC, .type = CONTROL_REVOKE };
    struct control_reply reply;
    pthread_t threads[THREADS];
    const int admin = raw_connect(&service);
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, use, &handle))
            abort();
    for (int i = 0; i < TIMES; i++) {
        if (raw_ask(admin, &revoke, sizeof revoke, &reply, NULL, 0) || reply.result)
            complain("not revoked");
        usleep(random_below(2000));
    }
    for (const unsigned before = right; right == before && !wrong;)
        usleep(1000);
    stop = 1;
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    close(admin);
    tap(!wrong, "a named key, and a client that is revoked %d times: %u jobs", TIMES, right);
}

static void check_named(uint64_t handle)
{
    struct task t;
    if (run(&t, handle) || task_check(&t))
        complain("a named key: %s", hr_strerror(t.job.result));
    tap(1, "a named key");
    check_waits(handle);
    service_kill(&service);
    hr_accel_patience(100);
    const int result = run(&t, handle);
    tap(result == HR_EGONE, "but not for ever: %s", hr_strerror(result));
    service_again(&service);
    hr_accel_key_close(handle);
}

static char folder[] = "/tmp/headrace-keys-XXXXXX", file[64];

/* begin starts a service with a key of the name "test" that this user may use. */
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
    service_begin(&service, arguments, "[client all]\nattach = yes\nadmin = yes\nattaches = 0\n");
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
    check_crowded(handle);
    check_revoked(handle);
    check_named(handle);
    service_end(&service);
    unlink(file);
    rmdir(folder);
}
