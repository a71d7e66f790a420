// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Uses of C that compile on Linux. For each platform, the compiler must diagnose each line marked WRONG with the text of
// its mark, and no other. Lines marked SMALL are only wrong for tvOS and watchOS.

import Foundation

func opensSocket() -> Int32 {
    socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)  // WRONG: value of type 'Int32' has no member 'rawValue'
}

func sends(_ bytes: [UInt8], to descriptor: Int32) {
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))  // WRONG: cannot find 'MSG_NOSIGNAL' in scope
}

func changed(_ status: stat) -> Int {
    status.st_mtim.tv_sec  // WRONG: value of type 'stat' has no member 'st_mtim'
}

func mode(_ status: stat) -> UInt32 {
    status.st_mode  // WRONG: cannot convert return expression of type 'mode_t' (aka 'UInt16') to return type 'UInt32'
}

func limitsTime(_ microseconds: Int) -> timeval {
    timeval(tv_sec: 1, tv_usec: microseconds)  // WRONG: cannot convert value of type 'Int' to expected argument type
}

func spawns() {
    var actions = posix_spawn_file_actions_t()  // WRONG: missing argument for parameter #1 in call
    _ = actions
}

func forks() -> Int32 {
    fork()  // WRONG: 'fork()' is unavailable: Please use threads or posix_spawn*()
}

func replacesProcess() -> Int32 {
    execve("/bin/sh", [nil], [nil])  // WRONG, SMALL: 'execve' is unavailable in
}
