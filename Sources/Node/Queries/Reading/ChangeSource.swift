/// What all who follow the change stream of a node share.
package struct ChangeSource: Sendable {
    let reader: ChangeReader
    let share = CatchUpShare()
    let tail: ChangeTail

    /// - Parameter patience: so long after their last look those who follow are taken to be gone.
    package init(_ reader: ChangeReader, patience: Duration) {
        self.reader = reader
        self.tail = ChangeTail(reader, patience: patience)
    }
}
