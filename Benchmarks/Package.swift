// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "ServiceProvider", path: "..")],
    targets: [
        .executableTarget(
            name: "BuildingBenchmark",
            dependencies: [.product(name: "ServiceProvider", package: "ServiceProvider")]),
        .executableTarget(
            name: "TransferBenchmark",
            dependencies: [
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "CurlTransport", package: "ServiceProvider"),
                .product(name: "LoopbackServer", package: "ServiceProvider"),
            ]),
        .executableTarget(
            name: "EndToEndBenchmark",
            dependencies: [
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "CurlTransport", package: "ServiceProvider"),
            ]),
        .executableTarget(
            name: "Soak",
            dependencies: [
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "CurlTransport", package: "ServiceProvider"),
                .product(name: "LoopbackServer", package: "ServiceProvider"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
