// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "ServiceProvider",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "ServiceProvider", targets: ["ServiceProvider"]),
        .library(name: "ServiceProviderExtras", targets: ["ServiceProviderExtras"]),
        .library(name: "ServiceProviderTransfers", targets: ["ServiceProviderTransfers"]),
        .library(name: "ServiceProviderCaching", targets: ["ServiceProviderCaching"]),
        .library(name: "ServiceProviderTesting", targets: ["ServiceProviderTesting"]),
        .library(name: "CurlTransport", targets: ["CurlTransport"]),
        .library(name: "LoopbackServer", targets: ["LoopbackServer"]),
    ],
    targets: [
        .target(name: "ServiceProvider"),
        // Code that two modules or more need. Not a product: those modules export it.
        .target(name: "ServiceProviderSupport", dependencies: ["ServiceProvider"]),
        .target(name: "ServiceProviderExtras", dependencies: ["ServiceProviderSupport"]),
        .target(name: "ServiceProviderTransfers", dependencies: ["ServiceProviderSupport"]),
        .target(name: "ServiceProviderCaching", dependencies: ["ServiceProviderSupport"]),
        .target(name: "ServiceProviderTesting", dependencies: ["ServiceProviderSupport"]),
        .target(name: "CCurl"),
        .target(name: "CurlTransport", dependencies: ["ServiceProvider", "CCurl"]),
        .target(name: "LoopbackServer"),
        .executableTarget(
            name: "MarvelClient",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "ServiceProviderTransfers",
                "LoopbackServer",
            ],
            path: "Examples/MarvelClient"),
        // Test support without the library: `.ci/check-snippet` also uses it.
        .testTarget(name: "TestTraits"),
        .testTarget(
            name: "TestSupport",
            dependencies: [
                "ServiceProvider", "ServiceProviderSupport", "CurlTransport", "LoopbackServer",
                "TestTraits",
            ]),
        // The tests of one module each. Some need another module, because the two are used together.
        .testTarget(
            name: "ServiceProviderTests",
            dependencies: ["ServiceProvider", "LoopbackServer", "TestSupport"]),
        .testTarget(
            name: "ServiceProviderSupportTests",
            dependencies: ["ServiceProviderSupport", "TestSupport"]),
        .testTarget(
            name: "ServiceProviderExtrasTests",
            // Interceptors also handle streams, downloads and uploads.
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "ServiceProviderTransfers",
                "LoopbackServer", "TestSupport",
            ]),
        .testTarget(
            name: "ServiceProviderTransfersTests",
            // Downloads are retried and stubbed. One test compares the transports.
            dependencies: [
                "ServiceProvider", "ServiceProviderTransfers", "ServiceProviderExtras",
                "ServiceProviderTesting", "CurlTransport", "LoopbackServer", "TestSupport",
            ]),
        .testTarget(
            name: "ServiceProviderCachingTests",
            // A cache is used with retries, tokens and downloads.
            dependencies: [
                "ServiceProvider", "ServiceProviderCaching", "ServiceProviderExtras",
                "ServiceProviderTransfers", "LoopbackServer", "TestSupport",
            ]),
        .testTarget(
            name: "ServiceProviderTestingTests",
            // Calls of each kind are stubbed and recorded.
            dependencies: [
                "ServiceProvider", "ServiceProviderTesting", "ServiceProviderExtras",
                "ServiceProviderTransfers", "LoopbackServer", "TestSupport",
            ]),
        .testTarget(
            name: "CurlTransportTests",
            // Streams and files need more of a transport than bodies in memory.
            dependencies: [
                "ServiceProvider", "CurlTransport", "CCurl", "ServiceProviderExtras",
                "ServiceProviderTransfers", "LoopbackServer", "TestSupport",
            ]),
        .testTarget(name: "LoopbackServerTests", dependencies: ["LoopbackServer", "TestSupport"]),
        // The tests of several modules together.
        .testTarget(
            name: "CombinedTests",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "ServiceProviderCaching",
                "ServiceProviderTesting", "TestSupport",
            ]),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "ServiceProviderTransfers",
                "ServiceProviderCaching", "CurlTransport", "TestSupport",
            ]),
        .testTarget(
            name: "RealServerTests",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "ServiceProviderTransfers",
                "ServiceProviderCaching", "CurlTransport", "TestSupport",
            ]),
        .testTarget(
            name: "RecipeTests",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "ServiceProviderTransfers",
                "ServiceProviderCaching", "ServiceProviderTesting", "LoopbackServer",
                "TestSupport",
            ],
            exclude: ["Recipes/README.md"]),
        .testTarget(
            name: "MarvelClientTests",
            dependencies: [
                // A command-line tool can't be built for iOS.
                .target(name: "MarvelClient", condition: .when(platforms: [.linux, .macOS])),
                "ServiceProvider", "ServiceProviderTesting", "LoopbackServer", "TestSupport",
            ]),
        // `.ci/check-snippet` also runs them with Snippet/ServiceProvider.swift.
        .testTarget(
            name: "SnippetTests",
            dependencies: ["ServiceProvider", "LoopbackServer", "TestTraits"]),
        // The tests of an app's clients. The next two targets have a link to them.
        .testTarget(
            name: "Swift6ClientTests",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "LoopbackServer", "TestTraits",
            ]),
        .testTarget(
            name: "MainActorClientTests",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "ServiceProviderTesting",
                "LoopbackServer", "TestTraits",
            ],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "Swift5ClientTests",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "LoopbackServer", "TestTraits",
            ],
            swiftSettings: [.swiftLanguageMode(.v5)]),
    ],
    swiftLanguageModes: [.v6]
)
