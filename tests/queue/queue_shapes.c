/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_shapes.h"

enum { CANARY = 0xa5, GAP = 3 };

/* ---- by class: the right result of a message, by direct calls ---- */

static const struct hr_class_op *op_of(const struct shape *s)
{
    return &hr_class_of(s->keys->row)->ops[s->op];
}

static size_t tag_len(const struct shape *s)
{
    return s->tag_len ? s->tag_len : op_of(s)->tag ? s->keys->row->out_len : 0;
}

/* given_tag makes the tag that a verification compares: the right one, or once in three times one
 * with a wrong bit. */
static void given_tag(struct shape *s)
{
    memcpy(s->tag, s->want_tag, sizeof s->tag);
    if (random_below(3))
        return;
    s->tag[random_below((uint32_t)tag_len(s))] ^= (uint8_t)(1u << random_below(8));
    s->want_result = HR_EMAC;
}

static void want_digest(struct shape *s)
{
    direct_digest(s->keys->row->alg)(s->want_tag, s->text, s->len);
}

static void want_mac(struct shape *s)
{
    s->want_result =
        direct_mac(s->keys->row->alg)(s->want_tag, s->text, s->len, &s->keys->object[s->key].hmac);
}

static void want_nmac(struct shape *s)
{
    s->want_result = direct_nmac(s->keys->row->alg)(
        s->want_tag, s->text, s->len, &s->keys->object[s->key].nmac, s->iv, s->iv_len);
}

static void want_cipher(struct shape *s)
{
    s->want_result = direct_cipher(s->keys->row->alg, (enum hr_op)s->op)(
        s->want_out, s->text, s->len, &s->keys->object[s->key].cipher, s->iv);
}

static void want_xts(struct shape *s)
{
    s->want_result = direct_xts(s->keys->row->alg, (enum hr_op)s->op)(
        s->want_out, s->text, s->len, &s->keys->object[s->key].xts, s->iv);
}

static void want_aead(struct shape *s)
{
    s->want_result = direct_seal(s->keys->row->alg)(
        s->want_out, s->want_tag, tag_len(s), s->text, s->len, s->aad, s->aad_len,
        &s->keys->object[s->key].aead, s->iv, s->iv_len);
    if (s->op == HR_JOB_ENCRYPT)
        return;
    uint8_t *sealed = s->want_out;
    s->want_out = s->text;
    s->text = sealed;
    given_tag(s);
    if (s->want_result)
        memset(s->want_out, 0, s->len);
}

/* want_job sets the right result for a class without calls above: the result of hr_job_run.  A tag
 * to compare comes from the first operation. */
static void want_job(struct shape *s)
{
    struct hr_job job = { .alg = (uint16_t)s->keys->row->alg,
                          .op = op_of(s)->tag == HR_TAG_TAKEN ? 0 : s->op,
                          .key_form = HR_KEY_OBJECT,
                          .key = &s->keys->object[s->key],
                          .iv = s->iv,
                          .iv_len = (uint32_t)s->iv_len,
                          .aad = s->aad,
                          .aad_len = (uint32_t)s->aad_len,
                          .tag = s->want_tag,
                          .in = s->text,
                          .out = s->want_out,
                          .len = s->len };
    s->want_result = hr_job_run(&job);
}

static const struct job_class {
    void (*want)(struct shape *s);
    int truncates; /* tags may be truncated to any length */
} classes[] = {
    [HR_CLASS_DIGEST] = { want_digest, 0 }, [HR_CLASS_MAC] = { want_mac, 1 },
    [HR_CLASS_CIPHER] = { want_cipher, 0 }, [HR_CLASS_AEAD] = { want_aead, 0 },
    [HR_CLASS_NMAC] = { want_nmac, 1 },     [HR_CLASS_XTS] = { want_xts, 0 },
};

static const struct job_class *class_of(const struct hr_algorithm *row)
{
    static const struct job_class other = { want_job, 0 };
    return (size_t)row->cls < COUNT_OF(classes) && classes[row->cls].want ? &classes[row->cls]
                                                                          : &other;
}

static int has(const struct shape *s, enum hr_has what)
{
    return (hr_class_of(s->keys->row)->has & what) != 0;
}

int row_num_ops(const struct hr_algorithm *row)
{
    int num = 0;
    while (hr_class_op(hr_class_of(row), (unsigned)num))
        num++;
    return num;
}

int row_has_key(const struct hr_algorithm *row)
{
    return (hr_class_of(row)->has & HR_HAS_KEY) != 0;
}

