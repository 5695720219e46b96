import Subscriptions

extension ProtoAttributes {
    /// By name, so that equal attributes give equal bytes.
    /// - Parameter values: nil for one that is removed.
    init(_ values: [String: AttributeValue?]) {
        self.init()
        self.attributes = values.sorted { $0.key < $1.key }.map { name, value in
            var attribute = Attribute()
            attribute.name = name
            attribute.value = value.map(Attribute.OneOf_Value.init)
            return attribute
        }
    }

    var values: [String: AttributeValue?] {
        Dictionary(self.attributes.map { ($0.name, $0.value.map(AttributeValue.init)) }) { _, last in last }
    }
}

extension ProtoAttributes.Attribute.OneOf_Value {
    fileprivate init(_ value: AttributeValue) {
        self =
            switch value {
            case .text(let text): .text(text)
            case .number(let number): .number(number)
            case .boolean(let flag): .boolean(flag)
            }
    }
}

extension AttributeValue {
    fileprivate init(_ proto: ProtoAttributes.Attribute.OneOf_Value) {
        self =
            switch proto {
            case .text(let text): .text(text)
            case .number(let number): .number(number)
            case .boolean(let flag): .boolean(flag)
            }
    }
}
