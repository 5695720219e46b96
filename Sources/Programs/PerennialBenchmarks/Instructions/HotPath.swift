import AppStore
import Entitlements
import EventLog
import Evidence
import HTTPAPI
import ServiceContract
import SubscriptionService
import Subscriptions
import WireProtocol

/// What a node does for every request, on one thread and with fixed bytes.
enum HotPath: String, CaseIterable {
    /// One warm transaction verified and read.
    case transaction
    /// One notification, its three signatures verified, and read.
    case notification
    /// One bundle decided and applied.
    case decision
    /// The evidence of one notification packed.
    case evidence
    /// What one decided event writes: itself, the stream's state and its entitlement.
    case row
    /// One stored event read and folded.
    case replay
    /// A body of checks read, and its answer written, without the look-up between them.
    case check
    /// A thousand checks in process, one by one, on a mirror.
    case mirror

    /// Walks the path `walks` times over the whole corpus.
    func walk(_ walks: Int, _ corpus: FixedCorpus) async throws {
        let apps = try AppDirectory([corpus.app])
        let verifier = PayloadVerifier(apps: apps)
        let now = LifecycleEnd.moment
        switch self {
        case .transaction:
            let reader = TransactionReader(verifier: verifier, apps: apps)
            let transactions = try corpus.notifications.compactMap { try NestedJWS(in: $0)?.transaction }
            for _ in 0..<walks {
                for transaction in transactions { _ = try await reader.read(signedTransaction: transaction, now: now) }
            }
        case .notification:
            let reader = NotificationReader(verifier: verifier, apps: apps)
            for _ in 0..<walks {
                for notification in corpus.notifications { _ = try await reader.read(notification, now: now) }
            }
        case .decision:
            let bundles = try await Self.bundles(corpus, NotificationReader(verifier: verifier, apps: apps), now)
            for _ in 0..<walks { _ = Self.decide(bundles) }
        case .row:
            let bundles = try await Self.bundles(corpus, NotificationReader(verifier: verifier, apps: apps), now)
            let decided = Self.decide(bundles)
            for _ in 0..<walks { try Self.write(decided, now: now) }
        case .replay:
            let bundles = try await Self.bundles(corpus, NotificationReader(verifier: verifier, apps: apps), now)
            let bodies = try Self.decide(bundles).map { ($0.state.key, try $0.event.protoBytes(key: $0.state.key)) }
            for _ in 0..<walks { try Self.replay(bodies) }
        case .check:
            let body = Array(
                #"{"checks":[\#(Array(repeating: Self.question, count: 16).joined(separator: ","))]}"#.utf8)
            for _ in 0..<walks { try Self.answer(body, now: now) }
        case .mirror:
            let mirror = try FilledMirror(count: 1_000)
            let ids = AskedIDs(count: 1_000, of: 1_000)
            for _ in 0..<walks { _ = mirror.askOneByOne(ids) }
        case .evidence:
            let codec = EvidenceCodec()
            for _ in 0..<walks {
                for notification in corpus.notifications {
                    _ = try codec.encode([EvidencePart(name: .signedPayload, jws: notification)])
                }
            }
        }
    }

    private static func bundles(
        _ corpus: FixedCorpus, _ reader: NotificationReader, _ now: Moment
    ) async throws -> [(StreamKey, FactBundle)] {
        var bundles: [(StreamKey, FactBundle)] = []
        for notification in corpus.notifications {
            if case .bundle(let key, let bundle) = try await reader.read(notification, now: now) {
                bundles.append((key, bundle))
            }
        }
        return bundles
    }

    /// Each event, with the state after it.
    private static func decide(
        _ bundles: [(StreamKey, FactBundle)]
    ) -> [(event: SubscriptionEvent, state: StreamState)] {
        var states: [StreamKey: StreamState] = [:]
        var decided: [(SubscriptionEvent, StreamState)] = []
        for (key, bundle) in bundles {
            var state = states.removeValue(forKey: key) ?? StreamState(key: key)
            for event in state.decide(bundle, rules: DerivationRules()) {
                state.apply(event)
                decided.append((event, state))
            }
            states[key] = state
        }
        return decided
    }

    private static func write(_ decided: [(event: SubscriptionEvent, state: StreamState)], now: Moment) throws {
        let rules = DerivationRules()
        let fingerprint = RulesFingerprint(rules)
        for (event, state) in decided {
            _ = try event.protoBytes(key: state.key)
            _ = StoredState(state).protoBytes()
            let outlook = Outlook(state, rules: rules)
            _ = EntitlementRow(outlook, version: 1, from: now).encoded(under: fingerprint)
            _ = outlook?.nextTransition(after: now)
        }
    }

    private static func replay(_ bodies: [(StreamKey, [UInt8])]) throws {
        var states: [StreamKey: StreamState] = [:]
        for (key, body) in bodies {
            states[key, default: StreamState(key: key)].apply(try SubscriptionEvent(protoBytes: body, key: key))
        }
    }

    private static let question = #"{"subscription":"2000000123456789","entitlement":"pro"}"#

    private static func answer(_ body: [UInt8], now: Moment) throws {
        let posted = try PostedChecks(.json, body)
        let verdict = CheckVerdict(
            entitled: true, state: .subscribed, code: .nothing, validUntil: now, productID: "pro.monthly",
            version: StreamVersion(rawValue: 12), reason: nil)
        let response = CheckResponse(
            results: Array(repeating: .verdict(verdict), count: posted.questions.count), asOf: now, stale: false,
            token: "AAAAAAAAAAAAAAAAAAAAAAAA")
        _ = CheckAnswers(posted: posted, response: response).body(as: .json)
    }
}

/// Paths go by a clock that stands still, after all that the corpus tells.
private enum LifecycleEnd {
    static let moment = Moment(milliseconds: 1_800_000_000_000)
}
