import AppStore
import SubscriptionService
import Subscriptions
import Testing

/// What Apple's server, or somebody in its place, may say instead of an answer.
enum BadAnswer: String, CaseIterable, CustomTestStringConvertible {
    case empty, noStrings, onlyTransaction, brokenJSON, notJSON, serverError, notFound, accountNotFound, tooMany
    case silence, unreachable, forged, ofAnotherApp, ofAnotherSubscription, oldSigning, statusOutOfRange
    case noBytes, brokenString, ofAnotherEnvironment, redirect

    var testDescription: String { self.rawValue }

    func answer(
        _ store: TestAppStore, _ first: TestNotification
    ) throws(ServerAPIError) -> ServerAPIAnswer {
        do {
            switch self {
            case .empty: return ScriptedApple.json(#"{"environment":"Production","data":[]}"#)
            case .noStrings:
                return ScriptedApple.json(
                    #"{"data":[{"lastTransactions":[{"originalTransactionId":"1","status":2}]}]}"#)
            case .onlyTransaction:
                let transaction = String(decoding: try store.transaction(first), as: UTF8.self)
                return ScriptedApple.json(
                    """
                    {"data":[{"lastTransactions":[{"originalTransactionId":"1","status":2,\
                    "signedTransactionInfo":"\(transaction)"}]}]}
                    """)
            case .brokenJSON: return ScriptedApple.json(#"{"data":[{"lastTransactions":[{"original"#)
            case .notJSON: return ScriptedApple.json("<html>Welcome to the hotel</html>")
            case .serverError:
                return ServerAPIAnswer(status: 500, body: Array(#"{"errorCode":5000000}"#.utf8))
            case .notFound: return ScriptedApple.notFound
            case .accountNotFound:
                return ServerAPIAnswer(status: 404, body: Array(#"{"errorCode":4040001}"#.utf8))
            case .tooMany:
                return ServerAPIAnswer(status: 429, body: Array(#"{"errorCode":4290000}"#.utf8))
            case .silence: throw ServerAPIError(.timedOut, "no answer in time")
            case .unreachable: throw ServerAPIError(.notReached, "no connection")
            case .forged:
                var ended = first
                ended.period?.revocation = first.signed
                return try TestAppStore().statuses(ended, status: 5)
            case .ofAnotherApp:
                var other = first
                other.bundle = TestAppStore.bundles[1]
                other.period?.revocation = first.signed
                return try store.statuses(other, status: 5)
            case .ofAnotherSubscription:
                var other = first
                other.id = "2"
                other.period?.revocation = first.signed
                return try store.statuses(other, status: 5)
            case .oldSigning:
                var old = first
                old.signed = first.signed - .days(1)
                old.period?.status = 5
                return try store.statuses(old)
            case .statusOutOfRange: return try store.statuses(first, status: 9)
            case .noBytes: return ServerAPIAnswer(status: 200)
            case .brokenString:
                return ScriptedApple.json(
                    """
                    {"data":[{"lastTransactions":[{"originalTransactionId":"1","status":2,\
                    "signedTransactionInfo":"eyJhbGciOiJFUzI1NiJ9.e30.AA"}]}]}
                    """)
            case .ofAnotherEnvironment:
                var other = first
                other.environment = .sandbox
                other.period?.revocation = first.signed
                return try store.statuses(other, status: 5)
            case .redirect: return ServerAPIAnswer(status: 302)
            }
        } catch let error as ServerAPIError {
            throw error
        } catch {
            throw ServerAPIError(.notReached, "the test could not make its answer")
        }
    }
}
