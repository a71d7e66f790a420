// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import TestSupport

extension SeededGenerator {
    private struct Raw<RawValue>: RawRepresentable { let rawValue: RawValue }
    private struct Unknown {}

    mutating func members(depth: Int = 3) -> [String: FuzzValue] {
        var members: [String: FuzzValue] = [:]
        for _ in 0..<number(4) { members[text()] = value(depth: depth) }
        return members
    }

    private mutating func value(depth: Int) -> FuzzValue {
        if depth > 0, oneIn(3) {
            if oneIn(2) { return .group(members(depth: depth - 1)) }
            return .list((0..<number(4)).map { _ in value(depth: depth - 1) })
        }
        if oneIn(300) { return nested() }
        if oneIn(300) { return .refused(refused()) }
        return oneIn(6) ? wrapped(leaf()) : leaf()
    }

    /// Returns a value nested in arrays and dictionaries, below or above the limit of 64 levels.
    private mutating func nested() -> FuzzValue {
        let isDeep = oneIn(2)
        var value = FuzzValue.text("deep", "deep")
        for _ in 0..<(isDeep ? 70 + number(200) : number(50)) {
            value = oneIn(2) ? .list([value]) : .group(["k": value])
        }
        return isDeep ? .refused(value.value) : value
    }

    private mutating func refused() -> Any {
        pick([
            Double.nan, -Double.infinity, Float.infinity, Unknown(), Unknown.self, [1: 2], (1, 2),
            Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: -1e12), UInt8.self,
        ])
    }

    private mutating func leaf() -> FuzzValue {
        switch number(12) {
        case 0: return number()
        case 1:
            let isTrue = oneIn(2)
            return .boolean(oneIn(2) ? isTrue : NSNumber(value: isTrue), isTrue)
        case 2: return .date(date())
        case 3:
            let data = bytes(20)
            return .text(data, data.base64EncodedString())
        case 4:
            let url = "https://example.com/\(number(100))?a=b&c#d"
            return URL(string: url).map { .text($0, url) } ?? .null
        case 5:
            let id = UUID(uuidString: uuid()) ?? UUID()
            return .text(id, id.uuidString)
        case 6: return .null
        case 7: return .missing(Int?.none as Any)
        default:
            let text = text()
            return .text(text, text)
        }
    }

    private mutating func uuid() -> String {
        let digits = (0..<3).map { _ in String(next() % 9_000 + 1_000) }
        return "E621E1F8-\(digits.joined(separator: "-"))-DEADBEEF0000"
    }

    private mutating func number() -> FuzzValue {
        let bits = next()
        switch number(12) {
        case 0: return .number(Int8(truncatingIfNeeded: bits), "\(Int8(truncatingIfNeeded: bits))")
        case 1: return .number(UInt64(bits), "\(bits)")
        case 2: return .number(Int64(bitPattern: bits), "\(Int64(bitPattern: bits))")
        case 3:
            return .number(UInt16(truncatingIfNeeded: bits), "\(UInt16(truncatingIfNeeded: bits))")
        case 4: return .number(Int.min, "-9223372036854775808")
        case 5:
            let value = Double(bitPattern: bits)
            return value.isFinite ? .number(value, "\(value)") : .refused(value)
        case 6:
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
            return value.isFinite ? .number(value, "\(value)") : .refused(value)
        case 7:
            let value = Decimal(Int64(bitPattern: bits)) / 1_000
            return .number(value, "\(value)")
        case 8:
            return .number(
                NSNumber(value: Int32(truncatingIfNeeded: bits)),
                "\(Int32(truncatingIfNeeded: bits))")
        case 9: return .number(NSNumber(value: bits), "\(bits)")
        default:
            let value = number(1_000)
            return .number(value, "\(value)")
        }
    }

    /// Wraps a value in optionals or in a raw-representable type.
    private mutating func wrapped(_ value: FuzzValue) -> FuzzValue {
        func wrap(_ inner: Any, _ way: Int) -> Any {
            way == 0
                ? Any?.some(inner) as Any
                : way == 1
                    ? Any??.some(.some(inner)) as Any
                    : Raw(rawValue: inner)
        }
        let way = number(3)
        switch value {
        case .text(let inner, let text): return .text(wrap(inner, way), text)
        case .number(let inner, let text): return .number(wrap(inner, way), text)
        case .boolean(let inner, let isTrue): return .boolean(wrap(inner, way), isTrue)
        default: return value
        }
    }

    /// Returns a date from 1582-10-15 on, because Foundation formats older ones by the Julian calendar.
    /// Half of the dates are close to an edge case, such as a leap day.
    private mutating func date() -> Date {
        let whole = number(253_402_300_800 + 12_219_292_799) - 12_219_292_799
        let near = pick([
            0, -1, 253_402_300_799, -12_219_292_700, 951_782_400, 1_763_712_000,
        ])
        let seconds = oneIn(2) ? Double(near) : Double(whole)
        return Date(
            timeIntervalSince1970: oneIn(2) ? seconds : seconds - Double(number(1_000)) / 1_000)
    }
}
