// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import TestSupport

#if canImport(Darwin)
import Darwin
private let streamType = SOCK_STREAM
private let sendFlags: Int32 = 0
#elseif canImport(Musl)
import Musl
private let streamType = SOCK_STREAM
private let sendFlags = Int32(MSG_NOSIGNAL)
#elseif canImport(Glibc)
import Glibc
private let streamType = Int32(SOCK_STREAM.rawValue)
private let sendFlags = Int32(MSG_NOSIGNAL)
#endif

/// A blocking client. All it knows about HTTP is how to find the end of a response.
final class Client {
    struct Failure: Error { let code: Int32 }

    struct Received {
        var head = ""
        var body = Data()
        var text: String { String(decoding: body, as: UTF8.self) }
        var status: Int { Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0 }
        func header(_ name: String) -> String? {
            head.components(separatedBy: "\r\n").first { $0.hasPrefix(name + ": ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
    }

    private let descriptor: Int32
    private var isOpen = true
    private var pending = Data()
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init(_ port: Int) throws {
        descriptor = socket(AF_INET, streamType, 0)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        // No test should hang forever, so a wait of a minute fails it.
        setOption(SO_RCVTIMEO, timeval(tv_sec: 60, tv_usec: 0))
        setOption(SO_SNDTIMEO, timeval(tv_sec: 60, tv_usec: 0))
        #if canImport(Darwin)
        setOption(SO_NOSIGPIPE, Int32(1))
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(code: errno) }
    }

    deinit { hangUp() }

    func hangUp(resetting: Bool = false) {
        guard isOpen else { return }
        isOpen = false
        if resetting { setOption(SO_LINGER, linger(l_onoff: 1, l_linger: 0)) }
        _ = close(descriptor)
    }

    func endOutput() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    func send(_ text: String) throws { try send(Data(text.utf8)) }

    func send(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let unsent = UnsafeRawBufferPointer(rebasing: rest)
                let count = sendBytes(descriptor, unsent.baseAddress, unsent.count)
                guard count > 0 else { throw Failure(code: errno) }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Returns the next bytes. Empty at the end of the stream.
    func some() throws -> Data {
        guard pending.isEmpty else {
            defer { pending = Data() }
            return pending
        }
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw Failure(code: errno) }
        return Data(buffer[..<count])
    }

    func bytes(_ count: Int) throws -> Data {
        while pending.count < count { try more() }
        defer { pending = Data(pending.dropFirst(count)) }
        return Data(pending.prefix(count))
    }

    /// Reads all bytes up to the end, and returns them with the error, which is nil after a FIN.
    func rest() -> (text: String, error: Int32?) {
        var data = Data()
        do {
            while true {
                let more = try some()
                if more.isEmpty { return (String(decoding: data, as: UTF8.self), nil) }
                data += more
            }
        } catch {
            return (String(decoding: data, as: UTF8.self), (error as? Failure)?.code ?? -1)
        }
    }

    /// Counts the bytes up to the end of the stream.
    func countToEnd() throws -> Int {
        var total = 0
        while true {
            let more = try some()
            if more.isEmpty { return total }
            total += more.count
        }
    }

    func line() throws -> String {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                return String(decoding: try bytes(end + 1).dropLast(2), as: UTF8.self)
            }
            try more()
        }
    }

    private func more() throws {
        let held = pending
        pending = Data()
        let next = try some()
        guard !next.isEmpty else { throw Failure(code: 0) }
        pending = held + next
    }

    func response(toHead: Bool = false) throws -> Received {
        var response = Received()
        while true {
            let next = try line()
            if next.isEmpty { break }
            response.head += next + "\r\n"
        }
        if toHead { return response }
        if response.header("Transfer-Encoding") == "chunked" {
            while let size = Int(try line(), radix: 16) {
                response.body += try bytes(size)
                if size == 0 { break }
                _ = try line()
            }
            while true {
                let trailer = try line()
                if trailer.isEmpty { break }
                response.head += trailer + "\r\n"
            }
        } else if let length = response.header("Content-Length").flatMap({ Int($0) }) {
            response.body = try bytes(length)
        }
        return response
    }

    func get(_ target: String) throws -> Received {
        try send("GET \(target) HTTP/1.1\r\nHost: t\r\n\r\n")
        return try response()
    }

    private func setOption<Value>(_ name: Int32, _ value: Value) {
        _ = withUnsafeBytes(of: value) {
            setsockopt(descriptor, SOL_SOCKET, name, $0.baseAddress, socklen_t($0.count))
        }
    }
}

// A method named `send` hides the system call of that name.
private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    send(descriptor, bytes, count, sendFlags)
}
