// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#ifdef __linux__
#define _GNU_SOURCE
#include "CurlInC.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// The options and their numbers are those of curl.h. See Sources/CCurl.
enum {
    WRITEDATA = 10001, URL = 10002, ERRORBUFFER = 10010, WRITEFUNCTION = 20011, HTTPHEADER = 10023,
    HEADERDATA = 10029, SSLVERSION = 32, CUSTOMREQUEST = 10036, CAINFO = 10065, HEADERFUNCTION = 20079,
    HTTP_VERSION = 84, BUFFERSIZE = 98, NOSIGNAL = 99, CONNECTTIMEOUT_MS = 156, HTTP_CONTENT_DECODING = 158,
    PROTOCOLS_STR = 10318, PATH_AS_IS = 234, MAXAGE_CONN = 288, MAXLIFETIME_CONN = 314,
    M_SOCKETFUNCTION = 20001, M_SOCKETDATA = 10002, M_TIMERFUNCTION = 20004, M_TIMERDATA = 10005, M_MAXCONNECTS = 6,
    GLOBAL_ALL = 3, SOCKET_TIMEOUT = -1,
};

typedef struct {
    int message;
    void *easy;
    union {
        void *any;
        int code;
    } data;
} curl_message;

/// A header field: places in the transfer's text.
typedef struct {
    size_t name, name_size, value, value_size;
} field;

typedef struct transfer {
    struct transfer *next;
    void *fields;
    char *body;
    size_t body_size, body_room;
    char *text;
    size_t text_size, text_room;
    field headers[64];
    int header_count;
    char error[256];
} transfer;

struct curl_in_c {
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *);
    int (*easy_setopt)(void *, int, ...);
    int (*easy_getinfo)(void *, int, ...);
    void *(*slist_append)(void *, const char *);
    void (*slist_free_all)(void *);
    void *(*multi_init)(void);
    int (*multi_setopt)(void *, int, ...);
    int (*multi_add_handle)(void *, void *);
    int (*multi_remove_handle)(void *, void *);
    int (*multi_socket_action)(void *, int, int, int *);
    curl_message *(*multi_info_read)(void *, int *);
    void *multi;
    const char *authorities;
    int poll;
    /// When to call libcurl, in milliseconds; -1 for never.
    long timer;
    long started, ended, bytes;
    int is_broken;
    /// With two threads: held by the thread that uses libcurl.
    pthread_mutex_t turn;
    /// With two threads: the transfers that have ended, for the caller's thread.
    transfer *done;
    pthread_cond_t has_done;
};

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int watch(void *easy, int socket, int what, void *data, void *known) {
    (void)easy;
    curl_in_c *client = data;
    struct epoll_event event = {.data.fd = socket};
    if (what & 1) event.events |= EPOLLIN;
    if (what & 2) event.events |= EPOLLOUT;
    if (what == 4) return epoll_ctl(client->poll, EPOLL_CTL_DEL, socket, NULL), 0;
    (void)known;
    if (epoll_ctl(client->poll, EPOLL_CTL_MOD, socket, &event)) epoll_ctl(client->poll, EPOLL_CTL_ADD, socket, &event);
    return 0;
}

static int set_timer(void *multi, long milliseconds, void *data) {
    (void)multi;
    ((curl_in_c *)data)->timer = milliseconds < 0 ? -1 : now() + milliseconds;
    return 0;
}

static size_t write_body(char *bytes, size_t size, size_t count, void *data) {
    transfer *transfer = data;
    size_t length = size * count;
    if (transfer->body_size + length > transfer->body_room) {
        transfer->body_room = (transfer->body_size + length) * 2;
        transfer->body = realloc(transfer->body, transfer->body_room);
    }
    memcpy(transfer->body + transfer->body_size, bytes, length);
    transfer->body_size += length;
    return length;
}

