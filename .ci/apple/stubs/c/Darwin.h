// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The parts of Darwin's C library that the project uses. Written by hand: see ../../README.md.

#pragma once

typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __SIZE_TYPE__ size_t;
typedef long ssize_t;
typedef int64_t off_t;
typedef uint16_t mode_t;
typedef int32_t pid_t;
typedef uint32_t uid_t;
typedef uint32_t gid_t;
typedef int32_t dev_t;
typedef uint16_t nlink_t;
typedef uint64_t ino_t;
typedef long time_t;
typedef int32_t suseconds_t;
typedef uint32_t socklen_t;
typedef uint8_t sa_family_t;
typedef uint16_t in_port_t;
typedef uint32_t in_addr_t;
typedef unsigned int nfds_t;
typedef uint64_t rlim_t;
typedef unsigned int useconds_t;
typedef void (*sig_t)(int);
typedef void *posix_spawn_file_actions_t;
typedef void *posix_spawnattr_t;
typedef enum { _CLOCK_PROCESS_CPUTIME_ID = 12, _CLOCK_THREAD_CPUTIME_ID = 16 } clockid_t;

struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
struct rusage { struct timeval ru_utime, ru_stime; long ru_maxrss; };
#define RUSAGE_SELF 0
struct stat {
    dev_t st_dev;
    mode_t st_mode;
    nlink_t st_nlink;
    ino_t st_ino;
    uid_t st_uid;
    gid_t st_gid;
    struct timespec st_mtimespec;
    off_t st_size;
};
struct pollfd { int fd; short events; short revents; };
struct sockaddr { uint8_t sa_len; sa_family_t sa_family; char sa_data[14]; };
struct in_addr { in_addr_t s_addr; };
struct sockaddr_in {
    uint8_t sin_len;
    sa_family_t sin_family;
    in_port_t sin_port;
    struct in_addr sin_addr;
    char sin_zero[8];
};
struct winsize { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; };
struct linger { int l_onoff; int l_linger; };
struct rlimit { rlim_t rlim_cur, rlim_max; };

#define AF_INET 2
#define AF_INET6 30
#define EAGAIN 35
#define ECONNRESET 54
#define EEXIST 17
#define EINTR 4
#define EIO 5
#define ENOENT 2
#define EPIPE 32
#define EWOULDBLOCK EAGAIN
#define FD_CLOEXEC 1
#define F_GETFD 1
#define F_GETPATH 50
#define F_SETFD 2
#define F_SETFL 4
#define IPPROTO_TCP 6
#define O_APPEND 8
#define O_CLOEXEC 0x01000000
#define O_CREAT 0x200
#define O_EXCL 0x800
#define O_NOFOLLOW 0x0100
#define O_NONBLOCK 4
#define O_RDONLY 0
#define LOCK_SH 0x01
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08
#define O_RDWR 2
#define O_TRUNC 0x400
#define O_WRONLY 1
#define PATH_MAX 1024
#define POLLHUP 0x0010
#define POLLIN 0x0001
#define POLLOUT 0x0004
#define RLIMIT_FSIZE 1
#define RLIMIT_NOFILE 8
#define SEEK_END 2
#define SEEK_SET 0
#define SHUT_RDWR 2
#define SHUT_WR 1
#define SIGHUP 1
#define SIGINT 2
#define SIGKILL 9
#define SIGPIPE 13
#define SIGTERM 15
#define SIGXFSZ 25
#define SOCK_DGRAM 2
#define SOCK_STREAM 1
#define SOL_SOCKET 0xffff
#define SO_LINGER 0x0080
#define SO_NOSIGPIPE 0x1022
#define SO_RCVTIMEO 0x1006
#define SO_REUSEADDR 0x0004
#define SO_SNDTIMEO 0x1005
#define STDERR_FILENO 2
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define TCP_NODELAY 0x01
#define X_OK 1

int stat(const char *, struct stat *);
int fstat(int, struct stat *);
int lstat(const char *, struct stat *);
int mkfifo(const char *, mode_t);
int chmod(const char *, mode_t);
int chown(const char *, uid_t, gid_t);
int mkdir(const char *, mode_t);
int rmdir(const char *);
int symlink(const char *, const char *);
int link(const char *, const char *);
int unlink(const char *);
int unlinkat(int, const char *, int);
int fchmod(int, mode_t);
int rename(const char *, const char *);
int close(int);
int flock(int, int);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t);
int pipe(int [2]);
int dup2(int, int);
int ftruncate(int, off_t);
int fsync(int);
off_t lseek(int, off_t, int);
int isatty(int);
int truncate(const char *, off_t);
pid_t getpid(void);
uid_t getuid(void);
uid_t geteuid(void);
unsigned int sleep(unsigned int);
int usleep(useconds_t);
int access(const char *, int);
int poll(struct pollfd *, nfds_t, int);
int socket(int, int, int);
int bind(int, const struct sockaddr *, socklen_t);
int listen(int, int);
int accept(int, struct sockaddr *, socklen_t *);
int connect(int, const struct sockaddr *, socklen_t);
int getsockname(int, struct sockaddr *, socklen_t *);
int getpeername(int, struct sockaddr *, socklen_t *);
ssize_t recv(int, void *, size_t, int);
ssize_t send(int, const void *, size_t, int);
int setsockopt(int, int, int, const void *, socklen_t);
int shutdown(int, int);
in_addr_t inet_addr(const char *);
int inet_pton(int, const char *, void *);
char *strerror(int);
int atexit(void (*)(void));
void exit(int) __attribute__((noreturn));
void abort(void) __attribute__((noreturn));
int setenv(const char *, const char *, int);
int unsetenv(const char *);
sig_t signal(int, sig_t);
int kill(pid_t, int);
void _exit(int) __attribute__((noreturn));
int raise(int);
int getrusage(int, struct rusage *);
int getrlimit(int, struct rlimit *);
int setrlimit(int, const struct rlimit *);
double exp2(double);
double log(double);
time_t time(time_t *);
char *strdup(const char *);
void free(void *);
void *malloc(size_t);
void *dlsym(void *, const char *);
ssize_t pwrite(int, const void *, size_t, off_t);
#define SPAWN __attribute__((availability(tvos, unavailable), availability(watchos, unavailable)))
SPAWN int execve(const char *, char *const [], char *const []);
SPAWN int posix_spawn_file_actions_init(posix_spawn_file_actions_t *);
SPAWN int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *);
SPAWN int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *, int, const char *, int, mode_t);
SPAWN int posix_spawn_file_actions_addclose(posix_spawn_file_actions_t *, int);
SPAWN int posix_spawn(
    pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
    char *const [], char *const []);
pid_t waitpid(pid_t, int *, int);
int clock_gettime(clockid_t, struct timespec *);
