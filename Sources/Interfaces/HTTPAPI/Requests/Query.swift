import EventLog
import Reconciliation
import ServiceContract
import Subscriptions

/// The parameters of a request's query. What a route does not know is refused: a misspelt `knownAt` would give a wrong
/// answer otherwise.
struct Query {
    private let values: [String: String]

    /// - Parameter text: what stands behind the question mark.
    init(_ text: some StringProtocol, allowing names: [String]) throws(Problem) {
        var values: [String: String] = [:]
        guard !text.isEmpty else {
            self.values = values
            return
        }
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts[0].percentDecoded, names.contains(name) else {
                let unknown = UnknownName(parts[0].percentDecoded ?? "", among: names)
                throw Problem(.invalidParameter, "the query has \(unknown.sentence(of: "parameter"))")
            }
            guard let value = parts.count == 2 ? parts[1].percentDecoded : "" else {
                throw .invalidParameter(name, "not percent-encoded UTF-8")
            }
            guard values.updateValue(value, forKey: name) == nil else { throw .invalidParameter(name, "given twice") }
        }
        self.values = values
    }

    /// No longer than any cursor or id.
    func text(_ name: String) throws(Problem) -> String? { try self.values[name]?.bounded(as: name) }

    func moment(_ name: String) throws(Problem) -> Moment? {
        guard let value = self.values[name] else { return nil }
        guard let moment = Moment(rfc3339: value) else {
            throw .invalidParameter(name, "not an RFC 3339 date such as 2026-12-04T20:00:00Z")
        }
        return moment
    }

    func flag(_ name: String) throws(Problem) -> Bool {
        switch self.values[name] {
        case nil, "false": return false
        case "true": return true
        default: throw .invalidParameter(name, "neither true nor false")
        }
    }

    /// One of the words of an enumeration.
    func word<Word: RawRepresentable & CaseIterable>(_ name: String, as type: Word.Type) throws(Problem) -> Word?
    where Word.RawValue == String {
        guard let value = self.values[name] else { return nil }
        guard let word = Word(rawValue: value) else {
            throw .invalidParameter(name, "none of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    /// How many entries a page holds at most: 100 unless said.
    func limit() throws(Problem) -> Int {
        guard let value = self.values["limit"] else { return 100 }
        guard let limit = Int(value), (1...1_000).contains(limit) else {
            throw .invalidParameter("limit", "not a number from 1 to 1000")
        }
        return limit
    }

    /// The stream that `id`, `environment` and `bundleId` name.
    func stream(_ kind: StreamKind, id: String) throws(Problem) -> StreamReference {
        guard id.isIdentifier else {
            throw .invalidParameter("originalTransactionId", "not 1 to 128 visible ASCII characters")
        }
        let app = try self.app()
        return StreamReference(kind: kind, id: id, environment: app.environment, bundleID: app.bundleID)
    }

    /// The app that `environment` and `bundleId` name.
    func app() throws(Problem) -> AppReference {
        let environment = try self.word("environment", as: EnvironmentName.self) ?? .production
        let bundleID = self.values["bundleId"]
        guard bundleID?.isIdentifier ?? true else {
            throw .invalidParameter("bundleId", "not 1 to 128 visible ASCII characters")
        }
        return AppReference(
            bundleID: bundleID.map { BundleID(rawValue: $0) },
            environment: AppStoreEnvironment(rawValue: environment.rawValue))
    }
}

/// The environments that can be asked about.
enum EnvironmentName: String, CaseIterable {
    case production = "Production"
    case sandbox = "Sandbox"
    case xcode = "Xcode"
    case localTesting = "LocalTesting"
}
