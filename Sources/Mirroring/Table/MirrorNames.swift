import Entitlements
import Subscriptions
import Synchronization

/// Numbers for what very many rows share. They are given to what owners have sent, never to what is asked for, and
/// stay.
final class MirrorNames: Sendable {
    private struct State {
        var standings: GrowingWords
        var standingNumbers: [UInt64: Int] = [:]
        var products = NumberedNames<String>()
        /// From 1 on: 0 is no environment.
        var environments = NumberedNames<AppStoreEnvironment>()
        var bundles = NumberedNames<BundleID>()
        /// By the bytes of environment, 0 and bundle.
        var apps: [[UInt8]: UInt32] = [:]
        var lastApp: (bytes: [UInt8], number: UInt32) = ([], 0)
    }

    private static let maximumEnvironments = 254
    private static let maximumBundles = 1 << 24 - 1
    /// An atomic word, and it stays where it is.
    private nonisolated(unsafe) let standingRoot: Words
    private let memory: MirrorMemory
    private let state: Mutex<State>

    init(memory: MirrorMemory) {
        self.memory = memory
        let root = memory.words(1)
        self.standingRoot = root
        self.state = Mutex(State(standings: GrowingWords(root: root)))
    }

    // MARK: Reading

    /// Without a lock.
    @inline(__always)
    func standing(_ number: Int) -> Standing {
        Standing(bits: GrowingWords.value(at: number, root: self.standingRoot))
    }

    func product(_ number: Int) -> String { self.state.withLock { $0.products.names[number] } }

    func bundle(ofApp app: UInt32) -> BundleID {
        self.state.withLock { $0.bundles.names[Int(app & UInt32(Self.maximumBundles))] }
    }

    /// nil while no stream of these is known.
    func app(_ environment: AppStoreEnvironment, _ bundle: BundleID) -> UInt32? {
        self.state.withLock { state in
            guard let first = state.environments.numbers[environment], let second = state.bundles.numbers[bundle]
            else { return nil }
            return Self.app(first, second)
        }
    }

    /// The part of an app's number that its environment makes up; nil while no stream of it is known.
    func environment(_ environment: AppStoreEnvironment) -> UInt32? {
        self.state.withLock { $0.environments.numbers[environment].map { Self.app($0, 0) } }
    }

    static let environmentMask = ~UInt32(maximumBundles)

    // MARK: Writing

    /// - Parameter bytes: environment, 0, bundle, as a stream's key ends.
    func number(ofApp bytes: ArraySlice<UInt8>) throws(MirrorError) -> UInt32 {
        let number: UInt32? = self.state.withLock { state in
            if state.lastApp.number != 0, state.lastApp.bytes.elementsEqual(bytes) { return state.lastApp.number }
            let key = Array(bytes)
            guard let number = state.apps[key] ?? Self.register(key, in: &state) else { return nil }
            state.lastApp = (key, number)
            return number
        }
        guard let number else { throw MirrorError(.tooManyNames, "there are too many apps for a mirror") }
        return number
    }

    private static func register(_ key: [UInt8], in state: inout State) -> UInt32? {
        guard let end = key.firstIndex(of: 0) else { return nil }
        let environment = state.environments.number(
            of: AppStoreEnvironment(rawValue: String(decoding: key[..<end], as: UTF8.self)))
        let bundle = state.bundles.number(
            of: BundleID(rawValue: String(decoding: key[(end + 1)...], as: UTF8.self)))
        guard environment < Self.maximumEnvironments, bundle <= Self.maximumBundles else { return nil }
        let number = Self.app(environment, bundle)
        state.apps[key] = number
        return number
    }

    private static func app(_ environment: Int, _ bundle: Int) -> UInt32 {
        UInt32(environment + 1) << 24 | UInt32(bundle)
    }

    func number(_ row: EntitlementRow) -> MirroredRow {
        self.state.withLock { state in
            MirroredRow(
                version: row.version,
                phases: row.phases.map { phase in
                    let product = phase.productID.map { state.products.number(of: $0) }
                    let standing = Standing(state: phase.state, code: phase.code, product: product)
                    return MirroredRow.Phase(
                        from: phase.from.milliseconds, entitled: phase.entitled,
                        standing: self.number(of: standing, in: &state))
                })
        }
    }

    private func number(of standing: Standing, in state: inout State) -> Int {
        if let number = state.standingNumbers[standing.bits] { return number }
        let number = state.standings.count
        state.standings.append(standing.bits, in: self.memory)
        state.standingNumbers[standing.bits] = number
        return number
    }
}

/// Values by number and numbers by value, from 0 on.
struct NumberedNames<Name: Hashable & Sendable> {
    private(set) var numbers: [Name: Int] = [:]
    private(set) var names: [Name] = []

    mutating func number(of name: Name) -> Int {
        if let number = self.numbers[name] { return number }
        self.numbers[name] = self.names.count
        self.names.append(name)
        return self.names.count - 1
    }
}
