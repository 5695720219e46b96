/// What the node says of a customer at one moment, of all that they have.
package struct CustomerAccess: Hashable, Sendable {
    package var entitled = false
    /// subscription, purchase or grant: what gives it, or comes nearest; nil where there is nothing.
    package var kind: String?
    package var validUntil: String?

    package init() {}

    /// - Parameter result: of a check by customer.
    package init(_ result: JSONFragment) {
        self.entitled = result["entitled"]?.plain == "true"
        self.kind = result["by"]?["kind"]?.plain
        self.validUntil = result["validUntil"]?.plain
    }

    /// What is new compared with before, as far as no subscription of theirs says it.
    ///
    /// - Parameters:
    ///   - previous: nil when nothing was heard before.
    ///   - wasKnown: their subscription had access when the node was last asked.
    package func sentence(since previous: CustomerAccess?, wasKnown: Bool) -> String? {
        guard self.entitled else { return nil }
        if self.kind == "grant" {
            guard previous?.kind == "grant", previous?.entitled == true else {
                return "has what was paid on the web: access \(self.end)"
            }
            return previous?.validUntil == self.validUntil
                ? nil : "paid on the web again: access \(self.end)"
        }
        guard let previous, !previous.entitled, wasKnown else { return nil }
        return "the app knows by now whose it is: access as a customer \(self.end)"
    }

    /// What gives access where a subscription does not; nil where nothing does.
    package var besideSubscription: String? {
        self.entitled && self.kind == "grant" ? "what was paid on the web gives access \(self.end)" : nil
    }

    private var end: String { self.validUntil.map { "until \($0.prefix(10))" } ?? "without an end" }
}
