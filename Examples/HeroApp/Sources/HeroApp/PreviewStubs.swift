// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if DEBUG
import Foundation
import ServiceProvider
import ServiceProviderTesting

// Stubs for previews. The tests use them, too.

extension ServiceProvider<HeroService> {
    /// A provider for a preview. It sends nothing.
    ///
    /// - Parameters:
    ///   - stubs: The responses, in order. Without one that is left, a call fails.
    ///   - picture: The response for each picture. Default: a bitmap.
    static func preview(_ stubs: ServiceStub..., picture: ServiceStub = .picture) -> ServiceProvider
    {
        let pictures = ServiceStubs { request in
            let isPicture = request.urlRequest.url?.lastPathComponent == "picture"
            return isPicture && request.urlRequest.httpMethod == "GET" ? picture : nil
        }
        return .heroes(
            token: { "a-token" }, interceptors: [pictures, ServiceStubs(responses: stubs)])
    }
}

nonisolated extension ServiceStub {
    static var heroes: ServiceStub {
        .json(#"[{"id": 1, "name": "Hulk"}, {"id": 5, "name": "Storm"}]"#)
    }
    static var details: ServiceStub {
        .json(#"{"biography": "She commands the weather.", "powers": ["Weather", "Flight"]}"#)
    }
    static var picture: ServiceStub {
        .data(.bitmap(of: BitmapColor(red: 120, green: 130, blue: 200)))
    }
    static var offline: ServiceStub { .error(URLError(.notConnectedToInternet)) }
}

nonisolated extension Hero {
    static var preview: Hero { Hero(id: 5, name: "Storm") }
}

extension PictureUpload {
    /// An upload with the server's response to it.
    static func preview(_ stub: ServiceStub) -> PictureUpload {
        PictureUpload(heroID: Hero.preview.id, provider: .preview(stub))
    }
}

nonisolated extension URL {
    /// Creates a file with a picture.
    static func preview() throws -> URL {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("\(UUID().uuidString).bmp")
        try Data.bitmap(of: BitmapColor(red: 120, green: 130, blue: 200)).write(to: file)
        return file
    }
}
#endif
