import Logging

/// The keys under which the cluster logs data. What calls carry has none.
enum LogKey: String {
    case node = "node.id"
    case reason
    case count
    case error
}

extension Logger.Metadata {
    /// Metadata under keys of `LogKey` alone.
    static func cluster(_ values: [LogKey: Logger.MetadataValue]) -> Logger.Metadata {
        Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) })
    }
}
