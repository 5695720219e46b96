/// The products that the facts of one message speak of, each once (`Facts.product_ids`).
struct ProductList {
    private(set) var ids: [String] = []

    /// The place of a product, counted from 1; 0 for nil.
    mutating func place(of id: String?) -> UInt32 {
        guard let id else { return 0 }
        if let index = self.ids.firstIndex(where: id.hasSameBytes) { return UInt32(index + 1) }
        self.ids.append(id)
        return UInt32(self.ids.count)
    }

    func id(at place: UInt32) throws(WireError) -> String? {
        guard place > 0 else { return nil }
        guard place <= self.ids.count else { throw WireError(.malformed, "a product that is not in the list") }
        return self.ids[Int(place) - 1]
    }
}
