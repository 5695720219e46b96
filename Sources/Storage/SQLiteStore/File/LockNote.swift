import Foundation

/// What `<path>.lock` says, beside being locked: the holder's pid, for people, and on a second line that its file was a store.
struct LockNote {
    let holder: String?
    let isStore: Bool

    private static let store = "store"

    init(_ descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe max(0, pread(descriptor, &bytes, bytes.count, 0))
        let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").map(String.init)
        self.holder = lines.first
        self.isStore = lines.dropFirst().first == Self.store
    }

    /// The lock holds without it.
    static func write(isStore: Bool, to descriptor: Int32) {
        let pid = "\(ProcessInfo.processInfo.processIdentifier)\n"
        let bytes = Array((isStore ? pid + Self.store + "\n" : pid).utf8)
        _ = unsafe pwrite(descriptor, bytes, bytes.count, 0)
        // Last, so that a kill in between takes no line away.
        _ = ftruncate(descriptor, off_t(bytes.count))
    }
}
