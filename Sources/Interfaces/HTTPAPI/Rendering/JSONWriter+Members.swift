import StrictJSON
import Subscriptions

extension JSONWriter {
    mutating func member(_ key: String, _ value: Moment?) {
        self.member(key, value?.rfc3339)
    }

    mutating func member(_ key: String, ifPresent value: Moment?) {
        if let value { self.member(key, value.rfc3339) }
    }

    mutating func member(_ key: String, _ values: [String]?) {
        guard let values else { return self.member(key, nil as String?) }
        self.member(key) { json in
            json.array { json in
                for value in values { json.value(value) }
            }
        }
    }
}
