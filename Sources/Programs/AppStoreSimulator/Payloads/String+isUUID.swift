extension String {
    /// In the form of 8-4-4-4-12 digits.
    var isUUID: Bool {
        let parts = self.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && parts.allSatisfy { part in part.allSatisfy { $0.isASCII && $0.isHexDigit } }
    }
}
