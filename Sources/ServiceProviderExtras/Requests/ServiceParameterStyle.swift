// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// How parameters are written, down to each name and value.
///
/// ```swift
/// let style = ServiceParameterStyle(arrays: .repeated) { value, _ in
///     (value as? Money).map { "\($0.cents)" } ?? value
/// }
/// let encoding = ServiceParameterEncoding(destination: .query, style: style)
/// ```
public nonisolated struct ServiceParameterStyle: Sendable {
    /// Returns the value to write in place of another.
    ///
    /// It is called first with the whole dictionary of parameters, and then with each value in it, nested ones
    /// included.
    public typealias Replacement = @Sendable (_ value: Any, _ isJSON: Bool) -> Any

    /// The top-level keys that come first, in this order. Other keys follow, sorted.
    var order: [String] = []
    /// Names an array element in a query or form.
    var elementName: @Sendable (_ key: String, _ index: Int) -> String = { key, _ in
        key + "[]"
    }
    /// Names a member of a dictionary in a query or form.
    var memberName: @Sendable (_ key: String, _ member: String) -> String = {
        "\($0)[\($1)]"
    }
    /// The text between two elements of an array in a query or form. Nil if each of them has a name.
    var separator: Separator?
    var writesSpaceAsPlus = false
    var replacement: Replacement?

    /// The style that services use by default.
    private init() {}

    /// Writes parameters as JSON, or as a query or form.
    ///
    /// - Throws: `ServiceError.invalidRequest(_:reason:)` for a value that can't be sent.
    public func encode(_ parameters: [String: Any], isJSON: Bool) throws -> String {
        var writer = Writer(style: self, isJSON: isJSON)
        let replaced = replacement?(parameters, isJSON) as? [String: Any]
        try writer.write(.object(replaced ?? parameters), name: "", depth: 0)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        guard writesSpaceAsPlus, !isJSON else { return text }
        return text.replacingOccurrences(of: "%20", with: "+")
    }
}

nonisolated extension ServiceParameterStyle {
    /// Creates a style. `replacing` replaces values before the style is applied to them; by default, it's nil. The
    /// other parameters are those of the encoding with the same names.
    public init(
        arrays: ServiceParameterEncoding.Arrays = .brackets,
        booleans: ServiceParameterEncoding.Booleans = .literal,
        dates: ServiceParameterEncoding.Dates = .iso8601, order: [String] = [],
        keys: ServiceParameterEncoding.Keys = .unchanged,
        nesting: ServiceParameterEncoding.Nesting = .brackets,
        nils: ServiceParameterEncoding.Nils = .dropped, writesSpaceAsPlus: Bool = false,
        replacing: Replacement? = nil
    ) {
        self.init()
        self.order = order
        self.writesSpaceAsPlus = writesSpaceAsPlus
        switch nesting {
        case .brackets: break
        case .dots: memberName = { "\($0).\($1)" }
        case .custom(let name): memberName = name
        }
        switch arrays {
        case .brackets: break
        case .commaSeparated: separator = .comma
        case .pipeSeparated: separator = .pipe
        case .spaceSeparated: separator = .space
        case .repeated: elementName = { key, _ in key }
        case .indexed: elementName = { key, index in "\(key)[\(index)]" }
        }
        // On Apple platforms, each NSNumber casts to Bool. Booleans have a class of their own.
        let flags: [Any.Type] = [Bool.self, type(of: NSNumber(value: true))]
        let styled: Replacement = { value, isJSON in
            switch value {
            case let flag as Bool
            where booleans == .numeric && !isJSON && flags.contains { $0 == type(of: value) }:
                flag ? "1" : "0"
            case let date as Date: dates.value(of: date)
            case let members as [String: Any]: keys.rename(members)
            case Optional<Any>.none, is NSNull: nils.value(isJSON: isJSON) ?? value
            default: value
            }
        }
        let replaced = replacing ?? { value, _ in value }
        replacement = { value, isJSON in styled(replaced(value, isJSON), isJSON) }
    }
}
