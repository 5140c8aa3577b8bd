/* SPDX-License-Identifier: Apache-2.0 */
/* Template: the parts that contexts of any class have in common.  A context has a stream of the
 * accelerator's client from the first byte of data to the end of the message.  A file that
 * includes the template defines before:
 *
 *   struct handle_context   with the members stream, row, provider, key, served and running, which
 *                           says whether the stream has begun
 *   HANDLE_CLIENT(call)     the name of the client's call for this class of streams
 *   HANDLE_INIT_ARGS        the arguments of its init behind the handle, for a context `c`
 *   ctx_got, ctx_taken      lists of parameters, by param_table.h */

static void stop(struct handle_context *c)
{
    if (c->running)
        client.HANDLE_CLIENT(wipe)(&c->stream);
    c->running = 0;
}

static void handle_freectx(void *ctx)
{
    struct handle_context *c = ctx;
    if (!c)
        return;
    stop(c);
    stats_fold(&c->served);
    handle_release(c->key);
    WIPE(c);
    free(c);
}

static void *handle_dupctx(void *ctx)
{
    const struct handle_context *c = ctx;
    struct handle_context *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *c;
    handle_hold(copy->key);
    served_init(&copy->served, c->served.index);
    if (!c->running || !client.HANDLE_CLIENT(copy)(&copy->stream, &c->stream))
        return copy;
    copy->running = 0;
    handle_freectx(copy);
    return NULL;
}

/* run starts the stream, or gives it the key that the program set last, as it may at any time.  It
 * returns 1, or 0 with an error raised. */
static int run(struct handle_context *c)
{
    const uint64_t handle = c->key ? c->key->number : 0;
    if (!client_loaded(c->provider))
        return 0;
    const int error =
        c->running ? client.HANDLE_CLIENT(set_key)(&c->stream, handle)
                   : client.HANDLE_CLIENT(init)(&c->stream, c->row->alg, handle, HANDLE_INIT_ARGS);
    c->running = !error;
    return !error || RAISE_HR(c->provider, error);
}

static const OSSL_PARAM *handle_gettable_ctx(void *ctx, void *provctx)
{
    return param_list(provctx, HANDLE_LIST(GOT), ctx_got);
}

static const OSSL_PARAM *handle_settable_ctx(void *ctx, void *provctx)
{
    return param_list(provctx, HANDLE_LIST(TAKEN), ctx_taken);
}
