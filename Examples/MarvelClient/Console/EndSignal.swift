// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The signal that asks a program to end: SIGINT by Ctrl-C, SIGTERM by `kill`, or SIGHUP when its
/// terminal closes.
final class EndSignal: @unchecked Sendable {
    // Unchecked, because the compiler can't verify that `lock` guards every use of `received`.
    private let lock = NSLock()
    private var received: Int32?
    private let reader: Int32

    /// The end of the pipe that takes the numbers of the signals. Set before there are signals.
    nonisolated(unsafe) private static var writer: Int32 = -1

    /// The number of the first signal. Nil if there was none.
    var number: Int32? { lock.withLock { received } }

    /// Keeps signals for `onReceive(_:)`. Create only one object.
    init() {
        var pipe: [Int32] = [-1, -1]
        Foundation.pipe(&pipe)
        (reader, Self.writer) = (pipe[0], pipe[1])
        for number in [SIGHUP, SIGINT, SIGTERM] {
            // A handler of signals may call only a few functions. `write` to a pipe is one of them.
            let old = signal(number) { number in
                let code = errno
                var byte = UInt8(number)
                write(EndSignal.writer, &byte, 1)
                errno = code
            }
            // `nohup` started the program, which goes on when its terminal closes.
            if number == SIGHUP, Self.isIgnored(old) { signal(number, SIG_IGN) }
        }
    }

    /// Runs `action` at the first signal. The program then has three seconds to end by itself. More
    /// signals don't shorten this time: two arrive when a terminal closes.
    func onReceive(_ action: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in
            var byte = UInt8(0)
            while read(reader, &byte, 1) != 1 {}
            let number = Int32(byte)
            lock.withLock { received = number }
            action()
            // A signal in this thread ends `sleep` early.
            var left = UInt32(3)
            while left > 0 { left = sleep(left) }
            signal(number, SIG_DFL)
            kill(getpid(), number)
        }
    }

    private static func isIgnored<Handler>(_ handler: Handler) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
