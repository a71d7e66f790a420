// swift-tools-version: 6.2

import PackageDescription

// Hello-worlds, which `Benchmarks/footprint` builds one at a time.
let package = Package(
    name: "Footprint",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "ServiceProvider", path: "../..")],
    targets: [
        .executableTarget(name: "Without"),
        .executableTarget(
            name: "With",
            dependencies: [.product(name: "ServiceProvider", package: "ServiceProvider")]),
        .executableTarget(
            name: "WithCurl",
            dependencies: [
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "CurlTransport", package: "ServiceProvider"),
            ]),
        .executableTarget(name: "Copied"),
        .executableTarget(name: "CopiedCore"),
    ],
    swiftLanguageModes: [.v6]
)
