/// What became of a test notification, for people.
package struct TestNotificationSummary {
    package enum State: String {
        case arrived, pending, failed, deliveredElsewhere
    }

    /// nil for one of a newer node.
    package let state: State?
    private let attempts: [JSONFragment]

    /// - Parameter answer: of `GET /v1/apple/test-notifications/{testNotificationToken}`.
    package init(_ answer: JSONFragment) {
        self.state = answer["state"]?.plain.flatMap(State.init(rawValue:))
        // Dates of one form are in the order of their text.
        self.attempts = (answer["attempts"]?.items ?? []).sorted {
            ($0["date"]?.plain ?? "") < ($1["date"]?.plain ?? "")
        }
    }

    package var lines: [String] {
        switch self.state {
        case .arrived: ["The test notification has come, and is in the log: Apple reaches this system."] + self.failures
        case .pending: ["Apple has not said yet what became of the test notification."]
        case .failed: self.failures
        case .deliveredElsewhere:
            [
                "Apple has delivered it, and not to this system: the URL that App Store Connect has for this environment "
                    + "leads elsewhere. It has to end in `/v1/apple/notifications` of this system."
            ]
        case nil: ["The node tells of a state that this version of Perennial does not know."]
        }
    }

    /// The attempts that failed, the oldest first.
    private var failures: [String] {
        self.attempts.compactMap { attempt in
            let result = attempt["result"]?.plain ?? ""
            guard result != "SUCCESS" else { return nil }
            let head = [attempt["date"]?.plain, result.isEmpty ? nil : result].compactMap(\.self)
            return (head + [SendAttempt(result: result).sentence]).joined(separator: "  ")
        }
    }
}
