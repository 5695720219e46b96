import AppStore
import EventSourcing
import SubscriptionRuntime
import Subscriptions

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
            let reader = NotificationReader(verifier: verifier, apps: apps)
            var bundles: [(StreamKey, FactBundle)] = []
            for notification in corpus.notifications {
                if case .bundle(let key, let bundle) = try await reader.read(notification, now: now) {
                    bundles.append((key, bundle))
                }
            }
            for _ in 0..<walks { Self.decide(bundles) }
        case .evidence:
            let codec = EvidenceCodec()
            for _ in 0..<walks {
                for notification in corpus.notifications {
                    _ = try codec.encode([EvidencePart(name: .signedPayload, jws: notification)])
                }
            }
        }
    }

    private static func decide(_ bundles: [(StreamKey, FactBundle)]) {
        var states: [StreamKey: StreamState] = [:]
        for (key, bundle) in bundles {
            var state = states.removeValue(forKey: key) ?? StreamState(key: key)
            for event in state.decide(bundle, rules: DerivationRules()) { state.apply(event) }
            states[key] = state
        }
    }
}

/// Paths go by a clock that stands still, after all that the corpus tells.
private enum LifecycleEnd {
    static let moment = Moment(milliseconds: 1_800_000_000_000)
}
