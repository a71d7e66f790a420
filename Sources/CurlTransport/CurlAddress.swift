// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// The address of a server.
struct CurlAddress {
    /// Four bytes of IPv4 or 16 bytes of IPv6. Empty for a Unix domain socket, which isn't public.
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ address: UnsafePointer<ccurl_address>) {
        let pointer = UnsafeRawPointer(address)
        let start = MemoryLayout<ccurl_address>.offset(of: \.address) ?? 0
        switch address.pointee.family {
        case AF_INET:
            let value = pointer.loadUnaligned(fromByteOffset: start, as: sockaddr_in.self)
            bytes = withUnsafeBytes(of: value.sin_addr, Array.init)
        case AF_INET6:
            let value = pointer.loadUnaligned(fromByteOffset: start, as: sockaddr_in6.self)
            bytes = withUnsafeBytes(of: value.sin6_addr, Array.init)
        default: bytes = []
        }
    }

    /// Whether the address belongs to the public internet: see IANA's registries of special-purpose
    /// addresses (RFC 6890).
    var isPublic: Bool {
        if bytes.count == 4 {
            return Self.isPublic(bytes[0], bytes[1], bytes[2])
        }
        guard bytes.count == 16 else { return false }
        // Addresses that contain one of IPv4: mapped, translated (RFC 6052), and 6to4 (RFC 3056).
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        if bytes.starts(with: mapped) || bytes.starts(with: translated) {
            return Self.isPublic(bytes[12], bytes[13], bytes[14])
        }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        case (0x20, 0x02, let first, let second): return Self.isPublic(first, second, bytes[4])
        // Protocols such as Teredo, which also contains an address of IPv4.
        case (0x20, 0x01, 0...1, _): return false
        // For examples in texts.
        case (0x20, 0x01, 0x0D, 0xB8), (0x3F, 0xFF, 0...0x0F, _): return false
        // All others are assigned to interfaces only below 2000::/3.
        default: return bytes[0] & 0xE0 == 0x20
        }
    }

    /// Whether an address of IPv4 that starts with these bytes is public.
    private static func isPublic(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        switch (first, second, third) {
        // This network, private networks and this machine.
        case (0, _, _), (10, _, _), (127, _, _), (172, 16...31, _), (192, 168, _): false
        // Shared by a provider's customers, link-local, and benchmarks.
        case (100, 64...127, _), (169, 254, _), (198, 18...19, _): false
        // Protocols, and examples in texts.
        case (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 51, 100), (203, 0, 113): false
        // Multicast, reserved and broadcast.
        case (224..., _, _): false
        default: true
        }
    }
}
#endif
