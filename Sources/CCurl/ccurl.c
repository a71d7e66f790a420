// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#ifdef __linux__

#define _GNU_SOURCE
#include "ccurl.h"
#include "find.h"

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

// The sanitizers abort a process that uses RTLD_DEEPBIND, and musl doesn't have it.
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || !defined(RTLD_DEEPBIND)
#define OWN_BINDING 0
#else
#define OWN_BINDING RTLD_DEEPBIND
#endif

const bool ccurl_has_thread_sanitizer = __has_feature(thread_sanitizer);

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
    // Also finds the functions of the libraries that libcurl depends on.
    FIND(handle, library->ssl_has_pending, "SSL_has_pending");
    return NULL;
}

// Keeps loops out of the libraries while the process ends. The exit handler below runs before those of the
// libraries (such as OpenSSL's), because it is registered later. Without it, a loop could be inside a library
// that is being torn down.
#ifdef PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
static pthread_rwlock_t use = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
static pthread_rwlock_t use = PTHREAD_RWLOCK_INITIALIZER;
#endif
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

/// The signals of failed writes, without those in a mask.
static sigset_t write_signals(const sigset_t *mask) {
    sigset_t set;
    sigemptyset(&set);
    if (!mask || !sigismember(mask, SIGPIPE)) sigaddset(&set, SIGPIPE);
    if (!mask || !sigismember(mask, SIGXFSZ)) sigaddset(&set, SIGXFSZ);
    return set;
}

void ccurl_begin_thread(void) {
    sigset_t signals = write_signals(NULL);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    // `Thread.name` doesn't work: a thread that starts sets the name of its creator meanwhile.
    pthread_setname_np(pthread_self(), "CurlTransport");
}

void ccurl_enter_from_caller(sigset_t *mask) {
    sigset_t signals = write_signals(NULL);
    ccurl_enter();
    pthread_sigmask(SIG_BLOCK, &signals, mask);
}

void ccurl_leave_to_caller(const sigset_t *mask) {
    // Take the signals that were sent, before they can end the process.
    sigset_t signals = write_signals(mask);
    while (sigtimedwait(&signals, NULL, &(struct timespec){0}) > 0) {}
    pthread_sigmask(SIG_SETMASK, mask, NULL);
    ccurl_leave();
}

uint32_t ccurl_epoll_events(int what) {
    return (what & 1 ? EPOLLIN : 0) | (what & 2 ? EPOLLOUT : 0);
}

int ccurl_what(uint32_t events) {
    return (events & (EPOLLIN | EPOLLHUP) ? 1 : 0) | (events & EPOLLOUT ? 2 : 0) | (events & EPOLLERR ? 4 : 0);
}

int ccurl_set_long(const ccurl *library, void *easy, int option, long value) {
    return library->easy_setopt(easy, option, value);
}

int ccurl_set_pointer(const ccurl *library, void *easy, int option, const void *value) {
    return library->easy_setopt(easy, option, value);
}

int64_t ccurl_get(const ccurl *library, void *easy, int info) {
    int64_t size = 0;
    long number = 0;
    if ((info & 0xF00000) == 0x600000) {
        library->easy_getinfo(easy, info, &size);
    } else {
        library->easy_getinfo(easy, info, &number);
    }
    return size + number;
}

/// curl_tlssessioninfo.
typedef struct {
    int backend;
    void *session;
} tls_session;

bool ccurl_has_tls_input(const ccurl *library, void *easy) {
    const tls_session *found = NULL;
    if (!library->ssl_has_pending) return false;
    if (library->easy_getinfo(easy, CCURL_INFO_TLS_SSL_PTR, &found) || !found || !found->session) return false;
    return found->backend == 1 && library->ssl_has_pending(found->session);  // 1: OpenSSL
}

bool ccurl_has_ports(int socket, int local, int remote) {
    // The port has the same offset in IPv4 and IPv6 addresses.
    struct sockaddr_in6 own = {0}, other = {0};
    socklen_t own_size = sizeof own, other_size = sizeof other;
    getsockname(socket, (struct sockaddr *)&own, &own_size);
    getpeername(socket, (struct sockaddr *)&other, &other_size);
    return ntohs(own.sin6_port) == local && ntohs(other.sin6_port) == remote;
}

bool ccurl_is_short_of_files(int file) {
    if (file < 0) return errno == EMFILE || errno == ENFILE;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY) return false;
    // An eighth, at most 32. Name lookups, certificates and the rest of the process need files, too. The system gives
    // the lowest free number.
    rlim_t reserve = limit.rlim_cur / 8 < 32 ? limit.rlim_cur / 8 : 32;
    return (rlim_t)file >= limit.rlim_cur - reserve;
}

