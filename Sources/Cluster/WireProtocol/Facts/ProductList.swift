/// The products that the facts of one message speak of, each once (`Facts.product_ids`).
struct ProductList {
    private(set) var ids: [String] = []

    mutating func append(_ id: String) { self.ids.append(id) }

    mutating func add(_ id: String?) {
        if let id, !self.ids.contains(where: id.hasSameBytes) { self.ids.append(id) }
    }

    /// The place of a product, counted from 1; 0 for nil.
    /// - Precondition: it has been added.
    func place(of id: String?) -> Int64 {
        guard let id else { return 0 }
        guard let index = self.ids.firstIndex(where: id.hasSameBytes) else {
            preconditionFailure("a product that facts name is in their list")
        }
        return Int64(index + 1)
    }

    /// - Parameter number: as it was read; a place is its low half.
    func id(at number: UInt64) throws(WireError) -> String? {
        let place = UInt32(truncatingIfNeeded: number)
        guard place > 0 else { return nil }
        guard place <= self.ids.count else { throw WireError(.malformed, "a product that is not in the list") }
        return self.ids[Int(place) - 1]
    }
}
