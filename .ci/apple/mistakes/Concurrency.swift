// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Mistakes with threads, locks and actors, which the compiler finds while it checks types. It must diagnose each line
// marked WRONG with the text of its mark, and no other.

import Foundation

func stopsLater(_ thread: Thread) {
    DispatchQueue.global().async { thread.cancel() }  // WRONG: capture of 'thread' with non-Sendable type 'Thread'
}

func blocks(_ semaphore: DispatchSemaphore, _ group: DispatchGroup) async {
    semaphore.wait()  // WRONG: 'wait' is unavailable from asynchronous contexts; Await a Task handle instead
    group.wait()  // WRONG: 'wait' is unavailable from asynchronous contexts; Use a TaskGroup instead
    semaphore.signal()
}

func locks(_ lock: NSLock, _ condition: NSCondition) async {
    lock.lock()  // WRONG: 'lock' is unavailable from asynchronous contexts; Use async-safe scoped locking instead
    condition.signal()  // WRONG: 'signal' is unavailable from asynchronous contexts
    lock.withLock {}
}

func locksAny(_ lock: any NSLocking) async {
    lock.lock()  // WRONG: 'lock' is unavailable from asynchronous contexts
}

func sleeps() async {
    Thread.sleep(forTimeInterval: 1)  // WRONG: 'sleep' is unavailable from asynchronous contexts
    _ = Thread.isMainThread  // WRONG: 'isMainThread' is unavailable from asynchronous contexts
}

func counts(_ session: URLSession, _ request: URLRequest) {
    var count = 0
    session.dataTask(with: request) { _, _, _ in
        count += 1  // WRONG: mutation of captured var 'count' in concurrently-executing code
    }.resume()
}

@MainActor final class Screen {
    var text = ""

    func load(_ session: URLSession, _ request: URLRequest) {
        session.dataTask(with: request) { data, _, _ in
            self.text = "\(data?.count ?? 0)"  // WRONG: main actor-isolated property 'text' can not be mutated
        }.resume()
    }
}

@MainActor final class Responder: NSObject, URLSessionDelegate {  // WRONG: crosses into main actor-isolated code
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}
}

final class Collector: NSObject, URLSessionDataDelegate {
    var data = Data()  // WRONG: stored property 'data' of 'Sendable'-conforming class 'Collector' is mutable
}

class Base: NSObject, URLSessionDataDelegate {}  // WRONG: non-final class 'Base' cannot conform to the 'Sendable' protocol

struct Picture: Sendable {
    let text: NSString  // WRONG: stored property 'text' of 'Sendable'-conforming struct 'Picture' has non-Sendable type
}

func marks(_ queue: DispatchQueue, _ key: DispatchSpecificKey<NSData>, _ data: NSData) {
    queue.setSpecific(key: key, value: data)  // WRONG: 'NSData'
}
