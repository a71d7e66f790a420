// swift-tools-version: 6.2

import PackageDescription

// Not part of the main package. `.ci/check-extensions` builds and runs it.
let package = Package(
    name: "OutsidePackage",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "ServiceProvider", path: "../..")],
    targets: [
        .executableTarget(
            name: "OutsidePackage",
            dependencies: [.product(name: "ServiceProvider", package: "ServiceProvider")])
    ],
    swiftLanguageModes: [.v6]
)
