package import NIOCore
package import Subscriptions

/// How the API is served. Values only: the executable knows where they come from.
package struct Configuration: Sendable {
    /// `http`: everything.
    package var main: Listener
    /// `http.public`: for the outside world, notifications and `livez` only.
    package var outside: Listener?
    /// `http.tokens`. Without any, `main` may only listen on loopback.
    package var tokens: [Token]
    /// `http.publicURL`: from where pages may send what changes something, beside the host that a request names.
    package var publicOrigin: Origin?
    /// `store.backupsKeptFor`; nil where nobody has said it.
    package var backupsKeptFor: Milliseconds?
    package var limits = Limits()

    package init(main: Listener = Listener(), outside: Listener? = nil, tokens: [Token] = []) {
        self.main = main
        self.outside = outside
        self.tokens = tokens
    }

    /// Reads the TLS files as a node does when it starts.
    /// - Throws: for files that cannot be used.
    package func checkTLSFiles() throws(ConfigurationError) {
        _ = try self.main.tls?.load(setting: "http.tls")
        _ = try self.outside?.tls?.load(setting: "http.public.tls")
    }

    package struct Listener: Sendable {
        /// An address or a name that resolves to one.
        package var host: String
        /// TCP; 0 takes a free one.
        package var port: Int
        package var tls: TLSFiles?

        package init(host: String = "127.0.0.1", port: Int = 8080, tls: TLSFiles? = nil) {
            self.host = host
            self.port = port
            self.tls = tls
        }

        /// Only this machine can reach it.
        var isLoopback: Bool {
            self.host.lowercased() == "localhost" || self.host == "::1"
                || (self.host.hasPrefix("127.") && (try? SocketAddress(ipAddress: self.host, port: 0)) != nil)
        }
    }

    /// Bounds of one listener. Over a bound the answer is 503 with `Retry-After`: nothing grows.
    package struct Limits: Sendable {
        /// Connections that are served. Where there are more, those that ask for nothing go first (`ConnectionRoster`);
        /// when all are busy, more are answered with 503 and closed.
        package var connections = 4_096
        /// Requests being worked on: whose body, if they have one, has come.
        package var requests = 1_024
        /// Answers that do not end by themselves; they do not count as requests.
        package var streams = 256
        /// Bytes of each request body for which there is always room: a notification has 12 KB.
        package var smallBodyBytes = 32 << 10
        /// Bytes of request bodies in memory beyond that, of all requests together. Where it is not enough, the body that
        /// comes slowest is let go.
        package var largeBodyBytes = 64 << 20
        /// Bytes of one request body; more is 413.
        package var bodyBytesPerRequest = 1 << 20
        /// Bytes of a request's path, query and header fields; more is 431. Where cursors are taken, the longest comes on top.
        package var headerBytes = 32 << 10
        /// From a connection's start to the head of its first request, TLS included.
        package var headTimeout = TimeAmount.seconds(10)
        /// The same of a connection that is one too many.
        package var surplusTimeout = TimeAmount.seconds(1)
        /// From a request's head to its end.
        package var bodyTimeout = TimeAmount.seconds(30)
        /// How fast a body has to come from `bodyGrace` on, in the mean. Slower is 408.
        package var bodyBytesPerSecond = 4 << 10
        /// Counts from a request's head.
        package var bodyGrace = TimeAmount.seconds(5)
        /// Until an answer has been taken; of one that does not end, what there is of it.
        package var answerTimeout = TimeAmount.seconds(60)
        /// Of a connection between two requests.
        package var idleTimeout = TimeAmount.seconds(60)
        /// Notifications that are refused at once. Each further refusal waits for its turn, one each `refusalInterval`, so that
        /// a flood of forgeries comes at that rate, however many its connections are.
        package var refusals = 100
        package var refusalInterval = Duration.milliseconds(10)
        /// How long a stream that has nothing to say is silent at most.
        package var heartbeat = Duration.seconds(15)

        package init() {}
    }

    /// - Throws: for an unprotected bind.
    func validate() throws(ConfigurationError) {
        guard !self.tokens.isEmpty || self.main.isLoopback else {
            throw ConfigurationError(
                "http.host: without http.tokens the API listens on loopback only, not on \(self.main.host)")
        }
    }
}
