extension History {
    /// What the promises of the log and of its answers forbid; none if they were kept.
    var violations: [Violation] {
        self.logs.sorted { $0.key < $1.key }.flatMap { self.violations(on: $0.key, $0.value) }
            + self.shards.sorted { $0.key < $1.key }.flatMap { Self.violations(in: $0.key, $0.value) }
            + self.lateAppends
            + self.answers.filter { $0.version < $0.atLeast }.map(Violation.olderAnswer)
            + self.parked.map { .parked(key: $0) } + self.refused.map { .refused(notification: $0) }
            + self.takenForDead.map { .takenForDead(node: $0) }
    }

    private func violations(on node: String, _ log: [Entry]) -> [Violation] {
        let counts = log.compactMap(\.notification).reduce(into: [:]) { $0[$1, default: 0] += 1 }
        let versions = log.reduce(into: [String: [Int]]()) { $0[$1.stream, default: []].append($1.version) }
        return self.acknowledged.filter { counts[$0] == nil }.sorted().map { .missing(notification: $0, node: node) }
            + counts.filter { $0.value > 1 }.keys.sorted().map { .repeated(notification: $0, node: node) }
            + counts.keys.filter { !self.sent.contains($0) }.sorted().map { .neverSent(notification: $0, node: node) }
            + versions.filter { $0.value != Array(1...$0.value.count) }.keys.sorted()
            .map { .versions(stream: $0, node: node) }
    }

    /// What has come under an older epoch since a newer one was seen.
    private var lateAppends: [Violation] {
        self.earlier.sorted { $0.key < $1.key }.flatMap { shard, earlier in
            (self.shards[shard]?.events ?? []).filter { $0.sequence > earlier.head && $0.epoch < earlier.epoch }
                .map { .lateAppend(shard: shard, sequence: $0.sequence) }
        }
    }

    private static func violations(in shard: Int, _ rows: ShardRows) -> [Violation] {
        var violations: [Violation] = []
        if rows.events.map(\.sequence) != Array(1..<(rows.events.count + 1)) {
            violations.append(.sequences(shard: shard))
        }
        for (last, next) in zip(rows.events, rows.events.dropFirst()) where next.epoch < last.epoch {
            violations.append(.olderEpoch(shard: shard, sequence: next.sequence))
        }
        if rows.events.contains(where: { $0.epoch > rows.epoch }) { violations.append(.epochBeyondOwner(shard: shard)) }
        let keys = rows.events.reduce(into: [:]) { $0[$1.key, default: 0] += 1 }
        violations += keys.filter { $0.value > 1 }.keys.sorted().map { .repeatedKey(shard: shard, key: $0) }
        if rows.head != rows.events.map(\.sequence).max() ?? 0 { violations.append(.head(shard: shard)) }
        return violations
    }
}
