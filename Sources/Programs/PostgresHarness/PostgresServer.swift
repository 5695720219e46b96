import Foundation

/// A PostgreSQL server of its own, from the installed packages, in a temporary directory, on a free port of the
/// loopback interface. It ends with this process, however that ends, and its directory goes with it.
package final class PostgresServer: Sendable {
    /// One for all tests of a process, each of which has a database of its own.
    package static func shared() throws -> PostgresServer { try Self.one.get() }

    private static let one = Result { try PostgresServer() }

    package let port: UInt16
    let programs: PostgresPrograms
    private let directory: String
    /// Whoever holds the other end reads there what to do with the server, and hears it close.
    let lifeline: Int32

    /// Starts it, and returns when it takes connections.
    /// - Parameter settings: as on the server's command line, e.g. `fsync=off`.
    package convenience init(settings: [String] = []) throws {
        try self.init(settings) { programs, data in
            try programs.run("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "--no-locale", "-E", "UTF8"])
        }
    }

    /// - Parameter fill: makes the directory of data that it is told.
    init(_ settings: [String], fill: (_ programs: PostgresPrograms, _ data: String) throws -> Void) throws {
        self.programs = try PostgresPrograms()
        self.directory = try self.programs.makeDirectory()
        try fill(self.programs, "\(self.directory)/data")
        try ServerCertificate(directory: self.directory).make(for: self.programs)
        var ends: [Int32] = [-1, -1]
        // Closed in children, which would keep the server alive.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw HarnessError("cannot make a pair of sockets")
        }
        self.lifeline = ends[1]
        // Last of all, so that nobody else takes it first.
        self.port = try Self.freePort()
        try self.start(settings, watching: ends[0])
        close(ends[0])
        try self.waitUntilReady()
    }

    deinit { close(self.lifeline) }

    var data: String { "\(self.directory)/data" }

    /// The certificate that the server shows, which signs itself.
    package var certificate: String { ServerCertificate(directory: self.directory).certificate }

    private func start(_ settings: [String], watching lifeline: Int32) throws {
        let fixed = [
            "port=\(self.port)", "listen_addresses=127.0.0.1", "unix_socket_directories=\(self.directory)",
            "shared_buffers=32MB", "max_connections=800", "autovacuum_naptime=5s", "max_wal_size=512MB",
            "ssl=on", "ssl_cert_file=\(self.certificate)",
            "ssl_key_file=\(ServerCertificate(directory: self.directory).key)",
        ]
        let server = self.programs.command("postgres", ["-D", self.data] + (fixed + settings).flatMap { ["-c", $0] })
        // Ctrl-C is for the tests; the server ends when they have.
        let watchdog = """
            trap '' INT TERM HUP
            directory=$1
            shift
            serve() { "$@" >>"$directory/log" 2>&1 </dev/null & server=$!; }
            # Once: its number is another process's, or thread's, soon after.
            end() { [ -z "$server" ] || { kill "-$1" "$server"; wait "$server"; server=; }; }
            serve "$@"
            while read -r word; do
                case $word in
                START) serve "$@" ;;
                *) end "$word" ;;
                esac
            done
            end QUIT
            rm -rf "$directory"
            """
        _ = try ChildProcess(
            ["/bin/sh", "-c", watchdog, "watchdog", self.directory] + server, input: lifeline, output: "/dev/null")
    }

    func waitUntilReady() throws {
        let deadline = ContinuousClock.now + .seconds(300)
        while (try? self.programs.run("pg_isready", ["-q", "-h", "127.0.0.1", "-p", "\(self.port)"])) == nil {
            guard .now < deadline else {
                let log = (try? String(contentsOfFile: "\(self.directory)/log", encoding: .utf8)) ?? ""
                throw HarnessError("PostgreSQL does not start: \(log.suffix(500))")
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// Of loopback, where nobody listens now. None from where the kernel takes the ports of connections: it could be
    /// taken meanwhile.
    package static func freePort() throws -> UInt16 {
        for _ in 0..<100 {
            let port = UInt16.random(in: 10_000..<20_000)
            if Self.isFree(port) { return port }
        }
        throw HarnessError("there is no free port")
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    // MARK: Databases

    /// An empty one.
    package func makeDatabase(encoding: String = "UTF8") throws -> PostgresDatabase {
        let name = "test_\(UUID().uuidString.lowercased().replacing("-", with: "_"))"
        try self.query("CREATE DATABASE \(name) TEMPLATE template0 ENCODING '\(encoding)'", in: "postgres")
        return PostgresDatabase(server: self, name: name, schema: nil)
    }

    /// A schema in a database that many tests share: made sooner than a database, for those that change no settings.
    package func makeSchema() throws -> PostgresDatabase {
        let name = "test_\(UUID().uuidString.lowercased().replacing("-", with: "_"))"
        try self.query("CREATE SCHEMA \(name)", in: "postgres")
        return PostgresDatabase(server: self, name: "postgres", schema: name)
    }

    /// The id of its first process.
    package var process: Int32 {
        get throws {
            let file = try String(contentsOfFile: "\(self.data)/postmaster.pid", encoding: .utf8)
            guard let id = file.split(separator: "\n").first.flatMap({ Int32($0) }) else {
                throw HarnessError("the server does not say which process it is")
            }
            return id
        }
    }

    /// What the server has written so far.
    package var log: String {
        get throws { try String(contentsOfFile: "\(self.directory)/log", encoding: .utf8) }
    }

    /// The rows of the last statement, as text with `|` between columns. Apart from the store's own way there.
    @discardableResult
    package func query(_ sql: String, in database: String, schema: String? = nil) throws -> [String] {
        let place = ["-h", "127.0.0.1", "-p", "\(self.port)", "-U", "postgres", "-d", database]
        let path = schema.map { ["-c", "SET search_path TO \($0)"] } ?? []
        return try self.programs.run(
            "psql", ["-XAtq", "-v", "ON_ERROR_STOP=1"] + place + path + ["-c", sql]
        ).split(separator: "\n").map(String.init)
    }
}

/// A database, or a schema of one, that is a test's own.
package struct PostgresDatabase: Sendable {
    package let server: PostgresServer
    package let name: String
    let schema: String?

    package var url: String { self.url(user: "postgres", port: self.server.port) }

    /// - Parameters:
    ///   - user: with a password, if need be: `name:password`.
    ///   - port: of the server, or of what stands in its way.
    ///   - more: further keywords, e.g. `connect_timeout=1`.
    package func url(user: String = "postgres", port: UInt16? = nil, _ more: String = "sslmode=disable") -> String {
        "postgresql://\(user)@127.0.0.1:\(port ?? self.server.port)/\(self.name)?\(more)"
            + (self.schema.map { "&options=-csearch_path%3D\($0)" } ?? "")
    }

    /// The same one on another server, which has a copy of it.
    package func copy(on server: PostgresServer) -> PostgresDatabase {
        PostgresDatabase(server: server, name: self.name, schema: self.schema)
    }

    @discardableResult
    package func query(_ sql: String) throws -> [String] {
        try self.server.query(sql, in: self.name, schema: self.schema)
    }

    /// The folder in which the server keeps the database's relations.
    package var folder: String {
        get throws {
            let ids = try self.query("SELECT oid FROM pg_database WHERE datname = current_database()")
            guard let id = ids.first else { throw HarnessError("the server does not know the database") }
            return "\(self.server.data)/base/\(id)"
        }
    }

    /// Ends all sessions in this database, as a server does that goes down, and returns when they have ended.
    package func endSessions() throws {
        try self.server.query(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '\(self.name)'",
            in: "postgres")
    }

    package func drop() throws {
        try self.server.query(
            self.schema.map { "SET client_min_messages = error; DROP SCHEMA \($0) CASCADE" }
                ?? "DROP DATABASE \(self.name) WITH (FORCE)", in: "postgres")
    }
}
