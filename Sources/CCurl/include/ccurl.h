// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The functions of libcurl and zlib that CurlTransport needs. They are loaded at run time, so building
// and linking don't need these libraries. Their ABIs are stable and documented. The option numbers are those of
// curl.h.

#ifndef CCURL_H
#define CCURL_H
#ifdef __linux__

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

enum {
    CCURL_WRITEDATA = 10001, CCURL_URL = 10002, CCURL_PROXY = 10004, CCURL_READDATA = 10009,
    CCURL_ERRORBUFFER = 10010, CCURL_WRITEFUNCTION = 20011, CCURL_READFUNCTION = 20012,
    CCURL_HTTPHEADER = 10023, CCURL_HEADERDATA = 10029, CCURL_SSLVERSION = 32,
    CCURL_CUSTOMREQUEST = 10036, CCURL_NOBODY = 44, CCURL_UPLOAD = 46, CCURL_SSL_VERIFYPEER = 64,
    CCURL_CAINFO = 10065, CCURL_CAPATH = 10097, CCURL_SSLCERT = 10025, CCURL_KEYPASSWD = 10026,
    CCURL_SSLKEY = 10087,
    CCURL_FRESH_CONNECT = 74, CCURL_FORBID_REUSE = 75,
    CCURL_HEADERFUNCTION = 20079, CCURL_SSL_VERIFYHOST = 81, CCURL_HTTP_VERSION = 84,
    CCURL_BUFFERSIZE = 98, CCURL_NOSIGNAL = 99, CCURL_INFILESIZE_LARGE = 30115, CCURL_CONNECTTIMEOUT_MS = 156,
    CCURL_HTTP_CONTENT_DECODING = 158, CCURL_OPENSOCKETFUNCTION = 20163, CCURL_OPENSOCKETDATA = 10164,
    CCURL_SEEKFUNCTION = 20167, CCURL_SEEKDATA = 10168, CCURL_PROTOCOLS = 181,
    CCURL_CLOSESOCKETFUNCTION = 20208, CCURL_CLOSESOCKETDATA = 10209, CCURL_PINNEDPUBLICKEY = 10230,
    CCURL_UNIX_SOCKET_PATH = 10231, CCURL_PATH_AS_IS = 234, CCURL_PIPEWAIT = 237,
    CCURL_MAXAGE_CONN = 288, CCURL_INTERFACE = 10062, CCURL_CONNECT_TO = 10243,
    CCURL_PREREQFUNCTION = 20312, CCURL_PREREQDATA = 10313, CCURL_MAXLIFETIME_CONN = 314,
    CCURL_PROTOCOLS_STR = 10318, CCURL_QUICK_EXIT = 322,
    CCURL_NOPROXY = 10177, CCURL_MULTI_SOCKETFUNCTION = 20001, CCURL_MULTI_SOCKETDATA = 10002, CCURL_MULTI_MAXCONNECTS = 6,
    CCURL_MULTI_TIMERFUNCTION = 20004, CCURL_MULTI_TIMERDATA = 10005, CCURL_INFO_SSL_VERIFYRESULT = 0x20000D,
    CCURL_INFO_SIZE_DOWNLOAD = 0x600008, CCURL_INFO_SIZE_UPLOAD = 0x600007, CCURL_INFO_REQUEST_SIZE = 0x20000C,
    CCURL_INFO_HEADER_SIZE = 0x20000B, CCURL_INFO_HTTP_VERSION = 0x20002E,
    CCURL_INFO_NAMELOOKUP_TIME = 0x600033, CCURL_INFO_CONNECT_TIME = 0x600034,
    CCURL_INFO_APPCONNECT_TIME = 0x600038, CCURL_INFO_TLS_SSL_PTR = 0x40002D,
    CCURL_VERBOSE = 41, CCURL_DEBUGFUNCTION = 20094, CCURL_DEBUGDATA = 10095, CCURL_DEBUG_TEXT = 0, CCURL_DEBUG_DATA_IN = 3, CCURL_PAUSE_RECV = 1, CCURL_PAUSE_SEND = 4,
    CCURL_READ_ABORT = 0x10000000, CCURL_READ_PAUSE = 0x10000001, CCURL_WRITE_PAUSE = 0x10000001,
    CCURL_PREREQ_ABORT = 1, CCURL_MESSAGE_DONE = 1,
    // CURLcodes. CurlMulti+Errors has the others.
    CCURL_ABORTED_BY_CALLBACK = 42, CCURL_BAD_FUNCTION_ARGUMENT = 43, CCURL_HTTP2_STREAM = 92,
};

