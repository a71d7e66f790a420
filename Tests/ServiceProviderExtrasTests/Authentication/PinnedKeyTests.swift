// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Finding the public key in a certificate. `TLSTests` compares more of them with OpenSSL.
@Suite(.serialized, .opensFiles, .timeLimit) struct PinnedKeyTests {
    struct Certificate: CustomTestStringConvertible, Sendable {
        let name, text, key: String
        var testDescription: String { name }
        var data: Data { Data(base64Encoded: text) ?? Data() }
    }

    /// Certificates and public keys, as OpenSSL wrote them.
    static let certificates = [
        Certificate(
            name: "P-256",
            text: """
                MIIBczCCARmgAwIBAgIUCD1/7K6Xyr6RXTmKy4zyBvbw2bwwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwE\
                dGVzdDAeFw0yNjExMjMwMzEwNDBaFw00NjExMTgwMzEwNDBaMA8xDTALBgNVBAMMBHRlc3QwWTATBgcq\
                hkjOPQIBBggqhkjOPQMBBwNCAATpC/9p8RziBYdX0vbKcPgI+JXtPLGxFlg4xWW1Si6iqX9GroMXnYZa\
                qfSuvPvxQgRkYhs/6lK3CvJ834SSYojRo1MwUTAdBgNVHQ4EFgQUd0rqMdJsTM4fWlYwxp0ZUNw3U9ow\
                HwYDVR0jBBgwFoAUd0rqMdJsTM4fWlYwxp0ZUNw3U9owDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQD\
                AgNIADBFAiBHtwCN9G4beoakEPYsRojBAEsna9iLXB277rCx8brtvAIhAMX3Xez7jnjxL1gOSO7M554N\
                c1MnQZTEaExlV6gUetVw
                """,
            key: """
                MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE6Qv/afEc4gWHV9L2ynD4CPiV7TyxsRZYOMVltUouoql/\
                Rq6DF52GWqn0rrz78UIEZGIbP+pStwryfN+EkmKI0Q==
                """),
        Certificate(
            name: "version 1",
            text: """
                MIIBFTCBuwIUYbbQfaq+pzfO6I8JGqj1wC0/2C0wCgYIKoZIzj0EAwIwDTELMAkGA1UEAwwCdjEwHhcN\
                MjYxMTIzMDMxMDQxWhcNNDYxMTE4MDMxMDQxWjANMQswCQYDVQQDDAJ2MTBZMBMGByqGSM49AgEGCCqG\
                SM49AwEHA0IABD+cY4RJMaBPHSHPNFM36rFYMfbXhiAP9hK1nj9tCOplKTQpSv8t5RNWobPtZGMIJ96a\
                Sg2DovZJJ1bRupeaMlAwCgYIKoZIzj0EAwIDSQAwRgIhAIPoxE/T7FZjM0J6nFla171/A6PrgC7Mg5bO\
                xjGOZI3oAiEA5RG4BqHFrCMRmwSERRWBXy+sebb5kO+b6gDuNePxTY8=
                """,
            key: """
                MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEP5xjhEkxoE8dIc80UzfqsVgx9teGIA/2ErWeP20I6mUp\
                NClK/y3lE1ahs+1kYwgn3ppKDYOi9kknVtG6l5oyUA==
                """),
    ]

    @Test(.row("C30"), arguments: certificates)
    func theKeyIsFound(_ certificate: Certificate) throws {
        let key = try #require(ServicePinnedKeys.publicKeyInfo(ofCertificate: certificate.data))
        #expect(key.base64EncodedString() == certificate.key)
        // Also in a part of a larger buffer.
        let buffer = (Data(count: 7) + certificate.data).dropFirst(7)
        #expect(ServicePinnedKeys.publicKeyInfo(ofCertificate: buffer) == key)
    }

    @Test(.row("Z19"), arguments: certificates)
    func incompleteCertificatesHaveNoKey(_ certificate: Certificate) {
        for count in 0..<certificate.data.count {
            let start = certificate.data.prefix(count)
            #expect(ServicePinnedKeys.publicKeyInfo(ofCertificate: start) == nil)
        }
    }

    /// A change outside the key may still give the key, but never another text of its size.
    @Test(arguments: certificates)
    func changedCertificatesGiveNoOtherKey(_ certificate: Certificate) throws {
        let key = try #require(Data(base64Encoded: certificate.key))
        let place = try #require(certificate.data.range(of: key))
        for index in certificate.data.indices where !place.contains(index) {
            for byte in [0x00, 0x30, 0x7F, 0x80, 0x84, 0xFF] as [UInt8] {
                var changed = certificate.data
                changed[index] = byte
                let found = ServicePinnedKeys.publicKeyInfo(ofCertificate: changed)
                #expect(found == nil || found == key || found?.count != key.count)
            }
        }
    }

    @Test(
        .row("Z19"),
        arguments: [
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x80], [0x30, 0xFF], [0x30, 0x88],
            [0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF, 0x30], [0x30], [0x30, 0x02, 0x30, 0x00],
        ] as [[UInt8]])
    func impossibleLengthsGiveNoKey(_ bytes: [UInt8]) {
        #expect(ServicePinnedKeys.publicKeyInfo(ofCertificate: Data(bytes)) == nil)
    }

    @Test(.row("Z19")) func largeAndDeepDataGivesNoKey() {
        let deep = Data((0..<10_000).flatMap { _ in [0x30, 0x83, 0x0F, 0x42, 0x40] as [UInt8] })
        for data in [Data(repeating: 0x30, count: 1 << 20), Data(count: 1 << 20), deep] {
            #expect(ServicePinnedKeys.publicKeyInfo(ofCertificate: data) == nil)
        }
    }

    #if canImport(Security)
    /// Without TLS, there is no key to check.
    @Test func otherChallengesAreLeftToTheSystem() async throws {
        let server = try LoopbackServer { _ in
            .text("denied", statusCode: 401).header("WWW-Authenticate", #"Basic realm="test""#)
        }
        let keys = ServicePinnedKeys([])
        let transport = ServiceChallengeTransport(configuration: .ephemeral) { challenge in
            keys.response(to: challenge)
        }
        let provider = ServiceProvider<TestService>(transport: transport)
        #expect(try await provider.failure(of: server.service()).unacceptableStatus == 401)
    }
    #endif
}
