// swift-tools-version: 6.2

import PackageDescription

func library(_ names: String...) -> [Target.Dependency] {
    names.map { .product(name: $0, package: "ServiceProvider") }
}

// The libraries under the kits for Moya and Get.
let transfers = library(
    "ServiceProvider", "ServiceProviderExtras", "ServiceProviderTransfers")
// The libraries that tests use beside a kit.
let testing =
    transfers + library("ServiceProviderTesting", "LoopbackServer") + ["TestSupport"]
let moyaApp: [Target.Dependency] = ["Moya", "Alamofire", "OtherModule"] + testing

let mainActor: [SwiftSetting] = [.defaultIsolation(MainActor.self)]
let swift5: [SwiftSetting] = [.swiftLanguageMode(.v5)]

let package = Package(
    name: "Migration",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Moya", targets: ["Moya"]),
        .library(name: "CombineMoya", targets: ["CombineMoya"]),
        .library(name: "Alamofire", targets: ["Alamofire"]),
        .library(name: "Get", targets: ["Get"]),
    ],
    dependencies: [.package(name: "ServiceProvider", path: "..")],
    targets: [
        .target(name: "Moya", dependencies: transfers, swiftSettings: [.define("MOYA_MODULE")]),
        .target(name: "CombineMoya", dependencies: ["Moya"]),
        .target(name: "Alamofire", dependencies: ["Moya"]),
        .target(name: "Get", dependencies: transfers),
        // To copy into an app. Their tests have links to them.
        .target(name: "RouterKit", dependencies: library("ServiceProvider")),
        .target(name: "BuckoKit", dependencies: library("ServiceProviderExtras")),
        .target(name: "ApiRequestKit", dependencies: library("ServiceProvider")),
        // Links to folders of the library's tests.
        .testTarget(name: "TestTraits"),
        .testTarget(
            name: "TestSupport",
            dependencies: ["TestTraits"] + transfers
                + library("CurlTransport", "LoopbackServer")),
        .testTarget(
            name: "MoyaKitTests", dependencies: ["Moya", "CombineMoya", "Alamofire"] + testing,
            swiftSettings: swift5),
        // One file is a link to a file of the target above.
        .testTarget(
            name: "GetKitTests", dependencies: ["Get"] + testing, swiftSettings: swift5),
        // A module of an app, with names that Moya keeps to itself.
        .target(name: "OtherModule", path: "Tests/OtherModule"),
        // In place of RxSwift.
        .target(name: "ReactiveStandIn", path: "Tests/ReactiveStandIn", swiftSettings: swift5),
        // Code in the style of RxMoya: in a module of its own, and in one with the kit, as CocoaPods builds it.
        .testTarget(
            name: "RxMoyaTests", dependencies: ["Moya", "ReactiveStandIn"] + testing,
            swiftSettings: swift5),
        .testTarget(
            name: "RxMoyaPodTests", dependencies: ["ReactiveStandIn"] + testing,
            swiftSettings: swift5 + [.define("MOYA_MODULE"), .define("COCOAPODS")]),
        // Code of apps in each mode. The targets for the other modes have links to the first one.
        .testTarget(name: "MoyaAppTests", dependencies: moyaApp),
        .testTarget(
            name: "MoyaAppMainActorTests", dependencies: moyaApp,
            swiftSettings: mainActor + [.enableUpcomingFeature("MemberImportVisibility")]),
        .testTarget(
            name: "MoyaAppSwift5Tests", dependencies: moyaApp,
            swiftSettings: swift5),
        .testTarget(name: "GetAppTests", dependencies: ["Get"] + testing),
        .testTarget(
            name: "GetAppMainActorTests", dependencies: ["Get"] + testing,
            swiftSettings: mainActor),
        .testTarget(
            name: "GetAppSwift5Tests", dependencies: ["Get"] + testing, swiftSettings: swift5),
        // Code of apps that were written for an article.
        .testTarget(name: "RouterKitTests", dependencies: testing),
        .testTarget(name: "BuckoKitTests", dependencies: testing, swiftSettings: swift5),
        .testTarget(name: "ApiRequestKitTests", dependencies: testing, swiftSettings: mainActor),
    ],
    swiftLanguageModes: [.v6]
)
