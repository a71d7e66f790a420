// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "ServiceProvider",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "ServiceProvider", targets: ["ServiceProvider"]),
        .library(name: "ServiceProviderExtras", targets: ["ServiceProviderExtras"]),
        .library(name: "CurlTransport", targets: ["CurlTransport"]),
        .library(name: "LoopbackServer", targets: ["LoopbackServer"]),
    ],
    targets: [
        .target(name: "ServiceProvider"),
        .target(name: "ServiceProviderMetrics", dependencies: ["ServiceProvider"]),
        .target(
            name: "ServiceProviderExtras",
            dependencies: ["ServiceProvider", "ServiceProviderMetrics"]),
        .target(name: "CCurl"),
        .target(
            name: "CurlTransport",
            dependencies: ["ServiceProvider", "ServiceProviderMetrics", "CCurl"]),
        .target(name: "LoopbackServer"),
        // Files to copy into an app. Targets, so that the tests can import them.
        .target(
            name: "MoyaKit", dependencies: ["ServiceProvider", "ServiceProviderExtras"],
            path: "Snippet", exclude: ["GetKit.swift", "ServiceProvider.swift"],
            sources: ["MoyaKit.swift"], swiftSettings: [.define("MOYA_MODULE")]),
        .target(
            name: "GetKit", dependencies: ["ServiceProvider", "ServiceProviderExtras"],
            path: "Snippet", exclude: ["MoyaKit.swift", "ServiceProvider.swift"],
            sources: ["GetKit.swift"]),
        .executableTarget(
            name: "MarvelClient",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "CurlTransport", "LoopbackServer",
            ],
            path: "Examples/MarvelClient"),
        .testTarget(
            name: "TestSupport",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "CurlTransport", "LoopbackServer",
            ],
            path: "Tests/TestSupport"),
        .testTarget(
            name: "MarvelClientTests",
            dependencies: [
                "MarvelClient", "ServiceProvider", "ServiceProviderExtras", "LoopbackServer",
                "TestSupport",
            ]),
        .testTarget(
            name: "ServiceProviderTests",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "CurlTransport", "LoopbackServer",
                "TestSupport",
            ]),
        .testTarget(
            name: "ServiceProviderExtrasTests",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "CurlTransport", "LoopbackServer",
                "TestSupport",
            ]),
        // `.ci/check-snippet` also runs them with Snippet/ServiceProvider.swift.
        .testTarget(name: "SnippetTests", dependencies: ["ServiceProvider", "LoopbackServer"]),
        .testTarget(
            name: "RecipeTests",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "LoopbackServer", "TestSupport",
            ]),
        .testTarget(
            name: "CurlTransportTests",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "CurlTransport", "CCurl",
                "LoopbackServer", "TestSupport",
            ]),
        .testTarget(
            name: "RealServerTests",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "CurlTransport", "TestSupport",
            ]),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "CurlTransport", "TestSupport",
            ]),
        .testTarget(name: "LoopbackServerTests", dependencies: ["LoopbackServer", "TestSupport"]),
        // The tests of an app's client. The next two targets have a link to them.
        .testTarget(
            name: "Swift6ClientTests",
            dependencies: ["ServiceProvider", "ServiceProviderExtras", "LoopbackServer"]),
        .testTarget(
            name: "MainActorClientTests",
            dependencies: ["ServiceProvider", "ServiceProviderExtras", "LoopbackServer"],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "Swift5ClientTests",
            dependencies: ["ServiceProvider", "ServiceProviderExtras", "LoopbackServer"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "MovingKitTests",
            dependencies: [
                "MoyaKit", "GetKit", "ServiceProvider", "ServiceProviderExtras", "LoopbackServer",
                "TestSupport",
            ],
            swiftSettings: [.swiftLanguageMode(.v5)]),
    ],
    swiftLanguageModes: [.v6]
)
