/* SPDX-License-Identifier: Apache-2.0 */
/* evp_model [--quick] [--all] [--sequences N] [--seed N] [--from N] [MODEL [ALGORITHM]]: runs the
 * random models, 100 sequences in a process of their own, because OpenSSL's provider crashes on
 * some.  --all prints every difference, not only the first ones. */
#define _GNU_SOURCE
#include "model.h"
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 24, IN_ONE_CHILD = 100 };

static const struct model *const models[] = { &cipher_model, &digest_model, &mac_model, &kdf_model,
                                              &pkey_model,   &rsa_model,    &ffc_model };
enum { NUM_MODELS = sizeof models / sizeof models[0] };

/* struct shared is what a child tells its parent. */
static struct shared {
    unsigned long next; /* the sequence to run next */
    volatile int side;  /* who computes: -1 nobody */
    unsigned long steps, failures, their_crashes;
    unsigned long counts[NUM_MODELS][MAX_DIFFERENCES];
} * shared;

static struct loaded both;
static unsigned long num_sequences = 100, first_sequence, seed = 1, max_shown = 3;

size_t below(struct run *r, size_t limit)
{
    return next_random(&r->random) % limit;
}

void note(struct run *r, const char *format, ...)
{
    va_list args;
    if (r->side != THEIR_SIDE)
        return;
    va_start(args, format);
    const int len = vsnprintf(r->text + r->text_len, MAX_TEXT - r->text_len, format, args);
    va_end(args);
    if (len > 0 && r->text_len + (size_t)len < MAX_TEXT)
        r->text_len += (size_t)len;
}

/* last_reason empties the queue and returns a provider's last reason: EVP's own vary by release. */
static unsigned long last_reason(void)
{
    unsigned long reason = 0, error;
    while ((error = ERR_get_error()))
        if (ERR_GET_LIB(error) == ERR_LIB_PROV)
            reason = ERR_GET_REASON(error);
    return reason;
}

static int same(const struct result res[2])
{
    return res[0].ok == res[1].ok &&
           (res[0].ok <= 0 ||
            (res[0].len == res[1].len && !memcmp(res[0].out, res[1].out, res[0].len)));
}

/* listed counts a difference that stays, and returns whether it is one. */
static int listed(const struct run *r, const struct step *step, const struct result res[2],
                  unsigned long counts[])
{
    const struct difference *d = r->model->differences;
    for (size_t i = 0; d[i].why; i++)
        if (d[i].holds(r, step, res)) {
            counts[i]++;
            return 1;
        }
    return 0;
}

static void complain(const struct run *r, unsigned long sequence, const struct step *step,
                     const struct result res[2])
{
    size_t at = 0;
    while (at < res[0].len && res[0].out[at] == res[1].out[at])
        at++;
    if (shared->failures++ < max_shown)
        printf("# %s %s, sequence %lu:%s\n# %s differs: OpenSSL %d (%zu bytes, reason %lu), "
               "headrace %d (%zu bytes, reason %lu), same up to byte %zu\n",
               r->model->name, r->subject->name, sequence, r->text, step->name, res[0].ok,
               res[0].len, res[0].reason, res[1].ok, res[1].len, res[1].reason, at);
    fflush(stdout);
}

static const struct step *pick_step(struct run *r)
{
    const struct step *s = r->model->steps;
    int sum = 0;
    for (size_t i = 0; s[i].name; i++)
        sum += s[i].weight;
    int at = (int)below(r, (size_t)sum);
    while (at >= s->weight)
        at -= s++->weight;
    return s;
}

static void both_sides(struct run *r, const struct step *step, struct result res[2])
{
    const uint64_t random = next_random(&r->random) | 1;
    note(r, "\n#   %s", step->name);
    r->before = r->facts;
    for (r->side = 0; r->side < 2; r->side++) {
        r->random = random;
        res[r->side].ok = 0;
        res[r->side].len = 0;
        shared->side = r->side;
        step->run(r, &res[r->side]);
        shared->side = -1;
        res[r->side].reason = last_reason();
    }
    r->side = THEIR_SIDE;
    note(r, " -> %d", res[0].ok);
}

