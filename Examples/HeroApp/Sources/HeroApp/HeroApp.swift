// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(SwiftUI)
import LoopbackServer
import ServiceProvider
import SwiftUI

@main
struct HeroApp: App {
    private let provider = makeProvider()

    var body: some Scene {
        WindowGroup {
            HeroListView(model: HeroList(provider: provider))
        }
    }

    /// The provider of the example, with a server inside the app.
    ///
    /// An app with a real server needs only `.heroes(token:)`.
    private static func makeProvider() -> ServiceProvider<HeroService> {
        let server = try? LoopbackServer.heroes(delay: 0.5)
        return .heroes(
            token: { LoopbackServer.sampleToken },
            interceptors: server.map { [LocalServer($0)] } ?? [])
    }
}
#else
@main
struct HeroApp {
    static func main() {
        print("HeroApp needs an Apple platform, because its views are written in SwiftUI.")
    }
}
#endif
