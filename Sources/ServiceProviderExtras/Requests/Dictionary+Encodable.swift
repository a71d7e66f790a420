// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension Dictionary where Key == String, Value == Any {
    /// Creates parameters from an `Encodable` value with keys, such as a struct.
    ///
    /// ```swift
    /// var parameters: [String: Any]? { .encoding(search) }
    /// ```
    ///
    /// Dates, data, booleans and arrays are written by the service's `Service.parameterEncoding`. A nil drops
    /// its key. If the value itself is nil, nothing is sent. To use such a value as one of several
    /// parameters: `["filter": [String: Any].encoding(filter)]`.
    ///
    /// If the value can't be encoded, or has no keys (a number, an array), building the request throws
    /// `ServiceError.invalidRequest(_:reason:)`.
    public static func encoding(_ value: some Encodable) -> [String: Any] {
        func bad(_ it: String) -> Self { ["": ServiceError.invalidRequest(.parameter, reason: it)] }
        let top = ServiceParameterNode()
        do {
            try top.encode(value)
            guard let content = top.content else { return [:] }
            return content as? [String: Any] ?? bad("a '\(type(of: value))' has no keys")
        } catch {
            return ["": ServiceError(error, of: .parameter)]
        }
    }
}

/// A node of an encoded value, and its encoder. The node becomes a leaf, a list or a group.
private nonisolated final class ServiceParameterNode: Encoder, SingleValueEncodingContainer,
    UnkeyedEncodingContainer
{
    var codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    var group: [String: ServiceParameterNode]?
    private var list: [ServiceParameterNode]?
    private var leaf: Any?
    private var depth = 0

    /// The encoded value. Nil if nothing was encoded.
    var content: Any? { leaf ?? group?.compactMapValues(\.content) ?? list?.compactMap(\.content) }

    private var name: String { codingPath.first?.stringValue ?? "" }
    /// A value that contains itself would exhaust the stack. The limit exceeds twice the 64 levels
    /// that can be written: a level has two steps.
    private var tooDeep: ServiceError? {
        guard depth >= 132 else { return nil }
        return .invalidRequest(.parameter, reason: "'\(name)' is nested too deep")
    }

    /// The node of a member, or of a new element without a key.
    func inner(_ key: String? = nil, path: [any CodingKey] = []) -> ServiceParameterNode {
        let node = ServiceParameterNode()
        node.depth = depth + 1
        // Containers can be nested endlessly and can't throw, so nodes that are too deep aren't kept.
        leaf = tooDeep
        node.codingPath = codingPath
        guard leaf == nil else { return node }
        node.codingPath += path
        guard let key else {
            list?.append(node)
            return node
        }
        if let known = group?[key] {
            return known
        }
        group?[key] = node
        return node
    }

    /// Appends the value if this is a list, or else sets it.
    func encode<T: Encodable>(_ value: T) throws {
        guard list == nil else { return try inner().encode(value) }
        depth += 1
        if let tooDeep {
            throw tooDeep
        }
        switch value {
        case is String, is Bool, is any Numeric, is Date, is Data, is URL, is UUID: leaf = value
        default: try value.encode(to: self)
        }
    }

    func container<K>(keyedBy _: K.Type) -> KeyedEncodingContainer<K> {
        group = group ?? [:]
        return KeyedEncodingContainer(ServiceParameterMembers(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        list = list ?? []
        return self
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func nestedContainer<K>(keyedBy keys: K.Type) -> KeyedEncodingContainer<K> {
        inner().container(keyedBy: keys)
    }

    var count: Int { list?.count ?? 0 }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { inner().unkeyedContainer() }
    func superEncoder() -> any Encoder { inner() }
    func encodeNil() {}
}

private nonisolated struct ServiceParameterMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: ServiceParameterNode
    var codingPath: [any CodingKey] { node.codingPath }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        encodeNil(forKey: key)
        try node.inner(key.stringValue, path: [key]).encode(value)
    }

    func nestedContainer<K>(keyedBy keys: K.Type, forKey key: Key) -> KeyedEncodingContainer<K> {
        node.inner(key.stringValue, path: [key]).container(keyedBy: keys)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        node.inner(key.stringValue, path: [key]).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { node.inner("super") }
    func superEncoder(forKey key: Key) -> any Encoder { node.inner(key.stringValue, path: [key]) }
    func encodeNil(forKey key: Key) { node.group?[key.stringValue] = nil }
}