int ccurl_start_thread(void *(*run)(void *), void *argument) {
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);
    if (code) return code;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    code = pthread_create(&thread, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    return code;
}

static int refuse_to_open(void *transfer, int purpose, ccurl_address *address) {
    return -1;
}

static int refuse_to_send(void *transfer, const char *remote, const char *local, int remote_port, int local_port) {
    return CCURL_PREREQ_ABORT;
}

void *ccurl_sweeper(const ccurl *library) {
    void *easy = library->easy_init();
    if (!easy) return NULL;
    // No connection has the address for broadcasts, so libcurl can't find one to use again.
    int failure = library->easy_setopt(easy, CCURL_URL, "http://255.255.255.255:1");
    failure |= library->easy_setopt(easy, CCURL_PREREQFUNCTION, refuse_to_send);
    failure |= library->easy_setopt(easy, CCURL_OPENSOCKETFUNCTION, refuse_to_open);
    library->easy_setopt(easy, CCURL_PROXY, "");
    library->easy_setopt(easy, CCURL_NOSIGNAL, 1L);
    if (!failure) return easy;
    library->easy_cleanup(easy);
    return NULL;
}

void *ccurl_slist_append(const ccurl *library, void *last, const char *line) {
    struct node { char *data; struct node *next; };  // The same as curl_slist.
    struct node *list = library->slist_append(last, line);
    return last && list ? list->next : list;
}

void *ccurl_multi(const ccurl *library, const ccurl_callbacks *callbacks, long connections) {
    void *multi = library->multi_init();
    if (!multi) return NULL;
    library->multi_setopt(multi, CCURL_MULTI_SOCKETFUNCTION, callbacks->watch);
    library->multi_setopt(multi, CCURL_MULTI_TIMERFUNCTION, callbacks->timer);
    library->multi_setopt(multi, CCURL_MULTI_MAXCONNECTS, connections);
    return multi;
}

void ccurl_set_owner(const ccurl *library, void *multi, void *owner) {
    library->multi_setopt(multi, CCURL_MULTI_SOCKETDATA, owner);
    library->multi_setopt(multi, CCURL_MULTI_TIMERDATA, owner);
}

void *ccurl_easy(
    const ccurl *library, const ccurl_callbacks *callbacks, void *transfer, void *loop, char *error, int64_t size) {
    void *easy = library->easy_init();
    if (!easy) return NULL;
#define SET(option, value) library->easy_setopt(easy, CCURL_##option, value)
    SET(ERRORBUFFER, error);
    SET(INFILESIZE_LARGE, size);
    SET(NOSIGNAL, 1L);
    // Allow http and https only. libcurl's other protocols could reach files and other kinds of servers.
    int failure = library->version >= 0x075500 ? SET(PROTOCOLS_STR, "http,https") : SET(PROTOCOLS, 3L);
    // Otherwise a transfer that is cancelled during its DNS lookup blocks all others until the lookup ends.
    if (library->version >= 0x075700) SET(QUICK_EXIT, 1L);
    // Four times the default size, so a large body takes a quarter of the callbacks. With 65,541 bytes or more,
    // a long host name can't overflow the SOCKS5 code of libcurl before 8.4.0 (CVE-2023-38545).
    SET(BUFFERSIZE, 65541L);
    SET(PATH_AS_IS, 1L);
    // libcurl would accept a truncated gzip body as complete. CurlDecoder decodes instead.
    SET(HTTP_CONTENT_DECODING, 0L);
    failure |= SET(SSL_VERIFYPEER, 1L);
    failure |= SET(SSL_VERIFYHOST, 2L);
    SET(MAXLIFETIME_CONN, 600L);
    SET(HEADERFUNCTION, callbacks->header);
    SET(WRITEFUNCTION, callbacks->write);
    failure |= SET(PREREQFUNCTION, callbacks->request);
    SET(READFUNCTION, callbacks->read);
    SET(SEEKFUNCTION, callbacks->seek);
    SET(OPENSOCKETFUNCTION, callbacks->open);
    // Not called without CCURL_VERBOSE.
    SET(DEBUGFUNCTION, callbacks->debug);
    static const int data[] = {
        CCURL_HEADERDATA, CCURL_WRITEDATA, CCURL_PREREQDATA, CCURL_READDATA, CCURL_SEEKDATA, CCURL_OPENSOCKETDATA,
        CCURL_DEBUGDATA,
    };
    for (size_t i = 0; i < sizeof data / sizeof *data; i++) library->easy_setopt(easy, data[i], transfer);
    SET(CLOSESOCKETFUNCTION, callbacks->close);
    SET(CLOSESOCKETDATA, loop);
    if (!failure) return easy;
    // Fail rather than use a handle without these checks.
    library->easy_cleanup(easy);
    return NULL;
}

#endif
