/// How patient and how busy a client is.
package struct ServerAPIConfiguration: Hashable, Sendable {
    /// From the call to its answer, with waiting for a turn and all repetitions.
    package var callDeadline = Duration.seconds(60)
    /// For one request; Apple's libraries give up at the same time.
    package var requestTimeout = Duration.seconds(30)
    /// Requests of one account that are under way at a time.
    package var concurrency = 8
    /// How often a request is sent at most, while it fails in a way that passes.
    package var attempts = 4
    /// Before the second attempt; doubled for each that follows, and shortened by chance to as little as half of it.
    package var firstPause = Duration.milliseconds(500)
    /// Answers above this are refused.
    package var maximumAnswerBytes = 8 << 20

    package init() {}
}
