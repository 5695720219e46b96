import Logging
import ServiceLifecycle

extension Server {
    /// Runs the node until it is told to stop. One that others take for dead lets go of everything in order, as at any end,
    /// and comes back as another run, which owns nothing: the program begins anew, so that nothing of the old run is left.
    func run(logger: Logger) async throws {
        let program = Program()
        let beginning = ContinuousClock.now
        try await StopRequest.listen { stop in
            do {
                try await ServiceGroup.run(self.services, logger: logger)
            } catch {
                switch RunEnd(after: error, age: .now - beginning, isStopWanted: stop.isMade) {
                case .stopped: return
                case .failed: throw error
                case .comesBack(let pause):
                    logger.warning(
                        "Other nodes have taken this one for dead; it comes back as another run",
                        metadata: ["run.pause": "\(Int((pause / .seconds(1)).rounded(.up))) s"])
                    try await stop.wait(atMost: pause)
                    if !stop.isMade { try await stop.endAtOnce() }
                    if !stop.isMade { try program.beginAnew() }
                }
            }
        }
    }
}
