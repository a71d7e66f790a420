// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Bodies as they are written for URLSession on Apple platforms, to a stream of the test.
@Suite(.serialized, .opensFiles, .timeLimit) struct StreamWriterTests {
    /// A stream with as much room as the test gives it.
    private final class Sink: OutputStream {
        struct State {
            var room = 0
            var refusals = 0
            var bytes = Data()
            var count = 0
            var isClosed = false
            /// How often the writer has found no room.
            var pauses = 0
        }

        let state: Locked<State>
        private let keepsBytes: Bool

        init(room: Int, refusals: Int = 0, keepsBytes: Bool = true) {
            state = Locked(State(room: room, refusals: refusals))
            self.keepsBytes = keepsBytes
            super.init(toMemory: ())
        }

        required init(toMemory: ()) { fatalError("Not used.") }

        override var hasSpaceAvailable: Bool {
            state { state in
                if state.room == 0 { state.pauses += 1 }
                return state.room > 0
            }
        }

        override func open() {}
        override func close() { state { $0.isClosed = true } }

        override func write(_ buffer: UnsafePointer<UInt8>, maxLength limit: Int) -> Int {
            state { state in
                if state.refusals > 0 {
                    state.refusals -= 1
                    state.pauses += 1
                    return 0
                }
                let count = min(limit, state.room)
                state.room -= count
                state.count += count
                if keepsBytes { state.bytes.append(buffer, count: count) }
                return count
            }
        }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func makeRoom(_ count: Int, in sink: Sink) {
        sink.state { $0.room += count }
        (sink.delegate as? ServiceStreamWriter).map { writer in
            writer.queue.sync { writer.stream(sink, handle: .hasSpaceAvailable) }
        }
    }

    @Test(arguments: [0, 1, 1 << 14, 300_000], [1_000, 16_384, 100_000])
    func aFileIsWrittenAsTheStreamHasRoom(_ size: Int, _ step: Int) throws {
        let bytes = noise(size)
        let sink = Sink(room: step)
        let source = ServiceFileSource(
            try ServiceFileReader(folder.write(bytes, to: "a")), sink)
        source.start { Issue.record($0) }
        #expect(source.length == Int64(size))
        while true {
            #expect(sink.state.wait { $0.pauses > 0 || $0.isClosed })
            if sink.state(\.isClosed) { break }
            sink.state { $0.pauses = 0 }
            Self.makeRoom(step, in: sink)
        }
        #expect(sink.state { $0.bytes == bytes })
        source.stop()
    }

    /// 0 isn't the end of the body, and isn't an error: the stream just has no room.
    @Test func aWriteOfNothingIsNotTheEnd() throws {
        let bytes = noise(50_000)
        let sink = Sink(room: 1 << 20, refusals: 3)
        let source = ServiceFileSource(
            try ServiceFileReader(folder.write(bytes, to: "a")), sink)
        source.start { Issue.record($0) }
        for refusal in 1...3 {
            #expect(sink.state.wait { $0.pauses >= refusal })
            #expect(!sink.state { $0.isClosed })
            Self.makeRoom(0, in: sink)
        }
        #expect(sink.state.wait(until: \.isClosed))
        #expect(sink.state { $0.bytes == bytes })
        source.stop()
    }

    @Test(.row("M3"), arguments: [true, false], [0, 1, 20_000])
    func aFileThatShrinksFailsAtOnce(_ isStarted: Bool, _ size: UInt64) throws {
        let file = try folder.write(noise(100_000), to: "a")
        let sink = Sink(room: 16_384)
        let source = ServiceFileSource(try ServiceFileReader(file), sink)
        let failures = Locked<[any Error]>([])
        let fail = { @Sendable (error: any Error) in failures { $0.append(error) } }
        if isStarted { source.start(onFailure: fail) }
        #expect(sink.state.wait { $0.pauses > 0 })
        try FileHandle(forWritingTo: file).truncate(atOffset: size)
        Self.makeRoom(1 << 20, in: sink)
        if !isStarted { source.start(onFailure: fail) }
        #expect(failures.wait { $0.count == 1 })
        let text = failures { "\($0)" }
        #expect(text.contains("'\(file.path)' became shorter while it was sent"))
        // URLSession would take the end of the stream for that of the body.
        #expect(!sink.state { $0.isClosed })
        #expect(sink.state { $0.count } <= max(16_384, Int(size)))
        source.stop()
        #expect(sink.state.wait(until: \.isClosed))
    }

