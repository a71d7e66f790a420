// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The metrics of calls that fail.
@Suite(.serialized, .opensFiles(0), .timeLimit) struct ErrorMetricsTests {
    private static func metrics(_ total: TimeInterval) -> ServiceMetrics {
        var metrics = ServiceMetrics()
        metrics.total = total
        metrics.remoteAddress = "192.0.2.7"
        return metrics
    }

    private func error(_ transport: StubTransport) async -> ServiceError? {
        await ErrorText.error(over: transport)
    }

    @Test(.row("C34")) func aTransportErrorKeepsItsMetrics() async {
        let failure = URLError(.timedOut).adding([Self.metrics(1)])
        let error = await error(ErrorText.failing(failure))
        #expect(error?.metrics.map(\.total) == [1])
        #expect(error?.metrics.first?.remoteAddress == "192.0.2.7")
        #expect(error?.urlErrorCode == .timedOut)
    }

    @Test func redirectsBeforeAFailureCount() async {
        let transport = StubTransport { request in
            let path = request.urlRequest.url?.path ?? ""
            guard path != "/c" else { throw URLError(.timedOut).adding([Self.metrics(3)]) }
            let isFirst = path != "/b"
            var response = try request.respond(302, headers: ["Location": isFirst ? "/b" : "/c"])
            response.metrics += [Self.metrics(isFirst ? 1 : 2)]
            return response
        }
        #expect(await error(transport)?.metrics.map(\.total) == [1, 2, 3])
    }

    @Test(arguments: [(500, "x"), (200, ""), (200, "{")])
    func aResponseThatIsAnErrorHasItsMetrics(_ status: Int, _ body: String) async {
        let transport = StubTransport { request in
            var response = try request.respond(status, data: Data(body.utf8))
            response.metrics = [Self.metrics(4)]
            return response
        }
        #expect(await error(transport)?.metrics.map(\.total) == [4])
    }

    @Test func metricsAreNotPrinted() async throws {
        let plain = try #require(await error(ErrorText.failing(URLError(.timedOut))))
        let failure = URLError(.timedOut).adding([Self.metrics(1)])
        let measured = try #require(await error(ErrorText.failing(failure)))
        #expect(measured.description == plain.description)
        #expect(measured.localizedDescription == plain.localizedDescription)
        let texts = [plain, measured].map { error in
            var text = "\(error) \(String(reflecting: error))"
            dump(error, to: &text)
            return text
        }
        #expect(texts[0] == texts[1])
        guard case .transport(let cause) = measured else { return }
        var text = "\(cause) \(cause.userInfo)"
        dump(cause, to: &text)
        #expect(!text.contains("192.0.2.7"))
    }
}
