package import Subscriptions

/// A value that changes over time, as the list of its changes.
package struct Timeline<Value: Hashable & Sendable>: Hashable, Sendable {
    private var steps: [Step] = []

    private struct Step: Hashable {
        let from: Moment
        let value: Value
    }

    package init() {}

    /// From a moment on it is this value; whatever was foreseen from there on no longer holds.
    package mutating func set(_ value: Value, from moment: Moment) {
        while let last = self.steps.last, last.from >= moment { self.steps.removeLast() }
        if self.steps.last?.value != value { self.steps.append(Step(from: moment, value: value)) }
    }

    package var isEmpty: Bool { self.steps.isEmpty }

    /// nil before the first value.
    package subscript(moment: Moment) -> Value? { self.steps.last { $0.from <= moment }?.value }

    package var changes: [(from: Moment, value: Value)] { self.steps.map { ($0.from, $0.value) } }
}