static size_t read_header(char *line, size_t size, size_t count, void *data) {
    transfer *transfer = data;
    size_t length = size * count, end = length;
    while (end && (line[end - 1] == '\n' || line[end - 1] == '\r')) end--;
    char *colon = memchr(line, ':', end);
    if (!colon || transfer->header_count == 64) return length;
    if (transfer->text_size + end > transfer->text_room) {
        transfer->text_room = (transfer->text_size + end) * 2 + 512;
        transfer->text = realloc(transfer->text, transfer->text_room);
    }
    size_t start = transfer->text_size, name = colon - line, value = name + 1;
    while (value < end && (line[value] == ' ' || line[value] == '\t')) value++;
    memcpy(transfer->text + start, line, end);
    transfer->text_size += end;
    transfer->headers[transfer->header_count++] = (field){start, name, start + value, end - value};
    if (name == 14 && !strncasecmp(line, "content-length", 14)) {
        transfer->body_room = strtoul(line + value, NULL, 10);
        transfer->body = realloc(transfer->body, transfer->body_room ? transfer->body_room : 1);
    }
    return length;
}

curl_in_c *curl_in_c_make(const char *authorities) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW);
    curl_in_c *client = calloc(1, sizeof(curl_in_c));
    int (*global_init)(long);
    if (!library || !client) return NULL;
#define FIND(field, name) if (!(*(void **)&field = dlsym(library, "curl_" name))) return NULL
    FIND(global_init, "global_init");
    FIND(client->easy_init, "easy_init");
    FIND(client->easy_cleanup, "easy_cleanup");
    FIND(client->easy_setopt, "easy_setopt");
    FIND(client->easy_getinfo, "easy_getinfo");
    FIND(client->slist_append, "slist_append");
    FIND(client->slist_free_all, "slist_free_all");
    FIND(client->multi_init, "multi_init");
    FIND(client->multi_setopt, "multi_setopt");
    FIND(client->multi_add_handle, "multi_add_handle");
    FIND(client->multi_remove_handle, "multi_remove_handle");
    FIND(client->multi_socket_action, "multi_socket_action");
    FIND(client->multi_info_read, "multi_info_read");
    global_init(GLOBAL_ALL);
    client->multi = client->multi_init();
    client->poll = epoll_create1(EPOLL_CLOEXEC);
    client->authorities = authorities ? strdup(authorities) : NULL;
    client->timer = -1;
    client->multi_setopt(client->multi, M_SOCKETFUNCTION, watch);
    client->multi_setopt(client->multi, M_SOCKETDATA, client);
    client->multi_setopt(client->multi, M_TIMERFUNCTION, set_timer);
    client->multi_setopt(client->multi, M_TIMERDATA, client);
    client->multi_setopt(client->multi, M_MAXCONNECTS, 128L);
    return client;
}

static void start(curl_in_c *client, const char *url) {
    transfer *own = calloc(1, sizeof(transfer));
    void *easy = client->easy_init();
#define SET(option, value) client->easy_setopt(easy, option, value)
    SET(ERRORBUFFER, own->error);
    SET(NOSIGNAL, 1L);
    SET(PROTOCOLS_STR, "http,https");
    SET(BUFFERSIZE, 65536L);
    SET(PATH_AS_IS, 1L);
    SET(HTTP_CONTENT_DECODING, 0L);
    SET(SSLVERSION, 6L);
    SET(MAXLIFETIME_CONN, 600L);
    SET(MAXAGE_CONN, 30L);
    SET(CONNECTTIMEOUT_MS, 30000L);
    SET(HTTP_VERSION, 2L);
    SET(CUSTOMREQUEST, "GET");
    SET(HEADERFUNCTION, read_header);
    SET(HEADERDATA, own);
    SET(WRITEFUNCTION, write_body);
    SET(WRITEDATA, own);
    SET(URL, url);
    own->fields = client->slist_append(NULL, "Expect:");
    own->fields = client->slist_append(own->fields, "User-Agent: benchmark");
    own->fields = client->slist_append(own->fields, "Accept-Encoding: gzip, deflate, br");
    SET(HTTPHEADER, own->fields);
    if (client->authorities) SET(CAINFO, client->authorities);
    // CURLOPT_PRIVATE
    SET(10103, own);
    client->multi_add_handle(client->multi, easy);
    client->started++;
}

