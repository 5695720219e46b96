import ServiceContract
import SubscriptionService
import Subscriptions

/// What a service's log says of the notifications in it, read as far as it goes and then further.
struct LogAudit {
    /// `notificationUUID`s in lower case.
    private(set) var recorded: Set<String> = []
    /// Those that were applied more than once.
    private(set) var repeated: [String] = []
    /// Those that came after one about the same stream that was signed later.
    private(set) var overtaken = 0

    private var newest: [StreamKey: Moment] = [:]
    private var cursor: String?

    /// Up to the end of the log. A page is empty there only.
    mutating func read(_ service: SubscriptionService) async throws {
        while true {
            let page = try await service.changes(after: self.cursor, limit: 1_000)
            self.cursor = page.next
            guard !page.events.isEmpty else { return }
            for view in page.events { self.note(view) }
        }
    }

    private mutating func note(_ view: EventView) {
        guard let uuid = view.event.notification?.uuid.lowercased() else { return }
        if !self.recorded.insert(uuid).inserted { self.repeated.append(uuid) }
        guard let signedDate = view.event.signedDate else { return }
        if let newest = self.newest[view.key], signedDate < newest { self.overtaken += 1 }
        self.newest[view.key] = max(signedDate, self.newest[view.key] ?? signedDate)
    }
}
