import Entitlements
import Subscriptions

extension [HeldStream] {
    /// Non-renewing purchases of one product, in one environment and bundle, add up: each that was not revoked adds its
    /// duration, times its quantity, from the later of its purchase and the end so far (`entitlements.nonRenewing`). Each
    /// purchase then ends where the run does that it is part of.
    func addingUp(_ rules: DerivationRules) -> [HeldStream] {
        var runs: [Run.Key: [Int]] = [:]
        for (place, stream) in self.enumerated() {
            if let key = Run.Key(stream, rules) { runs[key, default: []].append(place) }
        }
        var added = self
        for (key, places) in runs {
            guard let duration = rules.nonRenewingDuration[key.product] else { continue }
            let ends = Run.ends(of: places.map { self[$0] }, duration: duration)
            for (place, end) in zip(places, ends) { added[place].phases = self[place].phases.ending(at: end) }
        }
        return added
    }
}

private enum Run {
    struct Key: Hashable {
        let product: String
        let environment: AppStoreEnvironment
        let bundleID: BundleID

        /// nil for what does not run for a time.
        init?(_ stream: HeldStream, _ rules: DerivationRules) {
            guard stream.key.kind == .purchase, let phase = stream.phases.first, phase.state == .owned,
                phase.code != .nothing, stream.purchaseDate != nil, let product = phase.productID,
                rules.nonRenewingDuration[product] != nil
            else { return nil }
            self.product = product
            self.environment = stream.key.environment
            self.bundleID = stream.key.bundleID
        }
    }

    /// Where the run ends that each purchase is part of.
    static func ends(of purchases: [HeldStream], duration: Milliseconds) -> [Moment] {
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

extension HeldStream {
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
