extension Sequence<String> {
    /// The one that takes the fewest insertions, deletions and replacements to become `word`; nil of nothing.
    package func nearest(to word: String) -> String? {
        self.min { $0.editDistance(to: word) < $1.editDistance(to: word) }
    }
}

extension String {
    /// Whether one or two slips of the fingers make it of `word`.
    package func isMisspelling(of word: String) -> Bool { (1...2).contains(self.editDistance(to: word)) }

    /// Levenshtein's distance, upper and lower case alike.
    fileprivate func editDistance(to other: String) -> Int {
        let other = Array(other.lowercased())
        var distances = Array(0...other.count)
        for (row, character) in self.lowercased().enumerated() {
            var diagonal = distances[0]
            distances[0] = row + 1
            for column in other.indices {
                let replaced = diagonal + (other[column] == character ? 0 : 1)
                diagonal = distances[column + 1]
                distances[column + 1] = Swift.min(replaced, diagonal + 1, distances[column] + 1)
            }
        }
        return distances[other.count]
    }
}
