// swift-tools-version: 6.2

import PackageDescription

// The settings of a new app in Xcode 26: main-actor isolation by default, approachable concurrency.
let newApp: [SwiftSetting] = [
    .defaultIsolation(MainActor.self),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
    name: "HeroApp",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [.executable(name: "HeroApp", targets: ["HeroApp"])],
    dependencies: [.package(name: "ServiceProvider", path: "../..")],
    targets: [
        .target(
            name: "HeroModel",
            dependencies: [
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "ServiceProviderExtras", package: "ServiceProvider"),
                .product(name: "ServiceProviderTransfers", package: "ServiceProvider"),
            ],
            swiftSettings: newApp),
        .target(
            name: "HeroServer",
            dependencies: [
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "LoopbackServer", package: "ServiceProvider"),
            ],
            swiftSettings: newApp),
        .executableTarget(
            name: "HeroApp",
            dependencies: [
                "HeroModel", "HeroServer",
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "LoopbackServer", package: "ServiceProvider"),
            ],
            swiftSettings: newApp),
        .testTarget(
            name: "HeroModelTests",
            dependencies: [
                "HeroModel", "HeroServer",
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "ServiceProviderTesting", package: "ServiceProvider"),
                .product(name: "LoopbackServer", package: "ServiceProvider"),
            ],
            swiftSettings: newApp),
    ],
    swiftLanguageModes: [.v6]
)