    @Test(arguments: [true, false])
    func anEndedTransferReleasesTheFile(_ isStopped: Bool) throws {
        let sink = Sink(room: 100)
        weak var reader: ServiceFileReader?
        var source: ServiceFileSource?
        do {
            let opened = try ServiceFileReader(folder.write(noise(100_000), to: "a"))
            reader = opened
            source = ServiceFileSource(opened, sink)
        }
        source?.start { _ in }
        #expect(sink.state.wait { $0.pauses > 0 })
        #expect(reader != nil)
        if isStopped { source?.stop() } else { source = nil }
        #expect(sink.state.wait(until: \.isClosed))
        #expect(reader == nil)
        withExtendedLifetime(source) {}
    }

    @Test func theReaderOfAStreamMayLeave() throws {
        let sink = Sink(room: 100)
        let source = ServiceFileSource(
            try ServiceFileReader(folder.write(noise(100_000), to: "a")), sink)
        #expect(sink.state.wait { $0.pauses > 0 })
        let writer = try #require(sink.delegate as? ServiceStreamWriter)
        writer.queue.sync { writer.stream(sink, handle: .endEncountered) }
        #expect(sink.state { $0.isClosed })
        withExtendedLifetime(source) {}
    }

    /// A sequence has its bytes later.
    @Test func aBodyThatHasNoBytesYetIsWrittenLater() {
        let parts = Locked<[[UInt8]]>([])
        let sink = Sink(room: 1 << 20)
        let writer = ServiceStreamWriter(sink) { buffer in
            guard let part = parts({ $0.isEmpty ? nil : $0.removeFirst() }) else { return -1 }
            return UnsafeMutableRawBufferPointer(buffer).initializeMemory(
                as: UInt8.self, from: part
            )
            .1.count
        }
        writer.open()
        for part in [[1, 2], [3]] as [[UInt8]] {
            parts { $0.append(part) }
            writer.wake()
            writer.queue.sync {}
        }
        #expect(sink.state { $0.bytes } == Data([1, 2, 3]))
        #expect(!sink.state { $0.isClosed })
        parts { $0.append([]) }
        writer.wake()
        #expect(sink.state.wait(until: \.isClosed))
    }

    @Test func aLargeFileTakesLittleMemory() throws {
        let file = folder.file("a")
        let size = sanitized(256 << 20)
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        try FileHandle(forWritingTo: file).truncate(atOffset: UInt64(size))
        let before = try #require(ProcessUsage.residentBytes)
        let sink = Sink(room: .max, keepsBytes: false)
        let source = ServiceFileSource(try ServiceFileReader(file), sink)
        var most = before
        while !sink.state({ $0.isClosed }) {
            most = max(most, ProcessUsage.residentBytes ?? 0)
        }
        #expect(sink.state { $0.count } == size)
        #expect(most - before < 64 << 20)
        withExtendedLifetime(source) {}
    }

    @Test(.opensFiles(200)) func waitingUploadsNeedNoThreads() throws {
        let file = try folder.write(noise(1_000), to: "a")
        let before = try #require(ProcessUsage.threads)
        let uploads = try (0..<150).map { _ in
            let sink = Sink(room: 0)
            return (sink, ServiceFileSource(try ServiceFileReader(file), sink))
        }
        for (sink, _) in uploads { #expect(sink.state.wait { $0.pauses > 0 }) }
        #expect(try #require(ProcessUsage.threads) - before < 75)
        for (sink, source) in uploads {
            source.stop()
            #expect(sink.state.wait(until: \.isClosed))
        }
    }
}
#endif
