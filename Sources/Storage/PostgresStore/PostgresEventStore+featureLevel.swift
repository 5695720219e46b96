package import EventLog

/// A statement sees the rows as they were when it began, so a raise could miss a node that registers while it runs, and
/// the other way round. Therefore both write the one row of `store_meta`, where one waits for the other and then looks
/// again: a registration at the level, and a raise at the number of registrations, which is not as it was seen any
/// more.
extension PostgresEventStore {
    package func featureLevel() throws(StoreError) -> FeatureLevel {
        let statement = PreparedStatement("feature_level", "SELECT feature_level FROM store_meta")
        let levels = try self.watch(statement, Parameters()) { row throws(StoreError) in try row.featureLevel(0) }
        guard let level = levels.first else { throw Self.lostMeta }
        return level
    }

    static var lostMeta: StoreError { StoreError(.corrupt, "the store has lost its store_meta row") }

    package func raiseFeatureLevel(to level: FeatureLevel) throws(StoreError) -> Bool {
        while true {
            var parameters = Parameters()
            parameters.add(Int64(level.rawValue))
            let found = try self.watch(Self.seen, parameters) { row throws(StoreError) in
                (level: try row.featureLevel(0), registrations: try row.number(1), isHeldBack: try row.flag(2))
            }.first
            guard let found else { throw Self.lostMeta }
            guard found.level < level else { return true }
            guard !found.isHeldBack else { return false }
            parameters.add(found.registrations)
            if try !self.watch(Self.raise, parameters, { _ in () }).isEmpty { return true }
        }
    }

    private static let seen = PreparedStatement(
        "feature_seen",
        "SELECT feature_level, registrations, EXISTS (\(PostgresEventStore.olderNode)) FROM store_meta")

    /// Binaries that know no levels look at `schema` when they start.
    private static let raise = PreparedStatement(
        "feature_raise",
        """
        UPDATE store_meta
        SET feature_level = $1::bigint, schema = greatest(schema, \(SchemaMigration.featureLevels.number))
        WHERE feature_level < $1::bigint AND registrations = $2::bigint AND NOT EXISTS (\(PostgresEventStore.olderNode))
        RETURNING feature_level
        """)

    private static let olderNode =
        "SELECT FROM node WHERE state = 'live' AND \(PostgresEventStore.supportedLevel) < $1::bigint"

    /// Of a row of `node`.
    static let supportedLevel =
        "CASE WHEN node.feature_incarnation = node.incarnation THEN node.feature_level ELSE 1 END"

    /// A part of a registration: gives back a row when the store's level is not above the one that the node supports.
    static func countRegistration(at level: String) -> String {
        """
        UPDATE store_meta SET registrations = registrations + 1 WHERE feature_level <= \(level) RETURNING singleton
        """
    }
}
