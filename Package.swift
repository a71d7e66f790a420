// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "ServiceProvider",
    platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [
        .library(name: "ServiceProvider", targets: ["ServiceProvider"]),
        .library(name: "CurlTransport", targets: ["CurlTransport"]),
        .library(name: "LoopbackServer", targets: ["LoopbackServer"]),
    ],
    targets: [
        .target(name: "ServiceProvider"),
        .target(name: "CCurl"),
        .target(name: "CurlTransport", dependencies: ["ServiceProvider", "CCurl"]),
        .target(name: "LoopbackServer"),
        .executableTarget(
            name: "MarvelClient",
            dependencies: ["ServiceProvider", "CurlTransport", "LoopbackServer"],
            path: "Examples/MarvelClient"),
        .testTarget(
            name: "MarvelClientTests",
            dependencies: ["MarvelClient", "ServiceProvider", "LoopbackServer"]),
        .testTarget(
            name: "ServiceProviderTests",
            dependencies: ["ServiceProvider", "CurlTransport", "LoopbackServer"]),
        .testTarget(name: "RecipeTests", dependencies: ["ServiceProvider", "LoopbackServer"]),
        .testTarget(
            name: "CurlTransportTests",
            dependencies: ["ServiceProvider", "CurlTransport", "LoopbackServer"]),
        .testTarget(
            name: "RealServerTests", dependencies: ["ServiceProvider", "CurlTransport"]),
        .testTarget(name: "FuzzTests", dependencies: ["ServiceProvider", "CurlTransport"]),
        .testTarget(name: "LoopbackServerTests", dependencies: ["LoopbackServer"]),
        .testTarget(
            name: "Swift6ClientTests", dependencies: ["ServiceProvider", "LoopbackServer"]),
        .testTarget(
            name: "MainActorClientTests", dependencies: ["ServiceProvider", "LoopbackServer"],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "Swift5ClientTests", dependencies: ["ServiceProvider", "LoopbackServer"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
    ],
    swiftLanguageModes: [.v6]
)
