import Entitlements
import Subscriptions

extension [HeldStream] {
    /// Non-renewing purchases of one product, in one environment and bundle, add up: each that was not revoked adds its
    /// duration, times its quantity, from the later of its purchase and the end so far (`entitlements.nonRenewing`). Each
    /// purchase then ends where the run does that it is part of.
    func addingUp(_ rules: DerivationRules) -> [HeldStream] {
        let places = self.indices.filter { place in
            self[place].phases.contains { Run.Key(self[place].key, $0, rules) != nil }
        }
        guard !places.isEmpty else { return self }
        let purchases = places.map { self[$0] }
        var added = self
        for place in places { added[place].phases = [] }
        // One that is taken back some time is part of the run until then.
        let starts = Set(purchases.flatMap { $0.phases.map(\.from) }).sorted()
        for (start, next) in zip(starts, starts.dropFirst().map(Optional.some) + [nil]) {
            for (place, phases) in zip(places, purchases.added(from: start, rules)) {
                for phase in phases where next.map({ phase.from < $0 }) ?? true {
                    added[place].phases.extend(by: phase)
                }
            }
        }
        return added
    }

    /// The phases of each, as it is at a moment and will be if it stays so.
    private func added(from start: Moment, _ rules: DerivationRules) -> [[HeldStream.Phase]] {
        var phases = self.map { stream in
            [stream.phase(at: start)].compactMap(\.self).map { phase in
                var phase = phase
                phase.from = start
                return phase
            }
        }
        var runs: [Run.Key: [Int]] = [:]
        for (place, phase) in phases.map(\.first).enumerated() {
            if let phase, let key = Run.Key(self[place].key, phase, rules) { runs[key, default: []].append(place) }
        }
        for (key, places) in runs {
            guard let duration = rules.nonRenewingDuration[key.product] else { continue }
            let ends = Run.ends(of: places.compactMap { phases[$0].first }, duration: duration)
            for (place, end) in zip(places, ends) { phases[place] = phases[place].ending(at: end) }
        }
        return phases
    }
}

private enum Run {
    struct Key: Hashable {
        let product: String
        let environment: AppStoreEnvironment
        let bundleID: BundleID

        /// nil for what does not run for a time.
        init?(_ key: StreamKey, _ phase: HeldStream.Phase, _ rules: DerivationRules) {
            guard key.kind == .purchase, phase.state == .owned,
                phase.code != .nothing, phase.purchaseDate != nil, let product = phase.productID,
                rules.nonRenewingDuration[product] != nil
            else { return nil }
            self.product = product
            self.environment = key.environment
            self.bundleID = key.bundleID
        }
    }

    /// Where the run ends that each purchase is part of.
    static func ends(of purchases: [HeldStream.Phase], duration: Milliseconds) -> [Moment] {
        let order = purchases.indices.sorted {
            (purchases[$0].start, $0) < (purchases[$1].start, $1)
        }
        var ends = [Moment](repeating: .distantPast, count: purchases.count)
        var run: [Int] = []
        var end = Moment.distantPast
        for place in order {
            if end < purchases[place].start { run = [] }
            let quantity = max(1, purchases[place].quantity)
            let (length, overflow) = duration.rawValue.multipliedReportingOverflow(by: quantity)
            let start = max(purchases[place].start, end)
            end = start + Milliseconds(rawValue: overflow ? .max : length)
            run.append(place)
            for member in run { ends[member] = end }
        }
        return ends
    }
}

extension HeldStream.Phase {
    fileprivate var start: Moment { self.purchaseDate ?? .distantPast }
}

extension [HeldStream.Phase] {
    /// The phases of a purchase that entitles until `end`.
    fileprivate func ending(at end: Moment) -> [HeldStream.Phase] {
        guard var first = self.first else { return self }
        first.entitled = first.from < end
        first.code = CohortCode(state: first.entitled ? 3 : -5, offer: first.code.offer)
        guard first.entitled else { return [first] }
        var last = first
        (last.from, last.entitled) = (end, false)
        last.code = CohortCode(state: -5, offer: first.code.offer)
        return [first, last]
    }
}
