/// Points that are to be added: the entries that two tables have for one scalar each, 32 at most. On the stack, so that a check
/// of a signature takes nothing from the heap.
struct Addends {
    private var points = InlineArray<64, AffinePoint>(repeating: AffinePoint(x: .zero, y: .zero))
    private var count = 0

    mutating func append(_ point: AffinePoint) {
        self.points[self.count] = point
        self.count += 1
    }

    var sum: PointSum {
        var sum = PointSum()
        for place in 0..<self.count { sum += self.points[place] }
        return sum
    }
}
