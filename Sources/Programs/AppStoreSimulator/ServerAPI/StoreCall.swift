import Subscriptions

/// A request to the store's API that is to be answered.
struct StoreCall: Sendable {
    /// The parts of the path that vary, in order.
    let parameters: [String]
    let query: [(name: String, value: String)]
    let body: [UInt8]
    let trouble: Troublemaker.Trouble

    /// The identifier in the path.
    var id: String { self.parameters[0] }

    func values(_ name: String) -> [String] { self.query.filter { $0.name == name }.map(\.value) }

    func value(_ name: String) -> String? { self.query.first { $0.name == name }?.value }

    func readBody() throws(StoreAPIError) -> RequestBody {
        do { return try RequestBody(self.body) } catch { throw .badRequest }
    }

    /// A list of the answer, unless it is to be empty.
    func list<Element>(_ elements: [Element]) -> [Element] { self.trouble.emptiesLists ? [] : elements }

    func date(_ name: String, else error: StoreAPIError) throws(StoreAPIError) -> Moment? {
        guard let text = self.value(name) else { return nil }
        guard let milliseconds = Int64(text), milliseconds >= 0 else { throw error }
        return Moment(milliseconds: milliseconds)
    }

    /// Apple's identifiers are numbers of some length.
    func requireID(else error: StoreAPIError = .badTransactionID) throws(StoreAPIError) {
        guard (1...32).contains(self.id.utf8.count), self.id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw error
        }
    }
}

/// What is answered when nothing is wrong.
enum StoreReply: Sendable {
    case json([UInt8])
    /// 200 without a body.
    case done
    /// 202 without a body.
    case accepted
}
