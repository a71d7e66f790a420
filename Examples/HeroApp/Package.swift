// swift-tools-version: 6.2

import PackageDescription

// For tests on Linux and on a Mac. The app itself is HeroApp.xcodeproj.

// The settings of a new app in Xcode 26: main-actor isolation by default, approachable concurrency.
let newApp: [SwiftSetting] = [
    .defaultIsolation(MainActor.self),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let products = [
    "ServiceProvider", "ServiceProviderExtras", "ServiceProviderTransfers",
    "ServiceProviderCaching", "ServiceProviderTesting", "LoopbackServer",
]

let package = Package(
    name: "HeroApp",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [.executable(name: "HeroApp", targets: ["HeroApp"])],
    dependencies: [.package(name: "ServiceProvider", path: "../..")],
    targets: [
        .executableTarget(
            name: "HeroApp",
            dependencies: products.map { .product(name: $0, package: "ServiceProvider") },
            exclude: ["Localizable.xcstrings"],
            swiftSettings: newApp),
        .testTarget(
            name: "HeroAppTests",
            dependencies: ["HeroApp"]
                + products.map { .product(name: $0, package: "ServiceProvider") },
            swiftSettings: newApp),
    ],
    swiftLanguageModes: [.v6]
)
