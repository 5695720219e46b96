import Entitlements

extension JSONFragment {
    /// A subscription or purchase as two columns, with prices and codes as people read them.
    package var subscriptionTable: TextTable {
        var table = TextTable()
        for (name, value) in self.members {
            let text = value.plain ?? value.serialized
            switch name {
            case "renewalPrice": table.add([name, Int64(text).map(Self.price) ?? text])
            case "code": table.add([name, text + (CohortCode(text).map { " (\($0.words))" } ?? "")])
            default: table.add([name, text])
            }
        }
        return table
    }

    /// - Parameter milliunits: thousandths of the currency, as Apple gives them; shown with two digits, or three where they
    ///   say something.
    private static func price(_ milliunits: Int64) -> String {
        let (whole, rest) = milliunits.magnitude.quotientAndRemainder(dividingBy: 1_000)
        let digits = String(String(1_000 + rest).dropFirst())
        return (milliunits < 0 ? "-" : "") + "\(whole)." + (digits.hasSuffix("0") ? String(digits.dropLast()) : digits)
    }
}
