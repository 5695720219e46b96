import HTTPTypes
import NIOCore

/// The body of one request as it comes in, and how fast. Pure.
struct IncomingBody {
    let began: NIODeadline
    /// What its head says; nil for one of unknown length.
    let announced: Int?
    private(set) var bytes = 0
    /// Its share of what large bodies may hold.
    var place: LargeBodyBudget.ID?
    private var wasSlow = false

    init(_ head: HTTPRequest, at now: NIODeadline) {
        self.began = now
        let isChunked = head.headerFields[.transferEncoding] != nil
        self.announced = isChunked ? nil : ContentLength.bytes(head.headerFields[.contentLength])
    }

    /// - Returns: how many of these bytes are beyond what each body may hold.
    mutating func receive(_ count: Int, small: Int) -> Int {
        defer { self.bytes += count }
        return max(0, self.bytes + count - small) - max(0, self.bytes - small)
    }

    /// Asked once a second. Twice too slow in a row: a pause of our own makes it seem so once, and then what waited in the
    /// meantime is read.
    mutating func isTooSlow(_ limits: Configuration.Limits, at now: NIODeadline) -> Bool {
        let seconds = Double((now - (self.began + limits.bodyGrace)).nanoseconds) / 1e9
        let isSlow = seconds > 0 && Double(self.bytes) < seconds * Double(limits.bodyBytesPerSecond)
        defer { self.wasSlow = isSlow }
        return isSlow && self.wasSlow
    }
}

enum ContentLength {
    /// What the field announces; 0 without one. HTTP sets it no bound, `Int` does: what is larger is as large as can be.
    static func bytes(_ text: String?) -> Int {
        guard let text else { return 0 }
        return Int(text) ?? (text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? .max : 0)
    }
}