/// Passes events to libcurl, and calls it if its timer is due.
static void handle(curl_in_c *client, struct epoll_event *events, int count) {
    int running = 0;
    for (int index = 0; index < count; index++) {
        int what = (events[index].events & EPOLLIN ? 1 : 0) | (events[index].events & EPOLLOUT ? 2 : 0)
            | (events[index].events & (EPOLLERR | EPOLLHUP) ? 4 : 0);
        client->multi_socket_action(client->multi, events[index].data.fd, what, &running);
    }
    if (client->timer >= 0 && client->timer <= now()) {
        client->timer = -1;
        client->multi_socket_action(client->multi, SOCKET_TIMEOUT, 0, &running);
    }
}

/// Returns a transfer that has ended, without its handle. NULL if none has ended.
static transfer *next_ended(curl_in_c *client) {
    int left = 0;
    curl_message *message = client->multi_info_read(client->multi, &left);
    if (!message) return NULL;
    transfer *own = NULL;
    // CURLINFO_PRIVATE, CURLINFO_RESPONSE_CODE
    client->easy_getinfo(message->easy, 0x100000 + 21, &own);
    long status = 0;
    client->easy_getinfo(message->easy, 0x200000 + 2, &status);
    if (message->data.code || status != 200) client->is_broken = 1;
    void *easy = message->easy;
    client->multi_remove_handle(client->multi, easy);
    client->easy_cleanup(easy);
    client->slist_free_all(own->fields);
    return own;
}

/// Counts and frees a response.
static void use(curl_in_c *client, transfer *own) {
    client->bytes += own->body_size;
    client->ended++;
    free(own->body);
    free(own->text);
    free(own);
}

static void fill(curl_in_c *client, const char *url, long requests, long in_flight) {
    while (client->started < requests && client->started - client->ended < in_flight) start(client, url);
}

long curl_in_c_run(curl_in_c *client, const char *url, long requests, long in_flight) {
    client->started = client->ended = client->bytes = client->is_broken = 0;
    while (client->ended < requests && !client->is_broken) {
        fill(client, url, requests, in_flight);
        long left = client->timer < 0 ? 1000 : client->timer - now();
        struct epoll_event events[64];
        handle(client, events, epoll_wait(client->poll, events, 64, left > 0 ? (int)left : 0));
        for (transfer *own; (own = next_ended(client));) use(client, own);
    }
    return client->is_broken ? -1 : client->bytes;
}

/// Moves the transfers that have ended to the list for the caller's thread.
static void collect(curl_in_c *client) {
    for (transfer *own; (own = next_ended(client)); client->done = own) own->next = client->done;
}

/// Waits for events, and collects the transfers that have ended. Never returns.
static void *run_loop(void *data) {
    curl_in_c *client = data;
    for (;;) {
        struct epoll_event events[64];
        // libcurl's timeouts take seconds, so checking for them every second is enough.
        int count = epoll_wait(client->poll, events, 64, 1000);
        pthread_mutex_lock(&client->turn);
        handle(client, events, count);
        collect(client);
        int has_done = client->done != NULL;
        pthread_mutex_unlock(&client->turn);
        if (has_done) pthread_cond_signal(&client->has_done);
    }
}

int curl_in_c_start_loop(curl_in_c *client) {
    pthread_t thread;
    pthread_mutex_init(&client->turn, NULL);
    pthread_cond_init(&client->has_done, NULL);
    return pthread_create(&thread, NULL, run_loop, client);
}

long curl_in_c_run_beside_loop(curl_in_c *client, const char *url, long requests, long in_flight) {
    pthread_mutex_lock(&client->turn);
    client->started = client->ended = client->bytes = client->is_broken = 0;
    while (client->ended < requests && !client->is_broken) {
        fill(client, url, requests, in_flight);
        handle(client, NULL, 0);
        // A response can arrive before libcurl returns.
        collect(client);
        while (!client->done) pthread_cond_wait(&client->has_done, &client->turn);
        transfer *done = client->done;
        client->done = NULL;
        pthread_mutex_unlock(&client->turn);
        while (done) {
            transfer *next = done->next;
            use(client, done);
            done = next;
        }
        pthread_mutex_lock(&client->turn);
    }
    pthread_mutex_unlock(&client->turn);
    return client->is_broken ? -1 : client->bytes;
}
#endif
