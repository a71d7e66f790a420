// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

private func transfer(_ pointer: UnsafeMutableRawPointer?) -> CurlTransfer? {
    pointer.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
}

private func multi(_ pointer: UnsafeMutableRawPointer?) -> CurlMulti? {
    pointer.map { Unmanaged<CurlMulti>.fromOpaque($0).takeUnretainedValue() }
}

/// The functions that libcurl calls. libcurl holds unretained pointers to transfers and CurlMulti,
/// which outlive libcurl's handles.
let curlCallbacks = ccurl_callbacks(
    header: { bytes, size, count, pointer in
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return transfer(pointer)?.receive(header: line) ?? 0
    },
    write: { bytes, size, count, pointer in
        let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return transfer(pointer)?.receive(body: body) ?? 0
    },
    read: { bytes, size, count, pointer in
        let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
        return transfer(pointer)?.provideBody(into: buffer) ?? 0
    },
    // libcurl only seeks to the start, to send the body again.
    seek: { pointer, _, _ in
        let isPossible = transfer(pointer)?.upload.rewind() == true
        return isPossible ? 0 : 1
    },
    open: { pointer, _, address in
        guard let transfer = transfer(pointer), let address else { return -1 }
        return transfer.open(address)
    },
    close: { pointer, socket in
        multi(pointer)?.willClose(socket)
        return close(socket)
    },
    request: { pointer, remote, local, remotePort, localPort in
        guard let remote, let local else { return Int32(CCURL_PREREQ_ABORT) }
        let addresses = CurlConnections.Key(
            remote: String(cString: remote), local: String(cString: local), remotePort: remotePort,
            localPort: localPort)
        let isAllowed = transfer(pointer)?.mayBeSent(between: addresses) == true
        return isAllowed ? 0 : Int32(CCURL_PREREQ_ABORT)
    },
    watch: { easy, socket, what, pointer, _ in
        multi(pointer)?.watch(socket, for: what, easy)
        return 0
    },
    timer: { _, milliseconds, pointer in
        multi(pointer)?.setTimer(milliseconds)
        return 0
    },
    debug: { _, kind, bytes, count, pointer in
        let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
        switch Int(kind) {
        case CCURL_DEBUG_DATA_IN: transfer(pointer)?.note(read: bytes)
        case CCURL_DEBUG_TEXT: transfer(pointer)?.note(text: bytes)
        default: break
        }
        return 0
    })
#endif
