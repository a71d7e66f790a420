// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Probes",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "ServiceProvider", path: "../..")],
    targets: [
        .executableTarget(
            name: "Probes",
            dependencies: [
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "ServiceProviderExtras", package: "ServiceProvider"),
                .product(name: "ServiceProviderTransfers", package: "ServiceProvider"),
                .product(name: "CurlTransport", package: "ServiceProvider"),
                .product(name: "LoopbackServer", package: "ServiceProvider"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
