import Synchronization

/// A change on its way to many, with what the first of them made of it.
package final class ToldChange: Sendable {
    package let change: ChangeView
    private let told = Mutex<[UInt8]?>(nil)

    init(_ change: ChangeView) { self.change = change }

    /// - Parameter make: the same for everybody.
    package func text(_ make: (ChangeView) -> [UInt8]) -> [UInt8] {
        if let text = self.told.withLock({ $0 }) { return text }
        let text = make(self.change)
        self.told.withLock { $0 = text }
        return text
    }
}
