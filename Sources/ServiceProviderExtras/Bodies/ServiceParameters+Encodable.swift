// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

nonisolated extension Dictionary where Key == String, Value == Any {
    /// Parameters from a value that encodes itself with keys, such as a struct.
    ///
    /// ```swift
    /// var parameters: [String: Any]? { .encoding(search) }
    /// ```
    ///
    /// Dates, data, booleans and arrays stay what they are, and are written by the service's
    /// `Service.parameterEncoding`. A nil drops its key, and means none at the top. For
    /// parameters of which one is such a value: `["filter": [String: Any].encoding(filter)]`.
    ///
    /// What cannot be encoded, and a value without keys (a number, an array), is an error when the
    /// request is built: `ServiceError.invalidRequest(_:reason:)`.
    public static func encoding(_ value: some Encodable) -> [String: Any] {
        func bad(_ it: String) -> Self { ["": ServiceError.invalidRequest(.parameter, reason: it)] }
        let top = ServiceParameterPlace()
        do {
            try top.encode(value)
            guard let content = top.content else { return [:] }
            return content as? [String: Any] ?? bad("a '\(type(of: value))' has no keys")
        } catch {
            return ["": ServiceError(error, of: .parameter)]
        }
    }
}

/// A place in an encoded value, and the encoder of what stands there: a leaf, a list or a group.
private nonisolated final class ServiceParameterPlace: Encoder, SingleValueEncodingContainer,
    UnkeyedEncodingContainer
{
    var codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    var group: [String: ServiceParameterPlace]?
    private var list: [ServiceParameterPlace]?
    private var leaf: Any?
    private var depth = 0

    /// Nil when nothing was encoded here.
    var content: Any? { leaf ?? group?.compactMapValues(\.content) ?? list?.compactMap(\.content) }

    private var name: String { codingPath.first?.stringValue ?? "" }
    /// A value that contains itself would exhaust the stack. Twice the 64 levels that can be written,
    /// because a level has two steps.
    private var tooDeep: ServiceError? {
        depth < 132 ? nil : .invalidRequest(.parameter, reason: "'\(name)' is nested too deep")
    }

    /// The place of a member, or without a key that of a new element.
    func inner(_ key: String? = nil, path: [any CodingKey] = []) -> ServiceParameterPlace {
        let place = ServiceParameterPlace()
        place.depth = depth + 1
        // Containers can be nested without end and cannot throw: what is too deep is not kept.
        leaf = tooDeep
        place.codingPath = leaf == nil ? codingPath + path : codingPath
        if leaf != nil { return place }
        if let key, let known = group?[key] { return known }
        if let key { group?[key] = place } else { list?.append(place) }
        return place
    }

    /// Makes an element of the value if this is a list, else sets it.
    func encode<T: Encodable>(_ value: T) throws {
        if list != nil { return try inner().encode(value) }
        depth += 1
        if let tooDeep { throw tooDeep }
        switch value {
        case is String, is Bool, is any Numeric, is Date, is Data, is URL, is UUID: leaf = value
        default: try value.encode(to: self)
        }
    }

    func container<K>(keyedBy _: K.Type) -> KeyedEncodingContainer<K> {
        group = group ?? [:]
        return KeyedEncodingContainer(ServiceParameterMembers(place: self))
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
    let place: ServiceParameterPlace
    var codingPath: [any CodingKey] { place.codingPath }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        encodeNil(forKey: key)
        try place.inner(key.stringValue, path: [key]).encode(value)
    }

    func nestedContainer<K>(keyedBy keys: K.Type, forKey key: Key) -> KeyedEncodingContainer<K> {
        place.inner(key.stringValue, path: [key]).container(keyedBy: keys)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        place.inner(key.stringValue, path: [key]).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { place.inner("super") }
    func superEncoder(forKey key: Key) -> any Encoder { place.inner(key.stringValue, path: [key]) }
    func encodeNil(forKey key: Key) { place.group?[key.stringValue] = nil }
}
