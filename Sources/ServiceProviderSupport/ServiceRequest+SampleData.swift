// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    private enum SampleData: ServiceRequestOption {
        static var defaultValue: Foundation.Data { Foundation.Data() }
    }

    /// The body of the response that `sampleData` returns. Default: empty.
    public var sampleData: Data {
        get { self[SampleData.self] }
        set { self[SampleData.self] = newValue }
    }
}
