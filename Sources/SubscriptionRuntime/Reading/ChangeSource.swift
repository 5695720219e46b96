/// What all who follow the change stream of a node share.
struct ChangeSource: Sendable {
    let reader: ChangeReader
    let share = CatchUpShare()
    let tail: ChangeTail

    init(_ reader: ChangeReader) {
        self.reader = reader
        self.tail = ChangeTail(reader)
    }
}
