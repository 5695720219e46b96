/// What all who follow the change stream of a node share.
package struct ChangeSource: Sendable {
    let reader: ChangeReader
    let share = CatchUpShare()
    let tail: ChangeTail

    package init(_ reader: ChangeReader) {
        self.reader = reader
        self.tail = ChangeTail(reader)
    }
}
