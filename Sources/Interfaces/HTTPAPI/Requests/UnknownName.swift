import ByteCoding
import Subscriptions

/// What a caller has written where one of a few names has to be, a member of a body or a parameter of a query: it may be
/// a condition that the caller relies on, so it is refused, and said which.
struct UnknownName {
    private let text: String
    private let known: [String]

    /// - Parameter known: those that could be there.
    init(_ text: String, among known: [String]) {
        self.text = text
        self.known = known
    }

    /// A sentence for people. It holds the name where that is short and plain enough to be a misspelling of one.
    /// - Parameter kind: what it is the name of, e.g. `member`.
    func sentence(of kind: String) -> String {
        guard !self.known.isEmpty else { return "an unknown \(kind)\(self.quoted): there are none here" }
        let nearest = self.quoted.isEmpty ? nil : self.known.nearest(to: self.text)
        let remedy = nearest.map { "; the nearest known one is \($0)" } ?? ""
        return "an unknown \(kind)\(self.quoted)\(remedy); known are \(self.known.joined(separator: ", "))"
    }

    private static let longest = 64

    private var quoted: String {
        self.text.isIdentifier && self.text.utf8.count <= Self.longest ? " \"\(self.text)\"" : ""
    }
}
