/// The text that Prometheus reads (exposition format 0.0.4).
package struct PrometheusPage {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var text = ""

    /// Everything that `registry` knows, in one order, so that two pages can be compared.
    package init(_ registry: PrometheusRegistry) {
        let families = Dictionary(grouping: registry.allSeries()) { $0.key.name }
        for (label, series) in families.sorted(by: { $0.key < $1.key }) {
            // A name under two types would make the page unreadable; the first wins, as in the client libraries.
            let type = series.map(\.key.type.rawValue).min() ?? ""
            let name = Self.metricName(label)
            self.text += "# HELP \(name) \(Self.escapedHelp(MetricCatalog.help[label] ?? label))\n"
            self.text += "# TYPE \(name) \(type)\n"
            for (key, series) in series.filter({ $0.key.type.rawValue == type }).sorted(by: { $0.key < $1.key }) {
                series.write(to: &self, name: name, labels: key.labels)
            }
        }
    }

    mutating func sample(_ name: String, _ labels: [SeriesKey.Label], _ value: String) {
        self.text += name
        if !labels.isEmpty {
            self.text += "{"
            self.text += labels.map { #"\#(Self.labelName($0.name))="\#(Self.escaped($0.value))""# }.joined(
                separator: ",")
            self.text += "}"
        }
        self.text += " \(value)\n"
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        if value == value.rounded(), value.magnitude < 1e15 { return String(Int64(value)) }
        return String(value)
    }

    private static func metricName(_ label: String) -> String { self.name(label, allowingColon: true) }

    private static func labelName(_ label: String) -> String { self.name(label, allowingColon: false) }

    /// `[a-zA-Z_:][a-zA-Z0-9_:]*`; everything else becomes an underscore.
    private static func name(_ text: String, allowingColon: Bool) -> String {
        var name = String(
            text.map { character in
                let isPlain = character.isASCII && (character.isLetter || character.isNumber || character == "_")
                return isPlain || (allowingColon && character == ":") ? character : "_"
            })
        if name.first?.isNumber ?? true { name = "_" + name }
        return name
    }

    private static func escaped(_ value: String) -> String {
        self.escapedHelp(value).replacing("\"", with: "\\\"")
    }

    private static func escapedHelp(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }
}

extension SeriesKey: Comparable {
    static func < (left: SeriesKey, right: SeriesKey) -> Bool {
        left.labels.lexicographicallyPrecedes(right.labels) { ($0.name, $0.value) < ($1.name, $1.value) }
    }
}
