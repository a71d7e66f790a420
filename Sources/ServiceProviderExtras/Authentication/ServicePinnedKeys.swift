// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(Security)
import CryptoKit
import Security
#endif

/// The only public keys to accept from servers.
///
/// Apple platforms only. On Linux, give the same keys to
/// `CurlTransport.Configuration.pinnedPublicKeys`.
///
/// ```swift
/// let keys = ServicePinnedKeys(["YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg="])
/// let transport = ServiceChallengeTransport { challenge in keys.response(to: challenge) }
/// let provider = ServiceProvider<BankService>(transport: transport)
/// ```
public nonisolated struct ServicePinnedKeys: Sendable {
    /// The SHA-256 of each SubjectPublicKeyInfo, in Base64 (RFC 7469, section 2.4).
    public var hashes: Set<String>

    /// Creates a list of keys. An empty list accepts no server.
    public init(_ hashes: Set<String>) {
        self.hashes = hashes
    }

    #if canImport(Security)
    /// Responds to a challenge for trust in a server: accepts it if its certificate is valid and has
    /// one of the keys. Leaves all other challenges to the system.
    public func response(
        to challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard let trust = challenge.protectionSpace.serverTrust else {
            return (.performDefaultHandling, nil)
        }
        guard SecTrustEvaluateWithError(trust, nil), isPinned(trust) else {
            return (.cancelAuthenticationChallenge, nil)
        }
        return (.useCredential, URLCredential(trust: trust))
    }

    private func isPinned(_ trust: SecTrust) -> Bool {
        let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
        let certificate = chain?.first.map { SecCertificateCopyData($0) as Data } ?? Data()
        guard let key = Self.publicKeyInfo(ofCertificate: certificate) else { return false }
        return hashes.contains(Data(SHA256.hash(data: key)).base64EncodedString())
    }
    #endif

    /// Returns the SubjectPublicKeyInfo of a certificate (RFC 5280, section 4.1), in DER.
    ///
    /// - Parameter certificate: An X.509 certificate in DER.
    /// - Returns: Nil if the data isn't a certificate.
    package static func publicKeyInfo(ofCertificate certificate: Data) -> Data? {
        var certificate = [UInt8](certificate)[...]
        var signed = certificate.takeElement(.sequence)?.contents
        guard var fields = signed?.takeElement(.sequence)?.contents else { return nil }
        // Version (optional), serial number, signature, issuer, validity and subject.
        _ = fields.takeElement(.version)
        for type in [DERType.integer, .sequence, .sequence, .sequence, .sequence] {
            guard fields.takeElement(type) != nil else { return nil }
        }
        return fields.takeElement(.sequence).map { Data($0.whole) }
    }
}

private nonisolated enum DERType: UInt8 {
    case integer = 0x02, sequence = 0x30, version = 0xA0
}

private nonisolated extension ArraySlice<UInt8> {
    /// Takes the next element of DER data (X.690, section 8.1): its type, length and contents. Nil
    /// if it has another type or is incomplete.
    mutating func takeElement(
        _ type: DERType
    ) -> (whole: ArraySlice<UInt8>, contents: ArraySlice<UInt8>)? {
        guard first == type.rawValue, let short = dropFirst().first else { return nil }
        var length = Int(short)
        var header = 2
        if short >= 0x80 {
            // A length above 127 is in the next bytes. The first byte says how many.
            let size = Int(short & 0x7F)
            let bytes = dropFirst(2).prefix(size)
            guard size <= 3, bytes.count == size else { return nil }
            length = bytes.reduce(0) { $0 << 8 | Int($1) }
            header += size
        }
        guard count - header >= length else { return nil }
        let whole = prefix(header + length)
        self = dropFirst(whole.count)
        return (whole, whole.dropFirst(header))
    }
}
