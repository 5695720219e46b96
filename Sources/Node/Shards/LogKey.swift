package import Logging

/// The keys under which the runtime logs data. Payloads, signatures and account tokens have none.
package enum LogKey: String {
    case shard = "shard.id"
    case node
    case error
    case reason
    case offset = "clock.offset"
    case app = "app.bundle"
    case environment = "app.environment"
    case from, to
    case calls, fetched, recorded
    case failed, unknown
}

extension Logger.Metadata {
    /// Metadata under keys of `LogKey` alone.
    package static func runtime(_ values: [LogKey: Logger.MetadataValue]) -> Logger.Metadata {
        Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) })
    }
}
