/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the libcrypto that a caller would have reached without us, with dlsym(3), dlopen(3) and
 * dl_iterate_phdr(3).  A program that is linked with libcrypto has it in the global scope, where
 * RTLD_NEXT finds it for every caller.  A libcrypto that came with dlopen(), as for Python's
 * _hashlib, is searched from the calling object, since there may be several.  Callers of OpenSSL
 * 1.1 do not reach us at all, because their symbol versions differ. */
#define _GNU_SOURCE
#include "direct.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum {
    MAX_LIBCRYPTOS = 8,
    ANSWERED = 0
#define ANSWER(name) +1
#include "functions.def"
};

_Atomic(struct crypto *) program_crypto;
static struct crypto cryptos[MAX_LIBCRYPTOS];
static size_t num_cryptos;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *const function_names[NUM_FUNCTIONS] = {
#define ANSWER(name) #name,
#define CHANGE(result, failed, name, ...) #name,
#define HELPER(name) #name,
#include "functions.def"
};

/* ---- one libcrypto ---- */

/* find looks a function up under the symbol versions of direct.map, then without a version, which
 * is how other libraries export functions.  It returns NULL for the function of another OpenSSL:
 * beside a libcrypto 1.1, the plain name may find the one of 1.1. */
static void *find(void *handle, const char *name)
{
    static const char *const versions[] = { "OPENSSL_3.0.0", "OPENSSL_3.2.0" };
    static const char *const others[] = { "OPENSSL_1_1_0", "OPENSSL_1.0.0", "OPENSSL_4.0.0" };
    void *symbol = NULL;
    for (size_t i = 0; i < COUNT(versions) && !symbol; i++)
        symbol = dlvsym(handle, name, versions[i]);
    if (symbol || !(symbol = dlsym(handle, name)))
        return symbol;
    for (size_t i = 0; i < COUNT(others); i++)
        if (dlvsym(handle, name, others[i]) == symbol)
            return NULL;
    return symbol;
}

static const void *object_of(const void *address)
{
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* kernel_is_fips tells whether the kernel is in FIPS mode.  OpenSSL answers every call then. */
static int kernel_is_fips(void)
{
    char on = '0';
    const int fd = open("/proc/sys/crypto/fips_enabled", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    const int fips = read(fd, &on, 1) == 1 && on != '0';
    close(fd);
    return fips;
}

/* is_usable is true for OpenSSL 3 or later whose functions all lie in one object.  BoringSSL and
 * its relatives fail it, since they have no OPENSSL_version_major(). */
static int is_usable(const struct crypto *c)
{
    const void *object = object_of(c->fn[F_OPENSSL_version_major]);
    if (!object || REAL(c, OPENSSL_version_major)() < 3 || kernel_is_fips())
        return 0;
    for (size_t i = 0; i < NUM_FUNCTIONS; i++)
        if (c->fn[i] ? object_of(c->fn[i]) != object : i < ANSWERED)
            return 0;
    return 1;
}

/* find_digests finds OpenSSL's EVP_MD of each digest row: EVP_sha256() for the row sha256, and so
 * on. */
static void find_digests(struct crypto *c, void *handle)
{
    static const enum row_index rows[NUM_DIGESTS] = {
#define HR_DIGEST(number, sym, ...) INDEX_##sym,
#include <headrace/algorithms.def>
    };
    char name[64];
    for (size_t i = 0; i < NUM_DIGESTS; i++) {
        snprintf(name, sizeof name, "EVP_%s", hr_algorithm_at(rows[i])->symbol);
        const EVP_MD *(*md)(void) = (const EVP_MD *(*)(void))find(handle, name);
        c->digests[i].md = md ? md() : NULL;
        c->digests[i].type = md ? REAL(c, EVP_MD_get_type)(c->digests[i].md) : 0;
        c->digests[i].index = rows[i];
    }
}

/* keep keeps a libcrypto loaded for good, although the program may unload the module that brought
 * it: we have the addresses of its functions.  Most builds of OpenSSL keep themselves loaded. */
static void keep(const struct crypto *c)
{
    const void *kept = NULL;
    Dl_info info;
    for (size_t i = 0; i < NUM_FUNCTIONS; i++)
        if (c->fn[i] && dladdr(c->fn[i], &info) && info.dli_fbase != kept) {
            kept = info.dli_fbase;
            (void)!dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        }
}

/* crypto_at returns the libcrypto that `handle` finds, or NULL if it finds no such function.  The
 * same functions are the same libcrypto. */
static struct crypto *crypto_at(void *handle, enum function function)
{
    if (!find(handle, function_names[function]))
        return NULL;
    struct crypto new = { 0 }, *c = NULL;
    for (size_t i = 0; i < NUM_FUNCTIONS; i++)
        new.fn[i] = find(handle, function_names[i]);
    const int usable = is_usable(&new);
    if (usable)
        find_digests(&new, handle);
    /* No call of the loader is made while we hold the lock: a constructor may call us while the
     * loader holds its own lock. */
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < num_cryptos && !c; i++)
        if (!memcmp(cryptos[i].fn, new.fn, sizeof new.fn))
            c = &cryptos[i];
    const int is_new = !c && num_cryptos < MAX_LIBCRYPTOS;
    if (is_new) {
        c = &cryptos[num_cryptos++];
        memcpy(c->fn, new.fn, sizeof new.fn);
        memcpy(c->digests, new.digests, sizeof new.digests);
        atomic_store(&c->usable, usable);
    }
    pthread_mutex_unlock(&lock);
    if (is_new)
        keep(c);
    return c;
}

/* crypto_stop makes libcrypto answer all calls from now on.  As an atexit() handler it runs before
 * libcrypto cleans up, because libcrypto's was registered earlier. */
void crypto_stop(void)
{
    for (size_t i = 0; i < MAX_LIBCRYPTOS; i++)
        atomic_store(&cryptos[i].usable, 0);
    atomic_fetch_add(&generation, 1);
}

/* ---- from a caller ---- */

struct place {
    uintptr_t address, start, end; /* the segment that the address is in */
    const char *name;
    char libcrypto[512]; /* a loaded object that is called libcrypto.so... */
};

static int look_at_object(struct dl_phdr_info *info, size_t size, void *p)
{
    struct place *place = p;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && place->address - start < segment->p_memsz) {
            place->start = start;
            place->end = start + segment->p_memsz;
        }
    }
    if (!*place->libcrypto && strstr(info->dlpi_name, "/libcrypto.so"))
        snprintf(place->libcrypto, sizeof place->libcrypto, "%s", info->dlpi_name);
    return 0;
}

