package import Subscriptions
import Synchronization

/// Numbers, from 0 on, for values that very many rows share, such as product ids. A value is kept once, for as long as
/// the process lives: nothing may be registered that a caller can make up.
package final class Interner<Value: Hashable & Sendable>: Sendable {
    private struct State {
        var numbers: [Value: Int] = [:]
        var values: [Value] = []
    }

    private let state = Mutex(State())

    func number(of value: Value) -> Int {
        self.state.withLock { state in
            if let number = state.numbers[value] { return number }
            let number = state.values.count
            state.numbers[value] = number
            state.values.append(value)
            return number
        }
    }

    /// By number.
    var values: [Value] { self.state.withLock { $0.values } }

    /// What is registered, for one reader: it takes the lock only for values that came after it.
    package struct Reader {
        private let register: Interner
        private var values: [Value]

        init(_ register: Interner) {
            self.register = register
            self.values = register.values
        }

        /// - Precondition: `number` was given for a value.
        subscript(number: Int) -> Value {
            mutating get {
                if number >= self.values.count { self.values = self.register.values }
                return self.values[number]
            }
        }
    }
}

/// What the packed rows of a node write as numbers.
package struct RowNames: Sendable {
    /// Where a stream belongs to.
    package struct App: Hashable, Sendable {
        package var environment: AppStoreEnvironment
        package var bundleID: BundleID

        package init(environment: AppStoreEnvironment, bundleID: BundleID) {
            self.environment = environment
            self.bundleID = bundleID
        }
    }

    package let apps = Interner<App>()
    package let products = Interner<String>()
}