static void sequence(const struct model *m, const struct subject *s, unsigned long number,
                     unsigned long counts[])
{
    static struct run r;
    static struct result res[2];
    memset(&r, 0, offsetof(struct run, text));
    r.model = m;
    r.subject = s;
    r.random = s->seed ^ (seed * 0x9e3779b97f4a7c15u) ^ ((number + 1) * 0xd1b54a32d192ed03u);
    for (int i = 0; i < 4; i++)
        next_random(&r.random);
    for (int side = 0; side < 2; side++)
        MUST((r.ctx[side] = m->make(s, side)));
    for (int i = 0; i < STEPS; i++) {
        const struct step *step = pick_step(&r);
        both_sides(&r, step, res);
        shared->steps++;
        if (same(res))
            continue;
        if (!listed(&r, step, res, counts))
            complain(&r, number, step, res);
        break;
    }
    for (shared->side = 0; shared->side < 2; shared->side++)
        m->unmake(r.ctx[shared->side]);
    shared->side = -1;
}

/* child runs the sequences up to `end`, and says in shared memory how far it came. */
static void child(const struct model *m, const struct subject *s, unsigned long end,
                  unsigned long counts[])
{
    while (shared->next < end)
        sequence(m, s, shared->next++, counts);
}

/* run_subject: a crash on our side, or of a process that computes nothing, is a failure. */
static void run_subject(const struct model *m, const struct subject *s, unsigned long counts[])
{
    unsigned long end;
    const unsigned long stop = first_sequence + num_sequences / (m->is_slow ? 4 : 1) + m->is_slow;
    for (shared->next = first_sequence; shared->next < stop;) {
        end = shared->next + IN_ONE_CHILD < stop ? shared->next + IN_ONE_CHILD : stop;
        fflush(stdout);
        const pid_t pid = fork();
        int status;
        if (pid == 0) {
            child(m, s, end, counts);
            fflush(stdout);
            _exit(0);
        }
        MUST(pid > 0 && waitpid(pid, &status, 0) == pid);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            continue;
        if (shared->side == THEIR_SIDE) {
            shared->their_crashes++;
            continue;
        }
        shared->failures++;
        printf("# %s %s, sequence %lu: the process ended with status 0x%x\n", m->name, s->name,
               shared->next - 1, (unsigned)status);
    }
}

static void run_model(size_t index, const char *only, size_t *point)
{
    static struct subject subjects[MAX_SUBJECTS];
    const struct model *m = models[index];
    const size_t num = m->subjects(&both, subjects, MAX_SUBJECTS);
    for (size_t i = 0; i < num; i++) {
        if (only && strcasecmp(only, subjects[i].name))
            continue;
        subjects[i].seed = 0;
        for (const char *c = subjects[i].name; *c; c++)
            subjects[i].seed = (subjects[i].seed ^ (unsigned char)*c) * 0x100000001b3u;
        const unsigned long before = shared->failures;
        run_subject(m, &subjects[i], shared->counts[index]);
        printf("%sok %zu - %s %s\n", shared->failures > before ? "not " : "", ++*point, m->name,
               subjects[i].name);
    }
    for (size_t i = 0; m->differences[i].why; i++)
        if (shared->counts[index][i])
            printf("# %s: %lu sequences end where %s\n", m->name, shared->counts[index][i],
                   m->differences[i].why);
}

static unsigned long option(int *i, int argc, char **argv)
{
    MUST(*i + 1 < argc);
    return strtoul(argv[++*i], NULL, 0);
}

int main(int argc, char **argv)
{
    const char *model = NULL, *algorithm = NULL;
    size_t point = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick")) /* an emulated CPU */
            num_sequences = 3;
        else if (!strcmp(argv[i], "--all"))
            max_shown = ULONG_MAX;
        else if (!strcmp(argv[i], "--sequences"))
            num_sequences = option(&i, argc, argv);
        else if (!strcmp(argv[i], "--from"))
            first_sequence = option(&i, argc, argv);
        else if (!strcmp(argv[i], "--seed"))
            seed = option(&i, argc, argv);
        else
            *(model ? &algorithm : &model) = argv[i];
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    MUST(shared != MAP_FAILED);
    both = load_both();
    printf("# %s, %lu sequences of each algorithm\n", OpenSSL_version(OPENSSL_VERSION),
           num_sequences);
    for (size_t i = 0; i < NUM_MODELS; i++)
        if (!model || !strcmp(model, models[i]->name))
            run_model(i, algorithm, &point);
    printf("# %lu steps, %lu crashes of OpenSSL's provider\n1..%zu\n", shared->steps,
           shared->their_crashes, point);
    return shared->failures != 0;
}