/* crypto_file returns the libcrypto of a loaded object, given by its file: a search from the object
 * finds its own functions before ours. */
static struct crypto *crypto_file(const char *file, enum function function)
{
    void *handle = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    struct crypto *c = handle ? crypto_at(handle, function) : NULL;
    if (handle)
        dlclose(handle);
    return c;
}

/* crypto_of_object returns the libcrypto that an object has in itself or is linked with; NULL if
 * the search finds none, or our own function. */
static struct crypto *crypto_of_object(const char *object, int flags, enum function function)
{
    Dl_info info;
    void *handle = dlopen(object, RTLD_LAZY | flags);
    void *found = handle ? find(handle, function_names[function]) : NULL;
    struct crypto *c = NULL;
    if (found && object_of(found) != object_of(function_names) && dladdr(found, &info))
        c = crypto_file(info.dli_fname, function);
    if (handle && flags & RTLD_NOLOAD)
        dlclose(handle);
    return c;
}

/* latest is the last result of crypto_find in this thread. */
static __thread struct crypto *latest;

/* crypto_for searches as the loader would: behind us in the global scope, then from the caller's
 * object.  If neither has a libcrypto, it takes the first that is loaded, or else loads
 * libcrypto.so.3, as for a program that asks dlsym(RTLD_DEFAULT, "SHA256").  A call that seems to
 * come from ourselves is the jump with which a function of libcrypto that we called ended: it gets
 * the libcrypto of the call before. */
static struct crypto *crypto_for(enum function function, const void *caller, struct place *place)
{
    Dl_info info;
    struct crypto *c = crypto_at(RTLD_NEXT, function);
    if (!c && object_of(caller) == object_of(function_names) && latest && latest->fn[function])
        c = latest;
    if (!c && dladdr(caller, &info))
        c = crypto_of_object(info.dli_fname, RTLD_NOLOAD, function);
    if (!c && *place->libcrypto)
        c = crypto_file(place->libcrypto, function);
    return c ? c : crypto_of_object("libcrypto.so.3", 0, function);
}

static void after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
}

/* startup sets program_crypto if one libcrypto has all functions when the program starts.  It holds
 * for good, since objects that are loaded then are never unloaded. */
static void startup(void)
{
    names_init();
    pthread_atfork(NULL, NULL, after_fork);
    struct crypto *c = crypto_at(RTLD_NEXT, F_OPENSSL_version_major);
    for (size_t i = 0; i < ANSWERED && c; i++)
        c = c->fn[i] ? c : NULL;
    atomic_store_explicit(&program_crypto, c, memory_order_release);
    dlerror(); /* clears the errors of our searches, which the program must not see */
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

__attribute__((constructor)) static void at_start(void)
{
    pthread_once(&once, startup);
}

/* callers are the last calling objects of this thread, with their libcrypto.  If another object is
 * loaded at the address of one, it gets the libcrypto of the old one, which computes the same. */
static __thread struct {
    uintptr_t start, end;
    struct crypto *crypto;
} callers[4];
static __thread unsigned next_caller;

struct crypto *crypto_find(enum function function, const void *caller)
{
    struct place place = { .address = (uintptr_t)caller };
    pthread_once(&once, startup);
    struct crypto *c = atomic_load_explicit(&program_crypto, memory_order_acquire);
    for (size_t i = 0; i < COUNT(callers) && !c; i++)
        if (place.address - callers[i].start < callers[i].end - callers[i].start &&
            callers[i].crypto->fn[function])
            c = callers[i].crypto;
    if (c)
        return latest = c;
    dl_iterate_phdr(look_at_object, &place);
    c = crypto_for(function, caller, &place);
    dlerror();
    if (c && place.start && object_of(caller) != object_of(function_names)) {
        callers[next_caller].start = place.start;
        callers[next_caller].end = place.end;
        callers[next_caller].crypto = c;
        next_caller = (next_caller + 1) % COUNT(callers);
    }
    return latest = c;
}
