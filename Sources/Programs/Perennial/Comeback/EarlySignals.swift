import Foundation

/// Signals that come before the process listens to any.
enum EarlySignals {
    /// Held back while a program begins anew: then nobody listens, and what nobody listens to may be lost.
    static func hold() {
        var signals = Self.stops
        // Dispatch has its threads block nearly everything, which the next run is not to inherit.
        pthread_sigmask(SIG_SETMASK, &signals, nil)
    }

    /// Lets them end the process again. To be called on the main thread, first of all.
    static func release() {
        // The first process of a container hears no signal that it has no handler for.
        if getpid() == 1 {
            for number in StopRequest.signals { signal(number) { _exit(128 + $0) } }
        }
        var signals = Self.stops
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    private static var stops: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in StopRequest.signals { sigaddset(&signals, number) }
        return signals
    }
}
