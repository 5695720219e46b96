/// One numbered step of the schema, run in one transaction. A step that a release has had is never changed: what is to
/// be different is a new step. Steps expand first (a column that may be missing, a table that nobody reads yet) and
/// contract in a later release, since nodes of both releases are at work during an upgrade.
///
/// `store_meta.steps` is the newest step that was done, and `store_meta.schema` the newest that a binary has to know:
/// only a step that contracts raises it.
package struct SchemaMigration: Sendable {
    package enum Kind: Sendable {
        /// Binaries that do not know it go on as they did, and start.
        case expands
        /// Takes from older binaries what they need: they are refused from then on.
        case contracts
    }

    package let number: Int
    package let kind: Kind
    let sql: String

    package init(number: Int, _ kind: Kind, sql: String) {
        self.number = number
        self.kind = kind
        self.sql = sql
    }

    /// Of this binary, in order.
    package static let all = [
        SchemaMigration(number: 1, .contracts, sql: Self.tables), Self.featureLevels, Self.bookmarks, Self.identifiers,
    ]

    /// Binaries that do not know it know no levels, and are refused from the second level on.
    ///
    /// - `registrations` counts the nodes that have registered: whoever raises the level names the number that he has
    ///   seen, and so misses nobody.
    /// - A binary that does not know `feature_level` leaves it as it is when it registers: it holds for the run that is
    ///   named beside it.
    static let featureLevels = SchemaMigration(
        number: 2, .expands,
        sql: """
            ALTER TABLE store_meta
                ADD COLUMN steps INTEGER NOT NULL DEFAULT 1,
                ADD COLUMN registrations BIGINT NOT NULL DEFAULT 0;
            ALTER TABLE node
                ADD COLUMN feature_level INTEGER NOT NULL DEFAULT 1,
                ADD COLUMN feature_incarnation BIGINT;
            """)

    /// Notes beside the log. The name is the text's UTF-8, as in `lookup`.
    private static let bookmarks = SchemaMigration(
        number: 3, .expands,
        sql: """
            CREATE TABLE bookmark (
                name  BYTEA PRIMARY KEY,
                value BYTEA NOT NULL
            ) WITH (fillfactor = 50);
            """)

    /// Look-ups by keyed hash; `lookup` keeps what earlier versions wrote in clear text.
    private static let identifiers = SchemaMigration(
        number: 4, .expands,
        sql: """
            CREATE TABLE identifier (
                kind      INTEGER NOT NULL,
                hash      BYTEA NOT NULL,
                stream_id BIGINT NOT NULL,
                PRIMARY KEY (kind, hash, stream_id)
            );
            """)

    // The tables are SQLite's, but for what follows from heaps that have no row number of their own:
    // - `event` is found by (shard_id, seq), and `evidence` too: a number would cost an index and a sequence for each.
    // - A stream's key is written once, in `stream`; all else says `stream.id`, which the upsert of the stream returns
    //   to the parts of the append that follow it. So UNIQUE(stream_id, version) is UNIQUE(shard_id, key, version).
    // - `lookup.value` is the text's UTF-8 as bytes: compared byte by byte whatever the database's collation is, which
    //   an update of the system may change; and U+0000, which TEXT cannot hold, is a byte like others.
    // - Rows that are written again and again find room on their page, so that no index has to hear of it.
    private static let tables = """
        CREATE TABLE store_meta (
            singleton     INTEGER PRIMARY KEY CHECK (singleton = 1),
            store_id      BIGINT NOT NULL,
            restore_gen   BIGINT NOT NULL DEFAULT 0,
            shard_count   INTEGER NOT NULL,
            schema        INTEGER NOT NULL,
            feature_level INTEGER NOT NULL DEFAULT 1,
            moved_to      TEXT
        );

        CREATE TABLE node (
            node_id     TEXT PRIMARY KEY,
            incarnation BIGINT NOT NULL,
            live_epoch  BIGINT NOT NULL DEFAULT 1,
            beat        BIGINT NOT NULL DEFAULT 0,
            lease_ms    BIGINT NOT NULL DEFAULT 0,
            endpoint    TEXT,
            curve_key   BYTEA,
            state       TEXT NOT NULL DEFAULT 'live'
        ) WITH (fillfactor = 50);

        CREATE TABLE shard (
            shard_id          INTEGER PRIMARY KEY,
            epoch             BIGINT NOT NULL DEFAULT 0,
            owner_node        TEXT,
            owner_incarnation BIGINT,
            head_seq          BIGINT NOT NULL DEFAULT 0
        ) WITH (fillfactor = 20);

        CREATE TABLE shard_epoch (
            shard_id    INTEGER NOT NULL,
            epoch       BIGINT NOT NULL,
            incarnation BIGINT NOT NULL,
            first_seq   BIGINT NOT NULL,
            PRIMARY KEY (shard_id, epoch)
        );

        CREATE TABLE stream (
            id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            version     BIGINT NOT NULL,
            seq         BIGINT NOT NULL,
            next_due    BIGINT,
            shard_id    INTEGER NOT NULL,
            key         BYTEA NOT NULL,
            state       BYTEA NOT NULL,
            entitlement BYTEA NOT NULL,
            UNIQUE (shard_id, key)
        ) WITH (fillfactor = 85);
        CREATE INDEX stream_next_due ON stream (shard_id, next_due) WHERE next_due IS NOT NULL;

        CREATE TABLE event (
            seq         BIGINT NOT NULL,
            epoch       BIGINT NOT NULL,
            stream_id   BIGINT NOT NULL,
            version     BIGINT NOT NULL,
            at          BIGINT NOT NULL,
            shard_id    INTEGER NOT NULL,
            kind        TEXT NOT NULL,
            dedup_key   BYTEA NOT NULL,
            body        BYTEA NOT NULL,
            entitlement BYTEA NOT NULL,
            PRIMARY KEY (shard_id, seq),
            UNIQUE (shard_id, dedup_key),
            UNIQUE (stream_id, version)
        );

        CREATE TABLE evidence (
            seq      BIGINT NOT NULL,
            shard_id INTEGER NOT NULL,
            headers  TEXT,
            body     BYTEA,
            erased   BYTEA,
            PRIMARY KEY (shard_id, seq),
            CHECK ((body IS NULL) = (headers IS NULL) AND (body IS NULL) <> (erased IS NULL))
        );

        CREATE TABLE jws_header (
            id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            hash    BYTEA NOT NULL UNIQUE,
            segment BYTEA NOT NULL
        );

        CREATE TABLE lookup (
            kind      INTEGER NOT NULL,
            value     BYTEA NOT NULL,
            stream_id BIGINT NOT NULL,
            PRIMARY KEY (kind, value, stream_id)
        );

        CREATE TABLE inbox (
            dedup_key   BYTEA PRIMARY KEY,
            shard_id    INTEGER NOT NULL,
            received_at BIGINT NOT NULL,
            raw         BYTEA NOT NULL,
            attempts    INTEGER NOT NULL DEFAULT 0,
            parked_at   BIGINT
        );
        CREATE INDEX inbox_received ON inbox (shard_id, received_at);

        CREATE TABLE quarantine (
            id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            digest      BYTEA NOT NULL UNIQUE,
            reason      TEXT NOT NULL,
            detail      TEXT NOT NULL,
            received_at BIGINT NOT NULL,
            raw         BYTEA NOT NULL
        );

        CREATE TABLE revision (
            stream_id  BIGINT PRIMARY KEY,
            revision   TEXT NOT NULL,
            fetched_at BIGINT NOT NULL
        );

        CREATE TABLE cursor (
            consumer TEXT NOT NULL,
            shard_id INTEGER NOT NULL,
            position BYTEA NOT NULL,
            PRIMARY KEY (consumer, shard_id)
        ) WITH (fillfactor = 50);

        CREATE TABLE delivery (
            endpoint TEXT NOT NULL,
            shard_id INTEGER NOT NULL,
            seq      BIGINT NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            next_at  BIGINT NOT NULL,
            PRIMARY KEY (endpoint, shard_id, seq)
        );
        CREATE INDEX delivery_next ON delivery (next_at);
        """
}