/* row_keys_make makes keys of any length for HMAC, else of the row's length. */
int row_keys_make(struct row_keys *keys, const struct hr_algorithm *row)
{
    static const size_t hmac_lens[NUM_KEYS] = { 20, 0, 64, 200 };
    const struct hr_class_info *info = hr_class_of(row);
    keys->row = row;
    for (unsigned i = 0; row_has_key(row) && i < NUM_KEYS; i++) {
        random_bytes(keys->bytes[i], sizeof keys->bytes[i]);
        keys->len[i] = info->has & HR_HAS_ANY_KEY ? hmac_lens[i] : row->key_len;
        if (hr_any_key_init(&keys->object[i], row->alg, keys->bytes[i], keys->len[i]))
            complain("%s: a key is refused", row->name);
    }
    return row_num_ops(row);
}

/* ---- shapes ---- */

/* block_of returns the unit of the message's length in bytes. */
static size_t block_of(const struct shape *s)
{
    return op_of(s)->in == HR_IN_BLOCKS ? s->keys->row->block_len : 1;
}

static size_t some_len(const struct shape *s, unsigned i)
{
    const size_t block = block_of(s), least = op_of(s)->in == HR_IN_UNIT ? 16 : 0;
    size_t len = block * (i < 40 ? i : random_below((i % 8 ? 600 : 4000) / (uint32_t)block));
    if (i == 40)
        len = (200u << 10) + block;
    return len < least ? least : len;
}

/* some_lengths chooses lengths of IV and tag that the row allows, the usual ones most often. */
static void some_lengths(struct shape *s)
{
    const struct hr_algorithm *row = s->keys->row;
    const int usual = random_below(2) == 0;
    s->iv_len = row->iv_len;
    s->tag_len = class_of(row)->truncates && !usual ? 1 + random_below(row->out_len) : 0;
    if (!has(s, HR_HAS_AAD))
        return;
    s->aad_len = random_below(4) ? random_below(sizeof s->aad) : 0;
    const int any_iv = !usual && row->mode != HR_MODE_POLY1305;
    s->iv_len = !any_iv                    ? 12
                : row->mode == HR_MODE_CCM ? 7 + random_below(6)
                                           : 1 + random_below(64);
    s->tag_len = usual ? 0 : 4 + 2 * random_below(7);
    if (row->mode == HR_MODE_CCM && s->len >= 1u << 16)
        s->iv_len = 12;
}

/* some_parts cuts the text at any byte, or between blocks.  Parts may be empty, or shorter than a
 * block, and more than a request can have. */
static void some_parts(struct shape *s)
{
    const size_t unit = random_below(3) ? 1 : block_of(s), most = random_below(4) ? 5 : MAX_PARTS;
    const size_t longest = random_below(2) ? s->len / unit : 20;
    size_t left = s->len / unit;
    if (!has(s, HR_HAS_PARTS) || random_below(3))
        return;
    s->num_parts = 1 + random_below((uint32_t)most);
    for (unsigned i = 0; i < s->num_parts; i++) {
        const size_t some = random_below((uint32_t)(longest < left ? longest : left) + 1);
        const size_t n = i + 1 == s->num_parts ? left : some;
        s->parts[i] = n * unit;
        left -= n;
    }
}

void shape_make(struct shape *s, const struct row_keys *keys, int op, unsigned i)
{
    memset(s, 0, sizeof *s);
    s->keys = keys;
    s->op = (uint8_t)op;
    s->key = random_below(NUM_KEYS);
    s->len = some_len(s, i);
    some_lengths(s);
    some_parts(s);
    const int has_out = op_of(s)->out != HR_OUT_NONE;
    s->cut = has(s, HR_HAS_STATES) && !s->num_parts && random_below(3) == 0
                 ? random_below((uint32_t)s->len + 1)
                 : s->len;
    s->in_place = has_out && random_below(3) == 0;
    s->text = malloc(s->len + 1);
    s->want_out = has_out ? malloc(s->len + 1) : NULL;
    random_bytes(s->text, s->len);
    random_bytes(s->iv, sizeof s->iv);
    random_bytes(s->aad, sizeof s->aad);
    class_of(keys->row)->want(s);
    if (s->want_result && s->want_result != HR_EMAC)
        complain("%s: a direct call of %zu bytes: %s", keys->row->name, s->len,
                 hr_strerror(s->want_result));
    if (op_of(s)->tag == HR_TAG_TAKEN && !has_out)
        given_tag(s);
}

void shape_free(struct shape *s)
{
    free(s->text);
    free(s->want_out);
}

/* ---- messages ---- */

static int tag_is_given(const struct shape *s)
{
    return op_of(s)->tag == HR_TAG_TAKEN;
}

