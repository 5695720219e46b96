/// When a delivery that failed is tried again: the example schedule of the Standard Webhooks specification 1.0.0, ten
/// attempts in three days. Times are seconds.
package enum RetrySchedule {
    /// Between an attempt and the next.
    package static let delays: [Int64] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
    /// From the first attempt to the last.
    package static let length = delays.reduce(0, +)
    /// An endpoint that does not answer at all is looked at again this soon, however long it has been gone.
    private static let longestAbsence: Int64 = 300
    private static let longestWish: Int64 = 86_400

    /// - Parameters:
    ///   - trial: of which one more attempt has just failed.
    ///   - now: since 1970.
    ///   - jitter: 0…1, so that what failed together does not come back together.
    /// - Returns: when to try again, nil to give up.
    package static func next(after trial: Trial, _ failure: DeliveryFailure, at now: Int64, jitter: Double) -> Int64? {
        // Who was not there has not said no to this message: only refusals bring its end closer.
        let index = max(0, (failure.isAbsence ? trial.attempts : trial.refusals) - 1)
        var delay = Self.delays[min(index, Self.delays.count - 1)]
        if failure.isAbsence {
            guard now - trial.first < Self.length else { return nil }
            delay = min(delay, Self.longestAbsence)
        } else if index >= Self.delays.count {
            return nil
        }
        delay += Int64(Double(delay) * 0.1 * jitter)
        return now + max(delay, min(failure.retryAfter ?? 0, Self.longestWish))
    }
}