// glibc's enums, which Swift imports with types of their own, are macros in musl. These are numbers with both.
static const int ccurl_close_on_exec = SOCK_CLOEXEC;
/// The events of an alarm: its file has become readable.
static const uint32_t ccurl_epoll_alarm = EPOLLIN | EPOLLET;
/// The events of a connection that the server has closed.
static const uint32_t ccurl_epoll_closed = EPOLLRDHUP | EPOLLHUP | EPOLLERR;

/// Converts libcurl's numbers to events: 1 for reading, 2 for writing, 3 for both, and others for nothing.
uint32_t ccurl_epoll_events(int what);
/// Converts events to libcurl's numbers: 1 for reading, 2 for writing, 4 for an error, or a sum of them.
int ccurl_what(uint32_t events);

/// The first fields of curl_version_info_data.
typedef struct {
    int age;
    const char *version;
    unsigned int number;
} ccurl_version;

/// The result of curl_multi_info_read (CURLMsg).
typedef struct {
    int message;
    void *easy;
    union {
        void *any;
        int code;
    } data;
} ccurl_message;

/// curl_sockaddr, the argument of the callback that opens a socket. More bytes of the address may follow.
typedef struct {
    int family;
    int type;
    int protocol;
    unsigned int size;
    struct sockaddr address;
} ccurl_address;

/// The functions of libcurl that CurlTransport uses.
#define CCURL_FUNCTIONS(F) \
    F(int, global_init, (long)) \
    F(const ccurl_version *, version_info, (int)) \
    F(void *, easy_init, (void)) \
    F(void, easy_cleanup, (void *)) \
    F(int, easy_setopt, (void *, int, ...)) \
    F(int, easy_getinfo, (void *, int, ...)) \
    F(int, easy_pause, (void *, int)) \
    F(const char *, easy_strerror, (int)) \
    F(void *, slist_append, (void *, const char *)) \
    F(void, slist_free_all, (void *)) \
    F(void *, multi_init, (void)) \
    F(int, multi_cleanup, (void *)) \
    F(int, multi_setopt, (void *, int, ...)) \
    F(int, multi_add_handle, (void *, void *)) \
    F(int, multi_remove_handle, (void *, void *)) \
    F(int, multi_socket_action, (void *, int, int, int *)) \
    F(const ccurl_message *, multi_info_read, (void *, int *))

/// The functions of one loaded libcurl.
typedef struct {
#define CCURL_FIELD(result, name, arguments) result(*name) arguments;
    CCURL_FUNCTIONS(CCURL_FIELD)
    /// Its version, such as 0x075801 for 7.88.1.
    unsigned int version;
    /// OpenSSL's SSL_has_pending. NULL if libcurl uses another TLS library, or contains it.
    int (*ssl_has_pending)(const void *);
} ccurl;

/// Opens a library. Returns NULL, or an error message that is valid until the thread's next call.
const char *ccurl_open(const char *path, ccurl *library);

/// Initializes a library for the whole process. Returns 0 on success.
int ccurl_start(const ccurl *library);

// Call this first on a transport's thread. Sets the name that debuggers and `top` show, and blocks the signals of
// failed writes, which would end the process: to a connection that the server has closed (SIGPIPE), and to a file that
// has its largest size (SIGXFSZ).
void ccurl_begin_thread(void);

