// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#ifdef __linux__

#define _GNU_SOURCE
#include "ccurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define OWN_BINDING 0  // The sanitizers abort a process that uses RTLD_DEEPBIND.
#else
#define OWN_BINDING RTLD_DEEPBIND
#endif

const bool ccurl_has_thread_sanitizer = __has_feature(thread_sanitizer);

// POSIX allows storing a function's address through a pointer to an object.
#define FIND(handle, target, name) (*(void **)&(target) = dlsym(handle, name))

const char *ccurl_open(const char *path, ccurl *library) {
    // A library given by a path shares function names with the system's libcurl, which the process may have
    // loaded already. Without this flag, the library would call that libcurl.
    int binding = strchr(path, '/') ? OWN_BINDING : 0;
    // Never closed: libcurl's threads may outlive all transfers, and other code in the process uses it.
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | binding);
    if (!handle) return dlerror();
#define NEED(result, name, arguments) \
    if (!FIND(handle, library->name, "curl_" #name)) return "the function curl_" #name " is missing";
    CCURL_FUNCTIONS(NEED)
    library->version = library->version_info(0)->number;
    return NULL;
}

// Keeps loops out of the libraries while the process ends. The exit handler below runs before those of the
// libraries (such as OpenSSL's), because it is registered later. Without it, a loop could be inside a library
// that is being torn down.
static pthread_rwlock_t use = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static __thread int is_inside;

static void wait_for_users(void) {
    if (is_inside) return;  // The process is ending from within a library's callback.
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += 1;  // Don't wait longer, because a callback may never return.
    pthread_rwlock_timedwrlock(&use, &time);
}

int ccurl_start(const ccurl *library) {
    // 3: CURL_GLOBAL_ALL. libcurl counts these calls, so other users of the library aren't affected.
    int code = library->global_init(3);
    return code ? code : atexit(wait_for_users);
}

void ccurl_enter(void) {
    if (!is_inside++) pthread_rwlock_rdlock(&use);
}

void ccurl_leave(void) {
    if (!--is_inside) pthread_rwlock_unlock(&use);
}

static sigset_t pipe_signal(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return set;
}

void ccurl_begin_thread(void) {
    sigset_t signal = pipe_signal();
    pthread_sigmask(SIG_BLOCK, &signal, NULL);
    // `Thread.name` is no substitute: a thread that starts sets the name of its creator meanwhile.
    pthread_setname_np(pthread_self(), "CurlTransport");
}

void ccurl_enter_from_caller(sigset_t *mask) {
    sigset_t signal = pipe_signal();
    ccurl_enter();
    pthread_sigmask(SIG_BLOCK, &signal, mask);
}

void ccurl_leave_to_caller(const sigset_t *mask) {
    if (!sigismember(mask, SIGPIPE)) {
        // Take the signal if it was sent, before it can end the process.
        sigset_t signal = pipe_signal();
        sigtimedwait(&signal, NULL, &(struct timespec){0});
        pthread_sigmask(SIG_SETMASK, mask, NULL);
    }
    ccurl_leave();
}

int ccurl_set_long(const ccurl *library, void *easy, int option, long value) {
    return library->easy_setopt(easy, option, value);
}

int ccurl_set_size(const ccurl *library, void *easy, int option, int64_t value) {
    return library->easy_setopt(easy, option, value);
}

int ccurl_set_pointer(const ccurl *library, void *easy, int option, const void *value) {
    return library->easy_setopt(easy, option, value);
}

long ccurl_get_long(const ccurl *library, void *easy, int info) {
    long value = 0;
    library->easy_getinfo(easy, info, &value);
    return value;
}

int64_t ccurl_get_size(const ccurl *library, void *easy, int info) {
    int64_t value = 0;
    library->easy_getinfo(easy, info, &value);
    return value;
}

const char *ccurl_get_string(const ccurl *library, void *easy, int info) {
    const char *value = NULL;
    library->easy_getinfo(easy, info, &value);
    return value;
}

void *ccurl_slist_append(const ccurl *library, void *last, const char *line) {
    struct node { char *data; struct node *next; };  // The same as curl_slist.
    struct node *list = library->slist_append(last, line);
    return last && list ? list->next : list;
}

void *ccurl_multi(const ccurl *library, const ccurl_callbacks *callbacks, void *loop, long connections) {
    void *multi = library->multi_init();
    if (!multi) return NULL;
    library->multi_setopt(multi, CCURL_MULTI_SOCKETFUNCTION, callbacks->watch);
    library->multi_setopt(multi, CCURL_MULTI_SOCKETDATA, loop);
    library->multi_setopt(multi, CCURL_MULTI_TIMERFUNCTION, callbacks->timer);
    library->multi_setopt(multi, CCURL_MULTI_TIMERDATA, loop);
    library->multi_setopt(multi, CCURL_MULTI_MAXCONNECTS, connections);
    return multi;
}

void *ccurl_easy(const ccurl *library, const ccurl_callbacks *callbacks, void *transfer, void *loop, char *error) {
    void *easy = library->easy_init();
    if (!easy) return NULL;
#define SET(option, value) library->easy_setopt(easy, CCURL_##option, value)
    SET(ERRORBUFFER, error);
    SET(NOSIGNAL, 1L);
    // Allow http and https only. libcurl's other protocols could reach files and other kinds of servers.
    int failure = library->version >= 0x075500 ? SET(PROTOCOLS_STR, "http,https") : SET(PROTOCOLS, 3L);
    // Otherwise a transfer that is cancelled during its DNS lookup blocks all others until the lookup ends.
    if (library->version >= 0x075700) SET(QUICK_EXIT, 1L);
    // Four times the default size, so a large body takes a quarter of the callbacks. With 65,541 bytes or more,
    // a long host name can't overflow the SOCKS5 code of libcurl before 8.4.0 (CVE-2023-38545).
    SET(BUFFERSIZE, 65541L);
    SET(PATH_AS_IS, 1L);
    SET(DISALLOW_USERNAME_IN_URL, 1L);
    // libcurl would accept a truncated gzip body as complete. CurlDecoder decodes instead.
    SET(HTTP_CONTENT_DECODING, 0L);
    failure |= SET(SSL_VERIFYPEER, 1L);
    failure |= SET(SSL_VERIFYHOST, 2L);
    failure |= SET(SSLVERSION, 6L);  // TLS 1.2 and later
    SET(MAXLIFETIME_CONN, 600L);
    SET(HEADERFUNCTION, callbacks->header);
    SET(HEADERDATA, transfer);
    SET(WRITEFUNCTION, callbacks->write);
    SET(WRITEDATA, transfer);
    failure |= SET(PREREQFUNCTION, callbacks->request);
    SET(PREREQDATA, transfer);
    SET(READFUNCTION, callbacks->read);
    SET(READDATA, transfer);
    SET(SEEKFUNCTION, callbacks->seek);
    SET(SEEKDATA, transfer);
    SET(OPENSOCKETFUNCTION, callbacks->open);
    SET(OPENSOCKETDATA, transfer);
    SET(CLOSESOCKETFUNCTION, callbacks->close);
    SET(CLOSESOCKETDATA, loop);
    // Not called without CCURL_VERBOSE.
    SET(DEBUGFUNCTION, callbacks->debug);
    SET(DEBUGDATA, transfer);
    if (!failure) return easy;
    // Fail rather than use a handle without these checks.
    library->easy_cleanup(easy);
    return NULL;
}

// MARK: - Decompression

/// z_stream, as in zlib.h.
typedef struct {
    const uint8_t *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state, *alloc, *free, *opaque;
    int data_type;
    unsigned long adler, reserved;
} z_stream;

static struct {
    int (*init)(z_stream *, int, const char *, int);
    int (*run)(z_stream *, int);
    int (*reset)(z_stream *);
    int (*end)(z_stream *);
} zlib;

static struct {
    void *(*create)(void *, void *, void *);
    void (*destroy)(void *);
    int (*run)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
} brotli;

static int has_zlib, has_brotli;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_decoders(void) {
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    has_zlib = library && FIND(library, zlib.init, "inflateInit2_") && FIND(library, zlib.run, "inflate")
        && FIND(library, zlib.reset, "inflateReset") && FIND(library, zlib.end, "inflateEnd");
    library = dlopen("libbrotlidec.so.1", RTLD_NOW | RTLD_LOCAL);
    has_brotli = library && FIND(library, brotli.create, "BrotliDecoderCreateInstance")
        && FIND(library, brotli.destroy, "BrotliDecoderDestroyInstance")
        && FIND(library, brotli.run, "BrotliDecoderDecompressStream");
}

struct ccurl_decoder {
    z_stream stream;
    void *brotli;
    /// 'g', 'd' or 'b'.
    char coding;
    int is_begun, is_ended;
};

ccurl_decoder *ccurl_decoder_make(const char *coding) {
    pthread_once(&once, find_decoders);
    int is_brotli = !strcmp(coding, "br");
    int is_zlib = !strcmp(coding, "gzip") || !strcmp(coding, "deflate");
    if (!(is_brotli && has_brotli) && !(is_zlib && has_zlib)) return NULL;
    ccurl_decoder *decoder = calloc(1, sizeof(ccurl_decoder));
    if (!decoder) return NULL;
    decoder->coding = coding[0];
    if (is_brotli && !(decoder->brotli = brotli.create(NULL, NULL, NULL))) {
        free(decoder);
        return NULL;
    }
    return decoder;
}

void ccurl_decoder_free(ccurl_decoder *decoder) {
    if (decoder->brotli) brotli.destroy(decoder->brotli);
    if (decoder->is_begun) zlib.end(&decoder->stream);
    free(decoder);
}

static int run_brotli(
    ccurl_decoder *decoder, const uint8_t **input, size_t *input_size, uint8_t *output, size_t *output_size) {
    int result = brotli.run(decoder->brotli, input_size, input, output_size, &output, NULL);
    if (result == 1) return *input_size ? CCURL_DECODE_BAD : CCURL_DECODE_END;
    return result == 2 ? CCURL_DECODE_MORE : result == 3 ? CCURL_DECODE_FULL : CCURL_DECODE_BAD;
}

int ccurl_decode(
    ccurl_decoder *decoder, const uint8_t **input, size_t *input_size, uint8_t *output, size_t *output_size) {
    z_stream *stream = &decoder->stream;
    if (decoder->coding == 'b') return run_brotli(decoder, input, input_size, output, output_size);
    if (!*input_size && !decoder->is_begun) return CCURL_DECODE_MORE;
    if (!*input_size && decoder->is_ended) return CCURL_DECODE_END;
    if (!decoder->is_begun) {
        // "deflate" means the zlib format (RFC 9110, section 8.4.1.2), but some servers send raw deflate data.
        // The first byte shows which one it is.
        int isZlib = (**input & 0x0F) == 8 && **input < 0x80;
        int bits = decoder->coding == 'g' ? 15 + 16 : isZlib ? 15 : -15;
        if (zlib.init(stream, bits, "1.2.11", sizeof(z_stream))) return CCURL_DECODE_BAD;
        decoder->is_begun = 1;
    }
    // A gzip file may have several members (RFC 1952, section 2.2).
    if (decoder->is_ended && (decoder->coding != 'g' || zlib.reset(stream))) return CCURL_DECODE_BAD;
    decoder->is_ended = 0;
    stream->next_in = *input;
    stream->avail_in = *input_size;
    stream->next_out = output;
    stream->avail_out = *output_size;
    int result = zlib.run(stream, 0);
    *input = stream->next_in;
    *input_size = stream->avail_in;
    *output_size = stream->avail_out;
    decoder->is_ended = result == 1;
    if (decoder->is_ended) return *input_size ? CCURL_DECODE_FULL : CCURL_DECODE_END;
    if (result == -5) return CCURL_DECODE_MORE;
    return result ? CCURL_DECODE_BAD : stream->avail_out ? CCURL_DECODE_MORE : CCURL_DECODE_FULL;
}

#endif
