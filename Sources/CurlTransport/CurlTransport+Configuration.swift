// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
extension CurlTransport {
    /// The settings for all requests of a transport. A time that isn't above 0 counts as 60
    /// seconds, and a time above a week counts as a week.
    public struct Configuration: Sendable {
        /// Which proxy to use.
        public enum Proxy: Sendable {
            /// The one in `http_proxy`, `https_proxy` or `all_proxy`, except for hosts in
            /// `no_proxy`. Names in capitals count too, except `HTTP_PROXY`. The variables are
            /// read once, when the transport is created.
            case environment
            /// No proxy.
            case none
            /// The proxy at a URL, such as `http://user:password@proxy.example:3128`. The schemes are those of
            /// libcurl: `http`, `https`, `socks4`, `socks4a`, `socks5` and `socks5h`.
            case url(String)
        }

        /// A version of TLS.
        public enum TLSVersion: Int, Sendable {
            // libcurl's numbers.
            case tls12 = 6
            case tls13 = 7
        }

        /// A certificate that identifies the client to a server.
        public struct ClientCertificate: Sendable {
            /// A PEM file with the certificate, followed by those of intermediate authorities.
            public var certificate: URL
            /// A PEM file with the private key of the certificate.
            public var privateKey: URL
            /// The password of the private key. Default: nil.
            public var password: String?

            /// Creates a certificate from its files, which are read for each connection.
            public init(certificate: URL, privateKey: URL, password: String? = nil) {
                self.certificate = certificate
                self.privateKey = privateKey
                self.password = password
            }
        }

        /// The name or path of libcurl. Default: the system's, `libcurl.so.4`. The oldest version
        /// that works is 7.80.0. Before 7.87.0, cancelling a call during its DNS lookup blocks all
        /// other calls until the lookup ends.
        public var library: String
        /// Which proxy to use. Default: the one in the environment.
        public var proxy: Proxy
        /// A PEM file of certificate authorities to trust instead of the system's. It doesn't apply
        /// to the proxy. Default: nil.
        public var certificateAuthorities: URL?
        /// The only public keys to accept from servers: the SHA-256 of each SubjectPublicKeyInfo,
        /// in Base64 (RFC 7469, section 2.4). Default: nil, which accepts any key. An empty list accepts none.
        public var pinnedPublicKeys: [String]?
        /// The oldest version of TLS to use. Default: 1.2.
        public var minimumTLSVersion: TLSVersion
        /// The certificate to send to servers that ask for one. Default: nil.
        ///
        /// Any server can ask for it, even one that a redirect names.
        public var clientCertificate: ClientCertificate?
        /// The path of a Unix domain socket to connect to instead of the URL's host. Default: nil.
        public var unixSocket: URL?
        /// Addresses for hosts, in place of those that a name lookup finds: `["api.example.com": "192.0.2.7"]`.
        /// Certificates must still have the host's name. Default: empty.
        public var dnsOverride: [String: String]
        /// The IP address of this machine to connect from. Default: nil, the system chooses one.
        public var localAddress: String?
        /// Whether to connect to addresses that aren't public: those of this machine, of private
        /// networks, link-local and other special ones (IANA's registries, RFC 6890). Default: true.
        ///
        /// Set this to false in a server that loads URLs of its users. Each address is checked when a connection
        /// to it is opened, after the name lookup, also for redirects. A refused request fails with
        /// `URLError.resourceUnavailable`. So do all requests behind a proxy, which looks up names itself, and all
        /// requests to a ``unixSocket``.
        public var allowsPrivateAddresses: Bool
        /// Whether to use HTTP/2 if a TLS server offers it. Needs libcurl 8.4.0. Default: true.
        public var allowsHTTP2: Bool
        /// How many seconds connecting may take. Default: 30.
        public var connectionTimeout: TimeInterval
        /// How many seconds an idle connection is kept. Default: 30. A connection is used for at most 600 seconds, and then for
        /// no new request.
        public var maximumIdleTime: TimeInterval
        /// How many idle connections are kept for more than a second. Default: 32.
        public var maximumIdleConnections: Int
        /// The number of places: how many requests run at a time. Others wait. Default: 256.
        ///
        /// A single host can use all places. If several hosts are busy, each host can always use its equal share of the
        /// places. So up to twice as many requests may run for a time, and slow responses of one host don't stop calls to
        /// others.
        public var maximumTransfers: Int
        /// How many requests to one host (with its port) run at a time. Default: nil, as many as there are places.
        public var maximumTransfersPerHost: Int?
        /// The largest body in bytes. Applies to bodies in memory, unless the request sets its own
        /// `maximumBodySize`, and to compressed bodies of downloads. Limits their
        /// decompressed size, and their compressed size, which may be 64 KB larger. Default: 512 MB.
        public var maximumBodySize: Int64

        /// Creates a configuration. The properties say what each argument means.
        public init(
            library: String = "libcurl.so.4", proxy: Proxy = .environment,
            certificateAuthorities: URL? = nil, pinnedPublicKeys: [String]? = nil,
            minimumTLSVersion: TLSVersion = .tls12,
            clientCertificate: ClientCertificate? = nil, unixSocket: URL? = nil,
            dnsOverride: [String: String] = [:], localAddress: String? = nil,
            allowsPrivateAddresses: Bool = true, allowsHTTP2: Bool = true,
            connectionTimeout: TimeInterval = 30, maximumIdleTime: TimeInterval = 30,
            maximumIdleConnections: Int = 32, maximumTransfers: Int = 256,
            maximumTransfersPerHost: Int? = nil,
            maximumBodySize: Int64 = ServiceRequest.defaultMaximumBodySize
        ) {
            self.library = library
            self.proxy = proxy
            self.certificateAuthorities = certificateAuthorities
            self.pinnedPublicKeys = pinnedPublicKeys
            self.minimumTLSVersion = minimumTLSVersion
            self.clientCertificate = clientCertificate
            self.unixSocket = unixSocket
            self.dnsOverride = dnsOverride
            self.localAddress = localAddress
            self.allowsPrivateAddresses = allowsPrivateAddresses
            self.allowsHTTP2 = allowsHTTP2
            self.connectionTimeout = connectionTimeout
            self.maximumIdleTime = maximumIdleTime
            self.maximumIdleConnections = maximumIdleConnections
            self.maximumTransfers = maximumTransfers
            self.maximumTransfersPerHost = maximumTransfersPerHost
            self.maximumBodySize = maximumBodySize
        }
    }
}

extension CurlTransport.Configuration: CustomReflectable {
    /// Empty, because `dump` would print passwords.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension CurlTransport.Configuration.ClientCertificate: CustomReflectable {
    /// Empty, because `dump` would print the password.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension CurlTransport.Configuration.Proxy: CustomReflectable {
    /// Empty, because `print` and `dump` would print the password in the URL.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