/* place_parts puts the parts into memory in reverse order, with gaps between them. */
static void place_parts(struct message *m)
{
    const struct shape *s = m->shape;
    size_t at = m->size, from = 0;
    for (unsigned i = 0; i < s->num_parts; i++) {
        at -= s->parts[i] + GAP;
        m->parts[i] = (struct hr_segment){ m->in + at, m->out ? m->out + at : NULL, s->parts[i] };
        memcpy(m->in + at, s->text + from, s->parts[i]);
        from += s->parts[i];
    }
    m->job.segments = m->parts;
    m->job.num_segments = s->num_parts;
}

static void place_key(struct message *m, enum hr_key_form form)
{
    const struct shape *s = m->shape;
    if (!row_has_key(s->keys->row))
        return;
    m->job.key_form = (uint8_t)form;
    m->job.handle = form == HR_KEY_HANDLE ? s->keys->handle[s->key] : 0;
    m->job.key = form == HR_KEY_OBJECT  ? (const void *)&s->keys->object[s->key]
                 : form == HR_KEY_BYTES ? s->keys->bytes[s->key]
                                        : NULL;
    m->job.key_len = form == HR_KEY_BYTES ? (uint32_t)s->keys->len[s->key] : 0;
}

void message_make(struct message *m, const struct shape *s, enum hr_key_form form)
{
    memset(m, 0, sizeof *m);
    m->shape = s;
    m->want_result = s->want_result;
    m->size = s->len + (s->num_parts + 1) * GAP;
    m->in = malloc(m->size);
    memset(m->in, CANARY, m->size);
    if (s->want_out)
        m->out = s->in_place ? m->in : malloc(m->size);
    if (m->out)
        memset(m->out, CANARY, m->size);
    memset(m->tag, CANARY, sizeof m->tag);
    m->job = (struct hr_job){ .alg = (uint16_t)s->keys->row->alg,
                              .op = s->op,
                              .tag_len = (uint8_t)s->tag_len,
                              .iv = s->iv_len ? s->iv : NULL,
                              .iv_len = (uint32_t)s->iv_len,
                              .aad = s->aad_len ? s->aad : NULL,
                              .aad_len = (uint32_t)s->aad_len,
                              .in = m->in,
                              .out = m->out,
                              .len = s->len,
                              .user = m };
    m->job.tag = tag_len(s) ? m->tag : NULL;
    if (tag_is_given(s))
        memcpy(m->tag, s->tag, tag_len(s));
    place_key(m, form);
    if (s->num_parts)
        place_parts(m);
    else
        memcpy(m->in, s->text, s->len);
    if (s->cut < s->len && form != HR_KEY_HANDLE) { /* states under handles stay in the service */
        m->job.len = s->cut;
        m->job.state_out = m->state;
    }
}

int message_continue(struct message *m)
{
    if (!m->job.state_out || m->job.result)
        return 0;
    m->job.state_in = m->state;
    m->job.state_in_len = m->job.state_out_len;
    m->job.state_out = NULL;
    m->job.state_out_len = 0;
    m->job.in = m->in + m->shape->cut;
    m->job.len = m->shape->len - m->shape->cut;
    return 1;
}

static int is_canary(const uint8_t *p, size_t len)
{
    size_t i = 0;
    while (i < len && p[i] == CANARY)
        i++;
    return i == len;
}

static void check_bytes(const struct message *m, const uint8_t *base, const uint8_t *want,
                        const char *what, const char *how)
{
    const struct shape *s = m->shape;
    size_t at = s->num_parts ? m->size : 0, from = 0;
    const unsigned num = s->num_parts ? s->num_parts : 1;
    for (unsigned i = 0; i < num; i++) {
        const size_t len = s->num_parts ? s->parts[i] : s->len;
        at -= s->num_parts ? len + GAP : 0;
        if (memcmp(base + at, want + from, len) || !is_canary(base + at + len, GAP))
            complain("%s: %s of %zu bytes, part %u of %u", how, what, s->len, i + 1, num);
        from += len;
    }
}

void message_check(const struct message *m, const char *how)
{
    const struct shape *s = m->shape;
    if (m->job.result != m->want_result)
        complain("%s: %zu bytes, key of %zu: %s instead of %s", how, s->len, s->keys->len[s->key],
                 hr_strerror(m->job.result), hr_strerror(m->want_result));
    if (m->job.result && m->job.result != HR_EMAC)
        return;
    if (m->out)
        check_bytes(m, m->out, s->want_out, "output", how);
    if (m->out != m->in)
        check_bytes(m, m->in, s->text, "input", how);
    if (memcmp(m->tag, tag_is_given(s) ? s->tag : s->want_tag, tag_len(s)))
        complain("%s: tag of %zu bytes", how, s->len);
    if (!is_canary(m->tag + tag_len(s), sizeof m->tag - tag_len(s)))
        complain("%s: %zu bytes: behind the tag", how, s->len);
}

void message_free(struct message *m)
{
    if (m->out != m->in)
        free(m->out);
    free(m->in);
}
