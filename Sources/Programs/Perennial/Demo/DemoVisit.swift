import Logging
import ServiceLifecycle

/// The store and the people who watch: they come when the node takes requests, and never if it cannot, because another
/// program may answer at its address then. They say goodbye before the node ends.
struct DemoVisit: Service {
    let listening: Announcement<Void>
    let services: [any Service]
    let tour: DemoTour
    let logger: Logger

    func run() async throws {
        guard await self.listening.value() != nil else { return }
        defer { self.tour.sayGoodbye() }
        try await ServiceGroup(configuration: .init(services: self.services + [self.tour], logger: self.logger)).run()
    }
}
