import HTTPAPI
import NIOCore

extension Configuration {
    /// Waits an hour for what a client has to do: a busy machine keeps clients of tests waiting, too.
    static func patient(
        main: Listener = Listener(), outside: Listener? = nil, tokens: [Token] = []
    ) -> Configuration {
        var configuration = Configuration(main: main, outside: outside, tokens: tokens)
        configuration.limits.headTimeout = .hours(1)
        configuration.limits.surplusTimeout = .hours(1)
        configuration.limits.bodyTimeout = .hours(1)
        configuration.limits.bodyBytesPerSecond = 0
        configuration.limits.answerTimeout = .hours(1)
        configuration.limits.idleTimeout = .hours(1)
        return configuration
    }

    /// The same, with other bounds.
    static func with(_ change: (inout Limits) -> Void) -> Configuration {
        var configuration = Configuration.patient()
        change(&configuration.limits)
        return configuration
    }
}
