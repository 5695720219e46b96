import Instrumentation
import ServiceContextModule

/// Carries the trace that a call belongs to, in whatever form the process's instrument has.
enum TraceContext {
    /// Of the current task; empty where nobody traces.
    static var current: [String: String] {
        guard let context = ServiceContext.current else { return [:] }
        var carrier: [String: String] = [:]
        InstrumentationSystem.instrument.inject(context, into: &carrier, using: Carrier())
        return carrier
    }

    /// Runs `body` as a part of the trace that `carrier` speaks of.
    static func following<Value>(_ carrier: [String: String], _ body: () async throws -> Value) async rethrows -> Value
    {
        guard !carrier.isEmpty else { return try await body() }
        return try await ServiceContext.$current.withValue(Self.context(carrier)) { try await body() }
    }

    static func following<Value>(_ carrier: [String: String], _ body: () throws -> Value) rethrows -> Value {
        guard !carrier.isEmpty else { return try body() }
        return try ServiceContext.$current.withValue(Self.context(carrier), operation: body)
    }

    private static func context(_ carrier: [String: String]) -> ServiceContext {
        var context = ServiceContext.topLevel
        InstrumentationSystem.instrument.extract(carrier, into: &context, using: Carrier())
        return context
    }

    private struct Carrier: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }

        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
    }
}
