// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "ServiceProvider", path: "..")],
    targets: [
        .target(name: "BenchmarkSupport"),
        .target(name: "CurlInC"),
        .executableTarget(
            name: "InstructionsBenchmark",
            dependencies: [
                "CurlInC",
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "CurlTransport", package: "ServiceProvider"),
            ]),
        .executableTarget(
            name: "BuildingBenchmark",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "ServiceProvider", package: "ServiceProvider"),
            ]),
        .executableTarget(
            name: "DecodingBenchmark",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "CurlTransport", package: "ServiceProvider"),
                .product(name: "LoopbackServer", package: "ServiceProvider"),
            ]),
        .executableTarget(
            name: "TransferBenchmark",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "ServiceProviderExtras", package: "ServiceProvider"),
                .product(name: "ServiceProviderTransfers", package: "ServiceProvider"),
                .product(name: "ServiceProviderCaching", package: "ServiceProvider"),
                .product(name: "CurlTransport", package: "ServiceProvider"),
                .product(name: "LoopbackServer", package: "ServiceProvider"),
            ]),
        .executableTarget(
            name: "EndToEndBenchmark",
            dependencies: [
                "BenchmarkSupport",
                "CurlInC",
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "CurlTransport", package: "ServiceProvider"),
            ]),
        .executableTarget(
            name: "Soak",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "ServiceProviderExtras", package: "ServiceProvider"),
                .product(name: "ServiceProviderTransfers", package: "ServiceProvider"),
                .product(name: "ServiceProviderCaching", package: "ServiceProvider"),
                .product(name: "CurlTransport", package: "ServiceProvider"),
                .product(name: "LoopbackServer", package: "ServiceProvider"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
