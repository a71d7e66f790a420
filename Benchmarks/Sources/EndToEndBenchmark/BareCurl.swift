// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import CCurl
import Foundation

/// libcurl's multi interface on one thread, called with the same functions as in CurlTransport. No
/// Swift client built on libcurl can be faster.
final class BareCurl {
    struct Failure: Error { let text: String }

    private final class Count { var bytes = 0 }

    private typealias WriteCallback =
        @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int
    private typealias Perform =
        @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<Int32>?) -> Int32
    private typealias Poll =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UInt32, Int32,
            UnsafeMutablePointer<Int32>?
        ) -> Int32

    private var curl = ccurl()
    /// Functions for the simplest event loop, which CurlTransport doesn't use.
    private let perform: Perform
    private let poll: Poll
    private let multi: UnsafeMutableRawPointer
    private let count = Count()
    private let authorities: String?

    init(authorities: String?) throws {
        if let missing = ccurl_open("libcurl.so.4", &curl) {
            throw Failure(text: String(cString: missing))
        }
        guard curl.global_init(3) == 0, let multi = curl.multi_init() else {
            throw Failure(text: "out of memory")
        }
        let handle = dlopen("libcurl.so.4", RTLD_NOW)
        guard let perform = dlsym(handle, "curl_multi_perform"),
            let poll = dlsym(handle, "curl_multi_poll")
        else { throw Failure(text: "libcurl lacks a function") }
        self.perform = unsafeBitCast(perform, to: Perform.self)
        self.poll = unsafeBitCast(poll, to: Poll.self)
        (self.multi, self.authorities) = (multi, authorities)
    }

    private func start(_ url: String) throws {
        guard let easy = curl.easy_init() else { throw Failure(text: "out of memory") }
        let data = Unmanaged.passUnretained(count).toOpaque()
        _ = url.withCString { ccurl_set_pointer(&curl, easy, Int32(CCURL_URL), $0) }
        _ = ccurl_set_long(&curl, easy, Int32(CCURL_NOSIGNAL), 1)
        _ = ccurl_set_long(&curl, easy, Int32(CCURL_HTTP_VERSION), 2)
        _ = ccurl_set_pointer(&curl, easy, Int32(CCURL_WRITEDATA), data)
        let write: WriteCallback = { _, size, count, data in
            guard let data else { return 0 }
            Unmanaged<Count>.fromOpaque(data).takeUnretainedValue().bytes += size * count
            return size * count
        }
        let pointer = unsafeBitCast(write, to: UnsafeRawPointer.self)
        _ = ccurl_set_pointer(&curl, easy, Int32(CCURL_WRITEFUNCTION), pointer)
        if let authorities {
            _ = authorities.withCString { ccurl_set_pointer(&curl, easy, Int32(CCURL_CAINFO), $0) }
        }
        _ = curl.multi_add_handle(multi, easy)
    }

    /// Sends requests for a URL. Returns the number of bytes received.
    func run(_ url: String, requests: Int, inFlight: Int) throws -> Int {
        count.bytes = 0
        var (started, ended) = (0, 0)
        while ended < requests {
            while started < requests, started - ended < inFlight {
                try start(url)
                started += 1
            }
            var running: Int32 = 0
            _ = perform(multi, &running)
            var left: Int32 = 0
            let before = ended
            while let message = curl.multi_info_read(multi, &left)?.pointee {
                guard message.data.code == 0 else {
                    throw Failure(text: "libcurl's error code \(message.data.code)")
                }
                _ = curl.multi_remove_handle(multi, message.easy)
                curl.easy_cleanup(message.easy)
                ended += 1
            }
            if ended == before { _ = poll(multi, nil, 0, 1_000, nil) }
        }
        return count.bytes
    }
}
