import StrictJSON

/// What the demo asks its node, over HTTP as anybody would.
struct DemoQuestions {
    let client: NodeClient

    private static let page = 500

    /// The node's answer about each subscription, in their order.
    func check(_ ids: some Sequence<String>, entitlement: String? = nil) async throws -> (
        asOf: String?, results: [JSONFragment]
    ) {
        let body = JSONWriter.text { json in
            json.member("checks") { json in
                json.array { json in
                    for id in ids {
                        json.object { json in
                            json.member("subscription", id)
                            if let entitlement { json.member("entitlement", entitlement) }
                        }
                    }
                }
            }
        }
        let answer = try await self.client.post(["v1", "check"], body: body)
        return (answer["asOf"]?.plain, answer["results"]?.items ?? [])
    }

    /// The node's answer about each customer, in their order.
    func check(customers: some Sequence<String>) async throws -> (asOf: String?, results: [JSONFragment]) {
        let body = JSONWriter.text { json in
            json.member("checks") { json in
                json.array { json in
                    for customer in customers { json.object { $0.member("customer", customer) } }
                }
            }
        }
        let answer = try await self.client.post(["v1", "check"], body: body)
        return (answer["asOf"]?.plain, answer["results"]?.items ?? [])
    }

    /// - Parameter version: of the last answer; what was recorded since is the news. nil wants no news.
    func answer(about id: String, since version: Int?) async throws -> CustomerAnswer {
        var answer = CustomerAnswer(try await self.client.get(["v1", "subscriptions", id]))
        guard let version, answer.version > version else { return answer }
        answer.news = try await self.news(of: id, in: (version + 1)...answer.version)
        return answer
    }

    private func news(of id: String, in versions: ClosedRange<Int>) async throws -> [String] {
        var news: [String] = []
        var cursor: String?
        repeat {
            let page = try await self.client.get(
                ["v1", "subscriptions", id, "events"], query: [("after", cursor), ("limit", String(Self.page))])
            for event in page["events"]?.items ?? [] {
                guard let version = event["version"]?.plain.flatMap(Int.init), versions.contains(version) else {
                    continue
                }
                news += event["changes"]?.items.compactMap(\.plain) ?? []
            }
            cursor = page["next"]?.plain
        } while cursor != nil
        return news
    }

    /// Why the node cannot do all of its work; nil when it can.
    func trouble() async throws -> String? {
        do {
            _ = try await self.client.get(["readyz"])
            return nil
        } catch let failure as CommandFailure {
            return failure.description
        }
    }

    func metrics() async throws -> String { try await self.client.text(["metrics"]) }
}
