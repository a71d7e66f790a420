// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The parts of Darwin that the project uses and that C headers can't declare for Swift.
// Written by hand: see README.md.

@_exported import Darwin
public var errno: Int32 { get set }
public var S_IFMT: mode_t { get }
public var S_IFREG: mode_t { get }
public var S_IFDIR: mode_t { get }
public var CLOCK_PROCESS_CPUTIME_ID: clockid_t { get }
public var CLOCK_THREAD_CPUTIME_ID: clockid_t { get }
public var TIOCGWINSZ: UInt { get }
public var SIG_DFL: sig_t? { get }
public var SIG_IGN: sig_t { get }
@available(*, unavailable, message: "Please use threads or posix_spawn*()")
public func fork() -> Int32
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32
public func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32
public func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32
public func fcntl(_ fd: Int32, _ cmd: Int32, _ ptr: UnsafeMutableRawPointer) -> Int32
public func ioctl(_ fd: CInt, _ request: UInt, _ value: CInt) -> CInt
public func ioctl(_ fd: CInt, _ request: UInt, _ ptr: UnsafeMutableRawPointer) -> CInt
public func ioctl(_ fd: CInt, _ request: UInt) -> CInt
public enum POSIXErrorCode: Int32, Sendable {
    case E2BIG, EACCES, EADDRINUSE, EADDRNOTAVAIL, EAFNOSUPPORT, EAGAIN, EALREADY, EBADF, EBADMSG,
        EBUSY, ECANCELED, ECHILD, ECONNABORTED, ECONNREFUSED, ECONNRESET, EDEADLK, EDESTADDRREQ,
        EDOM, EDQUOT, EEXIST, EFAULT, EFBIG, EHOSTDOWN, EHOSTUNREACH, EIDRM, EILSEQ, EINPROGRESS,
        EINTR, EINVAL, EIO, EISCONN, EISDIR, ELOOP, EMFILE, EMLINK, EMSGSIZE, EMULTIHOP,
        ENAMETOOLONG, ENETDOWN, ENETRESET, ENETUNREACH, ENFILE, ENOBUFS, ENODATA, ENODEV, ENOENT,
        ENOEXEC, ENOLCK, ENOLINK, ENOMEM, ENOMSG, ENOPROTOOPT, ENOSPC, ENOSR, ENOSTR, ENOSYS,
        ENOTBLK, ENOTCONN, ENOTDIR, ENOTEMPTY, ENOTRECOVERABLE, ENOTSOCK, ENOTTY, ENXIO, EOVERFLOW,
        EOWNERDEAD, EPERM, EPFNOSUPPORT, EPIPE, EPROTO, EPROTONOSUPPORT, EPROTOTYPE, ERANGE,
        EREMOTE, EROFS, ESHUTDOWN, ESOCKTNOSUPPORT, ESPIPE, ESRCH, ESTALE, ETIME, ETIMEDOUT,
        ETOOMANYREFS, ETXTBSY, EUSERS, EWOULDBLOCK, EXDEV
    public init?(rawValue: Int32)
    public typealias RawValue = Int32
    public var rawValue: Int32 { get }
}
