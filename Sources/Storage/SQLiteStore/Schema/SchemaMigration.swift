/// One numbered step of the schema, run in one transaction. A step that a release has had is never changed: what is to
/// be different is a new step.
///
/// `store_meta.steps` is the newest step that was done, and `store_meta.schema` the newest that a binary has to know:
/// only a step that contracts raises it.
package struct SchemaMigration: Sendable {
    package enum Kind: Sendable {
        /// Binaries that do not know it open the store as they did: an upgrade can be taken back.
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
        SchemaMigration(number: 1, .contracts, sql: Self.tables), Self.bookmarks, Self.identifiers,
    ]

    /// Notes beside the log, and a column for how far the steps have come. The name is the text's UTF-8, so that U+0000
    /// is a byte like others.
    private static let bookmarks = SchemaMigration(
        number: 2, .expands,
        sql: """
            ALTER TABLE store_meta ADD COLUMN steps INTEGER NOT NULL DEFAULT 1;
            CREATE TABLE bookmark (
                name  BLOB PRIMARY KEY NOT NULL,
                value BLOB NOT NULL
            ) STRICT;
            """)

    /// Look-ups by keyed hash; `lookup` keeps what earlier versions wrote in clear text.
    private static let identifiers = SchemaMigration(
        number: 3, .expands,
        sql: """
            CREATE TABLE identifier (
                kind      INTEGER NOT NULL,
                hash      BLOB NOT NULL,
                stream_id INTEGER NOT NULL,
                PRIMARY KEY (kind, hash, stream_id)
            ) STRICT, WITHOUT ROWID;
            """)

    // The tables are those that PostgreSQL gets too, and `append` is the same steps there in one statement. Three choices
    // are about space, and hold there as well:
    // - `event` and `evidence` are heaps in the order of commits, with (shard_id, seq) as an index. Clustered by shard,
    //   each shard would be filling pages of its own in the middle of the tree: half of each would stay empty, and a
    //   batch would touch as many pages as shards.
    // - A stream's key is written once, in `stream`; all else says `stream.id`, which the upsert of the stream returns to
    //   the statements that follow it. So UNIQUE(stream_id, version) is UNIQUE(shard_id, key, version).
    // - `evidence` has the number of its event, and no index of its own.
    private static let tables = """
        CREATE TABLE store_meta (
            only          INTEGER PRIMARY KEY CHECK (only = 1),
            store_id      INTEGER NOT NULL,
            restore_gen   INTEGER NOT NULL DEFAULT 0,
            shard_count   INTEGER NOT NULL,
            schema        INTEGER NOT NULL,
            feature_level INTEGER NOT NULL DEFAULT 1,
            moved_to      TEXT
        ) STRICT;

        CREATE TABLE node (
            node_id     TEXT PRIMARY KEY NOT NULL,
            incarnation INTEGER NOT NULL,
            live_epoch  INTEGER NOT NULL DEFAULT 1,
            beat        INTEGER NOT NULL DEFAULT 0,
            lease_ms    INTEGER NOT NULL DEFAULT 0,
            endpoint    TEXT,
            curve_key   BLOB,
            state       TEXT NOT NULL DEFAULT 'live'
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE shard (
            shard_id          INTEGER PRIMARY KEY,
            epoch             INTEGER NOT NULL DEFAULT 0,
            owner_node        TEXT,
            owner_incarnation INTEGER,
            head_seq          INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        CREATE TABLE shard_epoch (
            shard_id    INTEGER NOT NULL,
            epoch       INTEGER NOT NULL,
            incarnation INTEGER NOT NULL,
            first_seq   INTEGER NOT NULL,
            PRIMARY KEY (shard_id, epoch)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE stream (
            id          INTEGER PRIMARY KEY,
            shard_id    INTEGER NOT NULL,
            key         BLOB NOT NULL,
            version     INTEGER NOT NULL,
            seq         INTEGER NOT NULL,
            state       BLOB NOT NULL,
            entitlement BLOB NOT NULL,
            next_due    INTEGER,
            UNIQUE (shard_id, key)
        ) STRICT;
        CREATE INDEX stream_next_due ON stream (shard_id, next_due) WHERE next_due IS NOT NULL;

        CREATE TABLE event (
            id          INTEGER PRIMARY KEY,
            shard_id    INTEGER NOT NULL,
            seq         INTEGER NOT NULL,
            epoch       INTEGER NOT NULL,
            stream_id   INTEGER NOT NULL,
            version     INTEGER NOT NULL,
            kind        TEXT NOT NULL,
            dedup_key   BLOB NOT NULL,
            at          INTEGER NOT NULL,
            body        BLOB NOT NULL,
            entitlement BLOB NOT NULL,
            UNIQUE (shard_id, seq),
            UNIQUE (shard_id, dedup_key),
            UNIQUE (stream_id, version)
        ) STRICT;

        CREATE TABLE evidence (
            event_id INTEGER PRIMARY KEY,
            headers  TEXT,
            body     BLOB,
            erased   BLOB,
            CHECK ((body IS NULL) = (headers IS NULL) AND (body IS NULL) <> (erased IS NULL))
        ) STRICT;

        CREATE TABLE jws_header (
            id      INTEGER PRIMARY KEY,
            hash    BLOB NOT NULL UNIQUE,
            segment BLOB NOT NULL
        ) STRICT;

        CREATE TABLE lookup (
            kind      INTEGER NOT NULL,
            value     TEXT NOT NULL,
            stream_id INTEGER NOT NULL,
            PRIMARY KEY (kind, value, stream_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE inbox (
            dedup_key   BLOB PRIMARY KEY NOT NULL,
            shard_id    INTEGER NOT NULL,
            received_at INTEGER NOT NULL,
            raw         BLOB NOT NULL,
            attempts    INTEGER NOT NULL DEFAULT 0,
            parked_at   INTEGER
        ) STRICT;
        CREATE INDEX inbox_received ON inbox (shard_id, received_at);

        CREATE TABLE quarantine (
            id          INTEGER PRIMARY KEY AUTOINCREMENT,
            digest      BLOB NOT NULL UNIQUE,
            reason      TEXT NOT NULL,
            detail      TEXT NOT NULL,
            received_at INTEGER NOT NULL,
            raw         BLOB NOT NULL
        ) STRICT;

        CREATE TABLE revision (
            stream_id  INTEGER PRIMARY KEY,
            revision   TEXT NOT NULL,
            fetched_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE cursor (
            consumer TEXT NOT NULL,
            shard_id INTEGER NOT NULL,
            position BLOB NOT NULL,
            PRIMARY KEY (consumer, shard_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE delivery (
            endpoint TEXT NOT NULL,
            shard_id INTEGER NOT NULL,
            seq      INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            next_at  INTEGER NOT NULL,
            PRIMARY KEY (endpoint, shard_id, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX delivery_next ON delivery (next_at);
        """
}
