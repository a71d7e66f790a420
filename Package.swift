// swift-tools-version: 6.2

import PackageDescription

// What apps import, but for the transport on libcurl.
let library: [Target.Dependency] = [
    "ServiceProvider", "ServiceProviderExtras", "ServiceProviderTransfers",
    "ServiceProviderCaching", "ServiceProviderTesting",
]

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
        // What two modules or more need. Not a product: those modules export it.
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
        // Test support without the library, so `.ci/check-snippet` can use it, too.
        .testTarget(name: "TestTurns"),
        .testTarget(
            name: "TestSupport",
            dependencies: library + ["CurlTransport", "LoopbackServer", "TestTurns"]),
        .testTarget(
            name: "MarvelClientTests",
            dependencies: [
                "MarvelClient", "ServiceProvider", "ServiceProviderTesting", "TestSupport",
            ]),
        .testTarget(
            name: "ServiceProviderTests",
            dependencies: library + ["CurlTransport", "LoopbackServer", "TestSupport"]),
        .testTarget(
            name: "ServiceProviderSupportTests",
            dependencies: library + ["CurlTransport", "LoopbackServer", "TestSupport"]),
        .testTarget(
            name: "ServiceProviderExtrasTests",
            dependencies: library + ["CurlTransport", "LoopbackServer", "TestSupport"]),
        .testTarget(
            name: "ServiceProviderTransfersTests",
            dependencies: library + ["CurlTransport", "LoopbackServer", "TestSupport"]),
        .testTarget(
            name: "ServiceProviderCachingTests",
            dependencies: library + ["CurlTransport", "LoopbackServer", "TestSupport"]),
        .testTarget(
            name: "ServiceProviderTestingTests",
            dependencies: library + ["CurlTransport", "LoopbackServer", "TestSupport"]),
        // `.ci/check-snippet` also runs them with Snippet/ServiceProvider.swift.
        .testTarget(
            name: "SnippetTests",
            dependencies: ["ServiceProvider", "LoopbackServer", "TestTurns"]),
        .testTarget(
            name: "RecipeTests",
            dependencies: library + ["LoopbackServer", "TestSupport"],
            exclude: ["Recipes/README.md"]),
        .testTarget(
            name: "CurlTransportTests",
            dependencies: library + ["CurlTransport", "CCurl", "LoopbackServer", "TestSupport"]),
        .testTarget(
            name: "RealServerTests",
            dependencies: library + ["CurlTransport", "TestSupport"]),
        .testTarget(
            name: "FuzzTests",
            dependencies: library + ["CurlTransport", "TestSupport"]),
        .testTarget(name: "LoopbackServerTests", dependencies: ["LoopbackServer", "TestSupport"]),
        // The tests of an app's clients. The next two targets have a link to them.
        .testTarget(
            name: "Swift6ClientTests",
            dependencies: library + ["LoopbackServer", "TestTurns"]),
        .testTarget(
            name: "MainActorClientTests",
            dependencies: library + ["LoopbackServer", "TestTurns"],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "Swift5ClientTests",
            dependencies: library + ["LoopbackServer", "TestTurns"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
    ],
    swiftLanguageModes: [.v6]
)
