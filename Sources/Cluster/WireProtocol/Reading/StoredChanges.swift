import Subscriptions

/// The two fields in which changes are written: a number for each, and the texts of those that have none.
struct StoredChanges {
    var numbers: [Int] = []
    var texts: [String] = []

    var names: [Change] {
        get throws(WireError) {
            var texts = self.texts.makeIterator()
            var names = [Change]()
            names.reserveCapacity(self.numbers.count)
            for number in self.numbers {
                let other = number == ProtoChange.other.rawValue ? texts.next() : ""
                guard let other, let name = try ProtoChange.spelling(of: number, orOther: other) else {
                    throw WireError(.malformed, "a change without its name")
                }
                names.append(Change(rawValue: name))
            }
            return names
        }
    }
}
