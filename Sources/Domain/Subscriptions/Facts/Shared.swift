/// A large value in one place that its copies share until one of them is changed: states hold, copy and compare payloads
/// of thirty fields, most of them text with a count of its own to keep.
struct Shared<Value: Hashable & Sendable>: Hashable, Sendable {
    /// Written only while nobody else has it.
    private final class Place: @unchecked Sendable {
        @exclusivity(unchecked) var value: Value

        init(_ value: Value) { self.value = value }
    }

    private var place: Place

    init(_ value: Value) { self.place = Place(value) }

    var value: Value {
        _read { yield self.place.value }
        _modify {
            if !isKnownUniquelyReferenced(&self.place) { self.place = Place(self.place.value) }
            yield &self.place.value
        }
    }

    static func == (left: Self, right: Self) -> Bool {
        left.place === right.place || left.place.value == right.place.value
    }

    func hash(into hasher: inout Hasher) { hasher.combine(self.place.value) }
}
