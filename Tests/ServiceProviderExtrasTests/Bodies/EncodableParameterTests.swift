// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

private enum Order: String, Encodable { case newest = "-modified" }

private struct Search: Encodable {
    var name = "spider man"
    var limit = 20
    var isExact = true
    var ratio: Float = 0.1
    var price = Decimal(string: "1.10")
    var since = Date(timeIntervalSince1970: 1.5)
    var hash = Data([0xFB, 0xFF])
    var link = URL(string: "https://a.b/c?d")
    var id = UUID(uuidString: "00112233-4455-6677-8899-aabbccddeeff")
    var order = Order.newest
    var missing: String?
    var tags: [String?] = ["a", nil, "b"]
    var range = Range(from: 1)
    var byYear = [1988: true]

    struct Range: Encodable {
        var from: Int
        var to: Int?
    }

    enum CodingKeys: String, CodingKey {
        case name = "nameStartsWith"
        case limit, isExact, ratio, price, since, hash, link, id, order, missing, tags, range
        case byYear = "by_year"
    }
}

private class Base: Encodable {
    var id = 7
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(id, forKey: .id)
        try container.encode(1, forKey: .own)
        var info = container.nestedContainer(keyedBy: Keys.self, forKey: .info)
        try info.encode("base", forKey: .id)
    }
    enum Keys: String, CodingKey { case id, own, info, list, parent }
}

private final class Derived: Base {
    let usesSuper: Bool
    init(usesSuper: Bool) { self.usesSuper = usesSuper }
    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try super.encode(to: usesSuper ? container.superEncoder() : encoder)
        try container.encodeNil(forKey: .own)
        var info = container.nestedContainer(keyedBy: Keys.self, forKey: .info)
        try info.encode(true, forKey: .own)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode(1)
        try list.encodeNil()
        var inner = list.nestedUnkeyedContainer()
        try inner.encode(contentsOf: [2, 3])
        var members = list.nestedContainer(keyedBy: Keys.self)
        try members.encode(4, forKey: .id)
        var single = list.superEncoder().singleValueContainer()
        try single.encode(Order.newest)
        try [5].encode(to: container.superEncoder(forKey: .parent))
        #expect(list.count == 4)
        #expect(inner.codingPath.map(\.stringValue) == ["list"])
    }
}

/// Encodes itself with a closure.
private struct Encoding: Encodable {
    let write: (any Encoder) throws -> Void
    init(_ write: @escaping (any Encoder) throws -> Void) { self.write = write }
    func encode(to encoder: any Encoder) throws { try write(encoder) }
}

@Suite struct EncodableParameterTests {
    @Test func theServicesEncodingAppliesToStructs() throws {
        let encoding = ServiceParameterEncoding(
            arrays: .repeated, booleans: .numeric, dates: .millisecondsSince1970)
        let query = try ParameterText.query(.encoding(Search()), encoding)
        #expect(
            query == "by_year%5B1988%5D=1&hash=%2B%2F8%3D&id=00112233-4455-6677-8899-AABBCCDDEEFF"
                + "&isExact=1&limit=20&link=https%3A%2F%2Fa.b%2Fc%3Fd&nameStartsWith=spider%20man"
                + "&order=-modified&price=1.1&range%5Bfrom%5D=1&ratio=0.1&since=1500&tags=a&tags=b")
        #expect(try ParameterText.form(.encoding(Search()), encoding) == query)
        #expect(
            try ParameterText.json(.encoding(Search()), encoding)
                == #"{"by_year":{"1988":true},"hash":"+/8=","#
                + #""id":"00112233-4455-6677-8899-AABBCCDDEEFF","isExact":true,"limit":20,"#
                + #""link":"https://a.b/c?d","nameStartsWith":"spider man","order":"-modified","#
                + #""price":1.1,"range":{"from":1},"ratio":0.1,"since":1500,"tags":["a","b"]}"#)
    }

    @Test func encodedParametersCanBeUsedInAService() throws {
        var service = TestService()
        service.parameters = .encoding(["q": [1.5, 2]])
        #expect(try service.url() == "https://example.com/api?q%5B%5D=1.5&q%5B%5D=2.0")
        let filter: [String: Any] = ["filter": [String: Any].encoding(["a": 1]), "b": 2]
        #expect(try ParameterText.query(filter) == "b=2&filter%5Ba%5D=1")
        let post = TestService(method: .post, body: .form(.encoding(["a b": "c"])))
        #expect(try post.bodyText() == "a%20b=c")
    }

    @Test func classesAndNestedContainersAreEncoded() throws {
        let list = #""list":[1,[2,3],{"id":4},"-modified"],"parent":[5]}"#
        #expect(
            try ParameterText.json(.encoding(Derived(usesSuper: false)))
                == #"{"id":7,"info":{"id":"base","own":true},"# + list)
        #expect(
            try ParameterText.json(.encoding(Derived(usesSuper: true)))
                == #"{"info":{"own":true},"# + list.dropLast()
                + #","super":{"id":7,"info":{"id":"base"},"own":1}}"#)
    }

    @Test func theLastValueOfAKeyIsSent() throws {
        let twice = Encoding { encoder in
            var container = encoder.container(keyedBy: Base.Keys.self)
            try container.encode(["a": 1], forKey: .info)
            try container.encode(["b": [1]], forKey: .info)
            try container.encode([1], forKey: .list)
            try container.encode([2], forKey: .list)
        }
        #expect(try ParameterText.json(.encoding(twice)) == #"{"info":{"b":[1]},"list":[2]}"#)
    }

    @Test func emptyContainersAreKeptInJSON() throws {
        struct Nothing: Encodable {}
        struct Outer: Encodable {
            var list: [Int] = []
            var members: [String: Int] = [:]
            var nothing = Nothing()
        }
        #expect(
            try ParameterText.json(.encoding(Outer())) == #"{"list":[],"members":{},"nothing":{}}"#)
        #expect(try ParameterText.json(.encoding(Nothing())) == "{}")
        #expect(try ParameterText.query(.encoding(Outer())).isEmpty)
        #expect(try ParameterText.query(.encoding(Search?.none)).isEmpty)
        #expect(try ParameterText.query(.encoding(Optional(["a": 1]))) == "a=1")
    }
}
