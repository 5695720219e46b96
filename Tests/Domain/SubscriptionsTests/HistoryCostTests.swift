import Foundation
import PerennialTestSupport
import Subscriptions
import Testing

/// What a question about the past costs grows as the log does, and no faster.
@Suite struct HistoryCostTests {
    private static let rules = DerivationRules()

    /// Renewals without a gap, each in a notification.
    private static func log(of periods: Int) -> [(at: Moment, event: SubscriptionEvent)] {
        (0..<periods).map { number in
            let start = Double(number * 30)
            let info = transaction(100 + number, from: start, to: start + 30)
            return (day(start), SubscriptionEvent(bundle(.notification, [info], renewal(signed: start))))
        }
    }

    /// In seconds of the processor, so that it does not matter what else runs.
    private static func cost(_ body: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        body()
        return now() - start
    }

    enum Order: CaseIterable { case oldestFirst, newestFirst }
    enum Question: CaseIterable { case beginning, middle, end }

    @Test(arguments: Order.allCases, Question.allCases)
    func growsAsTheLogDoes(_ order: Order, _ question: Question) async {
        let (few, many) = (1_000, 8_000)
        let ratio = await onOwnThread {
            func cost(of periods: Int) -> Double {
                let log = Self.log(of: periods)
                let history = StreamHistory(key: .subscription, events: order == .oldestFirst ? log : log.reversed())
                let moment =
                    switch question {
                    case .beginning: day(1)
                    case .middle: day(Double(periods * 15 + 1))
                    case .end: day(Double(periods * 30 - 1))
                    }
                return Self.cost {
                    let snapshot = history.snapshot(at: moment, rules: Self.rules)
                    #expect(snapshot?.state == .subscribed)
                    #expect(snapshot?.entitled == true)
                }
            }
            // The least of three: what else runs takes the caches of the processor away, and with them its time.
            func least(of periods: Int) -> Double { (0..<3).map { _ in cost(of: periods) }.min() ?? 0 }
            return least(of: many) / least(of: few)
        }
        // Eight times as much to look at; 64 times, if each were held against each.
        #expect(ratio < 24, "\(ratio)")
    }
}
