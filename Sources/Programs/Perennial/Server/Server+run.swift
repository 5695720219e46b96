import Logging
import ServiceLifecycle

extension Server {
    /// Builds a node and runs it until it is told to stop. One that others take for dead lets go of everything in order, as at
    /// any end, and comes back as another run, which owns nothing: the program begins anew, so that nothing of the old run is
    /// left. So does one that could not reach the database it has to begin with.
    static func run(_ beginning: RunBeginning, logger: Logger, _ build: () throws -> Server) async throws {
        let program = Program()
        let start = ContinuousClock.now
        try await StopRequest.listen { stop in
            var isKnownToWait = beginning == .waiting
            do {
                let server = try build()
                // Nobody else would have heard it by then.
                if stop.isMade { return }
                if isKnownToWait { logger.notice("The store can be reached again") }
                isKnownToWait = false
                try await ServiceGroup.run(server.services, logger: logger)
            } catch {
                switch RunEnd(after: error, beginning, age: .now - start, isStopWanted: stop.isMade) {
                case .stopped: return
                case .failed: throw error
                case .comesBack(let pause):
                    logger.warning(
                        "Other nodes have taken this one for dead; it comes back as another run",
                        metadata: ["run.pause": "\(Int((pause / .seconds(1)).rounded(.up))) s"])
                    try await program.beginAnew(as: .comeback, after: pause, unless: stop)
                case .waits(let pause):
                    if !isKnownToWait {
                        logger.warning(
                            "The store cannot be reached: the node waits for it",
                            metadata: ["error": "\(CommandFailure(starting: error)?.description ?? "\(error)")"])
                    }
                    try await program.beginAnew(as: .waiting, after: pause, unless: stop)
                }
            }
        }
    }
}

extension Program {
    /// Returns when a stop was requested first.
    fileprivate func beginAnew(
        as beginning: RunBeginning, after pause: Duration, unless stop: StopRequest
    ) async throws {
        try await stop.wait(atMost: pause)
        if !stop.isMade { try await stop.endAtOnce() }
        if !stop.isMade { try self.beginAnew(as: beginning) }
    }
}
