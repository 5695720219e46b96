import Subscriptions

/// A cluster as an operator wants to see it first: who lives, and below whether anything waits.
package struct ClusterSummary {
    private let answer: JSONFragment

    /// - Parameter answer: of `GET /v1/cluster`.
    package init(_ answer: JSONFragment) { self.answer = answer }

    package var lines: [String] { self.nodes.lines + [""] + self.figures.lines }

    private var nodes: TextTable {
        var table = TextTable(["NODE", "STATE", "SHARDS", "LEASE", "LEVEL", "ENDPOINT"])
        for node in self.answer["nodes"]?.items ?? [] {
            let lease = node["leaseMilliseconds"]?.plain.flatMap { Int64($0) }
            table.add(
                [
                    node["id"]?.plain, node["state"]?.plain, node["shardsOwned"]?.plain,
                    lease.map { Milliseconds(rawValue: $0).text }, node["featureLevel"]?.plain, node["endpoint"]?.plain,
                ].map { $0 ?? "-" })
        }
        return table
    }

    private var figures: TextTable {
        var table = TextTable()
        table.add(["shards", self.answer["shards"]?["count"]?.plain ?? "-"])
        table.add(["without owner", self.answer["shards"]?["withoutOwner"]?.plain ?? "-"])
        if let inbox = self.answer["inbox"], let count = inbox["waiting"]?.plain {
            let waiting = [count, inbox["oldest"]?.plain.map { "since \($0)" }]
            table.add(["inbox waiting", waiting.compactMap(\.self).joined(separator: ", ")])
            table.add(["inbox parked", inbox["parked"]?.plain ?? "-"])
        }
        table.add(["feature level", self.answer["featureLevel"]?.plain ?? "-"])
        table.add(["answered by", self.answer["answeredBy"]?.plain ?? "-"])
        return table
    }
}
