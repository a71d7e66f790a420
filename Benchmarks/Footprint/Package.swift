// swift-tools-version: 6.2

import PackageDescription

// Hello-world programs. `Benchmarks/footprint` builds them in a copy of this folder. It passes the
// path of the library, and copies the snippet into the target Snippet.
let library = Package.Dependency.package(
    name: "ServiceProvider", path: Context.environment["LIBRARY"] ?? "../..")

let package = Package(
    name: "Footprint",
    platforms: [.macOS(.v13)],
    dependencies: [library],
    targets: [
        .executableTarget(name: "Without"),
        .executableTarget(
            name: "Core",
            dependencies: [.product(name: "ServiceProvider", package: "ServiceProvider")]),
        .executableTarget(
            name: "Retry",
            dependencies: [
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "ServiceProviderExtras", package: "ServiceProvider"),
            ]),
        .executableTarget(
            name: "Download",
            dependencies: [
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "ServiceProviderTransfers", package: "ServiceProvider"),
            ]),
        .executableTarget(
            name: "All",
            dependencies: [
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "ServiceProviderExtras", package: "ServiceProvider"),
                .product(name: "ServiceProviderTransfers", package: "ServiceProvider"),
                .product(name: "ServiceProviderCaching", package: "ServiceProvider"),
            ]),
        .executableTarget(
            name: "Curl",
            dependencies: [
                .product(name: "ServiceProvider", package: "ServiceProvider"),
                .product(name: "CurlTransport", package: "ServiceProvider"),
            ]),
        .executableTarget(name: "Snippet"),
    ],
    swiftLanguageModes: [.v6]
)
