import AppStoreSimulator
import Foundation
import Subscriptions

/// What a running simulation says is true, by its own server.
struct SimulatedStore {
    /// Something that was sold.
    struct Item {
        let id: String
        let isPurchase: Bool
        let since: Moment
        let environment: String
    }

    struct Page {
        let items: [Item]
        /// nil on the last page.
        let next: String?
        /// Truths up to this moment are final.
        let now: Moment
        let environment: String
        let bundleID: String
    }

    private let client: NodeClient

    private static let pageSize = 1_000
    private static let momentsAtOnce = 100

    /// - Parameter keys: the simulation's directory.
    init(keys: String) throws {
        let file = (keys as NSString).appendingPathComponent("store.json")
        let contents: Data
        do { contents = try Data(contentsOf: URL(fileURLWithPath: file)) } catch {
            throw CommandFailure("\(file): \(FileProblem(error).sentence)")
        }
        guard let store = try? JSONDecoder().decode(StoreDescription.self, from: contents) else {
            throw CommandFailure("\(file): not what a simulation writes")
        }
        self.client = try NodeClient(address: store.baseURL, token: nil, peer: "simulation")
    }

    /// In the order of sale.
    func page(after id: String?) async throws -> Page {
        let page = try await self.client.get(
            ["truth"], query: [("after", id), ("limit", String(Self.pageSize))])
        guard let now = page["now"]?.plain.flatMap({ Moment(rfc3339: $0) }),
            let environment = page["environment"]?.plain, let bundleID = page["bundleId"]?.plain
        else { throw CommandFailure("the simulation's list of truths cannot be read; is it of another version?") }
        let items = (page["truths"]?.items ?? []).compactMap { item -> Item? in
            guard let id = item["originalTransactionId"]?.plain,
                let since = item["since"]?.plain.flatMap({ Moment(rfc3339: $0) })
            else { return nil }
            return Item(
                id: id, isPurchase: item["kind"]?.plain == "purchase", since: since,
                environment: item["environment"]?.plain ?? environment)
        }
        return Page(items: items, next: page["next"]?.plain, now: now, environment: environment, bundleID: bundleID)
    }

    /// The truth of each moment.
    func answers(about id: String, at moments: [Moment]) async throws -> [JSONFragment] {
        try await self.answers(at: ["truth", id], about: id, moments)
    }

    private func answers(at path: [String], about id: String, _ moments: [Moment]) async throws -> [JSONFragment] {
        var answers: [JSONFragment] = []
        for start in stride(from: 0, to: moments.count, by: Self.momentsAtOnce) {
            let some = moments[start..<min(start + Self.momentsAtOnce, moments.count)]
            let answer = try await self.client.get(path, query: some.map { ("at", $0.rfc3339) })
            answers += answer["answers"]?.items ?? [answer]
        }
        guard answers.count == moments.count else {
            throw CommandFailure("the simulation left out answers about \(id)")
        }
        return answers
    }

    // MARK: The publisher's customers

    struct CustomerPage {
        /// In the order in which they became known.
        let ids: [String]
        /// nil on the last page.
        let next: String?
        let environment: String
    }

    func customers(after id: String?) async throws -> CustomerPage {
        let page = try await self.client.get(
            ["truth", "customers"], query: [("after", id), ("limit", String(Self.pageSize))])
        guard let customers = page["customers"]?.items, let environment = page["environment"]?.plain else {
            throw CommandFailure("the simulation's list of customers cannot be read; is it of another version?")
        }
        return CustomerPage(
            ids: customers.compactMap { $0["customerId"]?.plain }, next: page["next"]?.plain, environment: environment)
    }

    func answer(aboutCustomer id: String, at moment: Moment) async throws -> JSONFragment {
        try await self.answers(at: ["truth", "customers", id], about: id, [moment])[0]
    }

    /// Until when what the simulation says is final.
    func now() async throws -> Moment {
        let page = try await self.client.get(["truth"], query: [("limit", "1")])
        guard let now = page["now"]?.plain.flatMap({ Moment(rfc3339: $0) }) else {
            throw CommandFailure("the simulation's now cannot be read; is it of another version?")
        }
        return now
    }
}
