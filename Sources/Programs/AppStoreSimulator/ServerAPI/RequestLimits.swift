import Subscriptions
import Synchronization

/// How many requests a client may make, by endpoint: Apple's limits, which are named by the second and enforced over an
/// hour. A bucket of an hour's requests for each endpoint, refilled evenly, in real time.
final class RequestLimits: Sendable {
    private struct Bucket {
        var left: Double
        var filled: Moment
    }

    private static let hour = 3_600.0
    private let factor: Double?
    private let buckets = Mutex<[StoreEndpoint: Bucket]>([:])

    /// - Parameter factor: of Apple's limits in production; nil: no limits. The sandbox has a tenth.
    init(factor: Double?, environment: AppStoreEnvironment) {
        self.factor = factor.map { environment == .production ? $0 : $0 / 10 }
    }

    /// Takes one request.
    ///
    /// - Returns: when the next one is allowed, if this one is not.
    func take(_ endpoint: StoreEndpoint, at now: Moment) -> Moment? {
        guard let factor else { return nil }
        let rate = endpoint.perSecond * factor
        let size = max(1, rate * Self.hour)
        return self.buckets.withLock { buckets in
            var bucket = buckets[endpoint] ?? Bucket(left: size, filled: now)
            let seconds = Double(max(0, now.milliseconds - bucket.filled.milliseconds)) / 1_000
            bucket = Bucket(left: min(size, bucket.left + seconds * rate), filled: max(bucket.filled, now))
            defer { buckets[endpoint] = bucket }
            guard bucket.left < 1 else {
                bucket.left -= 1
                return nil
            }
            return now + Milliseconds(rawValue: Int64(((1 - bucket.left) / rate * 1_000).rounded(.up)))
        }
    }
}