// Call these before and after using a library on a thread that may outlive main. A process that is
// ending blocks ccurl_enter, and waits up to a second for ccurl_leave.
void ccurl_enter(void);
void ccurl_leave(void);

// The same for a caller's thread. These signals are blocked in between. `mask` keeps the thread's signal mask.
void ccurl_enter_from_caller(sigset_t *mask);
void ccurl_leave_to_caller(const sigset_t *mask);

/// Whether ThreadSanitizer checks this program.
extern const bool ccurl_has_thread_sanitizer;

// curl_easy_setopt and curl_easy_getinfo are variadic, so there is one function per argument type.
int ccurl_set_long(const ccurl *library, void *easy, int option, long value);
int ccurl_set_pointer(const ccurl *library, void *easy, int option, const void *value);
/// Returns a number. The kind of `info` says whether it is a long or 64 bits wide.
int64_t ccurl_get(const ccurl *library, void *easy, int info);

/// Whether OpenSSL holds bytes that have arrived on the handle's connection. New versions of libcurl let it read ahead.
bool ccurl_has_tls_input(const ccurl *library, void *easy);

/// Whether a socket has these ports, its own and that of the server.
bool ccurl_has_ports(int socket, int local, int remote);

/// Whether the process has hardly any file descriptors left. `file` is a new one, or -1 if the process got none.
bool ccurl_is_short_of_files(int file);

/// Starts a detached thread: nothing waits for its end. Returns 0 on success.
int ccurl_start_thread(void *(*run)(void *), void *argument);

/// Creates an easy handle for a request that opens no connection. libcurl closes idle connections that are broken only
/// when a request starts. NULL if memory runs out.
void *ccurl_sweeper(const ccurl *library);

/// Appends a copy of a line to a list of libcurl. `last` is the list's last node, or NULL if the list is empty. Returns
/// the new node, or NULL if memory runs out.
void *ccurl_slist_append(const ccurl *library, void *last, const char *line);

/// The callbacks, which are the same for every transfer.
typedef struct {
    size_t (*header)(char *, size_t, size_t, void *);
    size_t (*write)(char *, size_t, size_t, void *);
    size_t (*read)(char *, size_t, size_t, void *);
    int (*seek)(void *, int64_t, int);
    int (*open)(void *, int, const ccurl_address *);
    int (*close)(void *, int);
    int (*request)(void *, const char *, const char *, int, int);
    int (*watch)(void *, int, int, void *, void *);
    int (*timer)(void *, long, void *);
    int (*debug)(void *, int, char *, size_t, void *);
} ccurl_callbacks;

/// Creates a multi handle, which calls back to set the loop's sockets and timer. NULL if memory runs out.
void *ccurl_multi(const ccurl *library, const ccurl_callbacks *callbacks, long connections);

/// Sets the argument of the multi handle's callbacks.
void ccurl_set_owner(const ccurl *library, void *multi, void *owner);

/// Creates an easy handle, and sets all options that don't depend on the request. NULL if memory runs out, or if
/// libcurl refuses an option that is needed for security. `size` is that of the request's body, or -1.
void *ccurl_easy(
    const ccurl *library, const ccurl_callbacks *callbacks, void *transfer, void *loop, char *error, int64_t size);

/// Decompresses gzip and deflate.
typedef struct ccurl_decoder ccurl_decoder;
enum { CCURL_DECODE_MORE, CCURL_DECODE_FULL, CCURL_DECODE_END, CCURL_DECODE_BAD };

/// Creates a decoder of gzip, or of deflate. NULL if zlib is missing.
ccurl_decoder *ccurl_decoder_make(bool is_gzip);
void ccurl_decoder_free(ccurl_decoder *decoder);
/// Decodes from the input into the output. Afterwards, both sizes say how many bytes remain.
///
/// Returns MORE if all of the input was read, FULL if there may be more output, END if the data is complete, and
/// BAD if the data is invalid.
int ccurl_decode(
    ccurl_decoder *decoder, const uint8_t **input, size_t *input_size, uint8_t *output, size_t *output_size);

#endif
#endif
