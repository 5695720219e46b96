import ByteCoding
import Subscriptions

/// Where a page of the notification history ends, for the same filter. Opaque to clients.
struct PaginationToken: Hashable {
    let place: NotificationHistory.Place
    let filter: UInt64

    init(place: NotificationHistory.Place, filter: UInt64) {
        self.place = place
        self.filter = filter
    }

    /// nil for what is none.
    init?(text: String) {
        guard let bytes = Base64.url.decode(Array(text.utf8)[...]) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard parts.count == 3, let date = Int64(parts[0]), let filter = UInt64(parts[2], radix: 16) else { return nil }
        self.place = NotificationHistory.Place(date: Moment(milliseconds: date), uuid: String(parts[1]))
        self.filter = filter
    }

    var text: String {
        let contents = "\(self.place.date.milliseconds) \(self.place.uuid) \(String(self.filter, radix: 16))"
        return String(decoding: Base64.url.encode(Array(contents.utf8)), as: UTF8.self)
    }
}
