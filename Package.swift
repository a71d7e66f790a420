// swift-tools-version: 6.2

import PackageDescription

// What the tests use.
let library: [Target.Dependency] = [
    "ServiceProvider", "ServiceProviderExtras", "ServiceProviderBodies",
    "ServiceProviderDiagnostics", "ServiceProviderTransfers", "ServiceProviderCaching",
    "ServiceProviderTesting",
]

// Files to copy into an app.
let copied = [
    "Alamofire.swift", "ApiRequestKit.swift", "BuckoKit.swift", "GetKit.swift", "MoyaKit.swift",
    "RouterKit.swift", "ServiceProvider.swift",
]

let package = Package(
    name: "ServiceProvider",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "ServiceProvider", targets: ["ServiceProvider"]),
        .library(name: "ServiceProviderExtras", targets: ["ServiceProviderExtras"]),
        .library(name: "ServiceProviderBodies", targets: ["ServiceProviderBodies"]),
        .library(name: "ServiceProviderDiagnostics", targets: ["ServiceProviderDiagnostics"]),
        .library(name: "ServiceProviderTransfers", targets: ["ServiceProviderTransfers"]),
        .library(name: "ServiceProviderCaching", targets: ["ServiceProviderCaching"]),
        .library(name: "ServiceProviderTesting", targets: ["ServiceProviderTesting"]),
        .library(name: "CurlTransport", targets: ["CurlTransport"]),
        .library(name: "LoopbackServer", targets: ["LoopbackServer"]),
    ],
    targets: [
        .target(name: "ServiceProvider"),
        .target(name: "ServiceProviderMetrics", dependencies: ["ServiceProvider"]),
        // What the modules below share: not a product.
        .target(name: "ServiceProviderShared", dependencies: ["ServiceProvider"]),
        // Shared by the modules that show or keep calls: not a product either.
        .target(
            name: "ServiceProviderReporting",
            dependencies: ["ServiceProvider", "ServiceProviderShared"]),
        .target(
            name: "ServiceProviderExtras",
            dependencies: ["ServiceProvider", "ServiceProviderShared"]),
        .target(
            name: "ServiceProviderBodies",
            dependencies: ["ServiceProvider", "ServiceProviderShared"]),
        .target(
            name: "ServiceProviderDiagnostics",
            dependencies: ["ServiceProvider", "ServiceProviderMetrics", "ServiceProviderReporting"]),
        .target(
            name: "ServiceProviderTransfers",
            dependencies: ["ServiceProvider", "ServiceProviderReporting"]),
        .target(
            name: "ServiceProviderCaching",
            dependencies: ["ServiceProvider", "ServiceProviderReporting"]),
        .target(
            name: "ServiceProviderTesting",
            dependencies: [
                "ServiceProvider", "ServiceProviderDiagnostics", "ServiceProviderReporting",
            ]),
        .target(name: "CCurl"),
        .target(
            name: "CurlTransport",
            dependencies: ["ServiceProvider", "ServiceProviderMetrics", "CCurl"]),
        .target(name: "LoopbackServer"),
        .executableTarget(
            name: "MarvelClient",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "ServiceProviderDiagnostics",
                "ServiceProviderTransfers", "LoopbackServer",
            ],
            path: "Examples/MarvelClient"),
        .testTarget(
            name: "TestSupport",
            dependencies: library + ["CurlTransport", "LoopbackServer"],
            path: "Tests/TestSupport"),
        .testTarget(
            name: "MarvelClientTests",
            dependencies: [
                "MarvelClient", "ServiceProvider", "ServiceProviderTesting", "TestSupport",
            ]),
        .testTarget(
            name: "ServiceProviderTests",
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
        .testTarget(name: "SnippetTests", dependencies: ["ServiceProvider", "LoopbackServer"]),
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
        // A file to copy, as the module whose name Get's users import. A test target, because another target with
        // this name would collide with Get in an app's package.
        .testTarget(
            name: "Get",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "ServiceProviderBodies",
                "ServiceProviderTransfers",
            ],
            path: "Snippet", exclude: copied.filter { $0 != "GetKit.swift" },
            sources: ["GetKit.swift"]),
        // The tests of an app's clients. The next two targets have a link to them.
        .testTarget(
            name: "Swift6ClientTests",
            dependencies: library + ["Get", "LoopbackServer"]),
        .testTarget(
            name: "MainActorClientTests",
            dependencies: library + ["Get", "LoopbackServer"],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "Swift5ClientTests",
            dependencies: library + ["Get", "LoopbackServer"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // Each has a link to a file to copy, and code of an app that was written for an article.
        .testTarget(
            name: "RouterKitTests",
            dependencies: ["ServiceProvider", "LoopbackServer", "TestSupport"]),
        .testTarget(
            name: "BuckoKitTests",
            dependencies: ["ServiceProviderBodies", "LoopbackServer", "TestSupport"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "ApiRequestKitTests",
            dependencies: ["ServiceProvider", "LoopbackServer", "TestSupport"],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        // The same for Moya and Alamofire.
        .testTarget(
            name: "Moya",
            dependencies: [
                "ServiceProvider", "ServiceProviderExtras", "ServiceProviderBodies",
                "ServiceProviderDiagnostics", "ServiceProviderTransfers",
            ],
            path: "Snippet", exclude: copied.filter { $0 != "MoyaKit.swift" },
            sources: ["MoyaKit.swift"], swiftSettings: [.define("MOYA_MODULE")]),
        .testTarget(
            name: "Alamofire", dependencies: ["Moya"],
            path: "Snippet", exclude: copied.filter { $0 != "Alamofire.swift" },
            sources: ["Alamofire.swift"]),
        // The same endpoints of apps in each mode. The next two targets have a link to them.
        .testTarget(
            name: "MoyaAppTests",
            dependencies: library + ["Moya", "Alamofire", "LoopbackServer", "TestSupport"]),
        .testTarget(
            name: "MoyaAppMainActorTests",
            dependencies: library + ["Moya", "Alamofire", "LoopbackServer", "TestSupport"],
            swiftSettings: [
                .defaultIsolation(MainActor.self), .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        .testTarget(
            name: "MoyaAppSwift5Tests",
            dependencies: library + ["Moya", "Alamofire", "LoopbackServer", "TestSupport"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "MovingKitTests",
            dependencies: library + ["Moya", "Alamofire", "Get", "LoopbackServer", "TestSupport"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
    ],
    swiftLanguageModes: [.v6]
)
