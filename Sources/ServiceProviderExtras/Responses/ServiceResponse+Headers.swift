// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(ServiceProvider)
import ServiceProvider
#endif

nonisolated extension ServiceResponse {
    /// All values of a header field that is a list or is sent several times, such as `Vary` or `Set-Cookie`.
    /// The case of the name doesn't matter.
    ///
    /// The values of repeated fields are joined with commas before they get here (RFC 9110, section 5.3). So this
    /// splits the text at commas, except inside quotes, and in `Set-Cookie` only in front of a `name=`.
    public func headerValues(_ name: String) -> [String] {
        let comma = UInt8(ascii: ",")
        let isCookie = name.lowercased() == "set-cookie"
        var (values, isQuoted, isEscaped) = ([[UInt8]()], false, false)
        var rest = (header(name) ?? "").utf8[...]
        while let byte = rest.popFirst() {
            if byte == comma, isCookie ? rest.startsWithName : !isQuoted {
                values.append([])
                continue
            }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\")
            values[values.count - 1].append(byte)
        }
        return values.compactMap { bytes in
            let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
            let end = bytes.lastIndex { !isBlank($0) }
            let text = end.map { bytes[...$0].drop(while: isBlank) }
            return text.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

private nonisolated extension Substring.UTF8View {
    /// Whether a name with an equals sign follows, after blanks. The comma in a cookie's date isn't
    /// followed by one.
    var startsWithName: Bool {
        let name = drop { $0 == 0x20 || $0 == 0x09 }
        let end = name.firstIndex { " \t=;,".utf8.contains($0) }
        return end.map { $0 > name.startIndex && name[$0] == UInt8(ascii: "=") } ?? false
    }
}
