import Entitlements
import Subscriptions
import Synchronization

/// Numbers for what very many rows share. They are given to what owners have sent, never to what is asked for, and
/// stay.
final class MirrorNames: Sendable {
    private struct State {
        var standings: GrowingWords
        var standingNumbers: [UInt64: Int] = [:]
        var products: SharedNames<String>
        var environments: SharedNames<AppStoreEnvironment>
        var bundles: SharedNames<BundleID>
        /// By the bytes of environment, 0 and bundle.
        var apps: [[UInt8]: UInt32] = [:]
        var lastApp: (bytes: [UInt8], number: UInt32) = ([], 0)
    }

    private static let maximumEnvironments = 254
    private static let maximumBundles = 1 << 24 - 1
    /// An atomic word, and it stays where it is.
    private nonisolated(unsafe) let standingRoot: Words
    private let products: SharedNames<String>.Reader
    private let environments: SharedNames<AppStoreEnvironment>.Reader
    private let bundles: SharedNames<BundleID>.Reader
    private let memory: MirrorMemory
    private let state: Mutex<State>

    init(memory: MirrorMemory) {
        self.memory = memory
        let root = memory.words(1)
        self.standingRoot = root
        self.products = SharedNames.Reader(memory: memory)
        self.environments = SharedNames.Reader(memory: memory)
        self.bundles = SharedNames.Reader(memory: memory)
        self.state = Mutex(
            State(
                standings: GrowingWords(root: root), products: self.products.writer(),
                environments: self.environments.writer(), bundles: self.bundles.writer()))
    }

    // MARK: Reading, without a lock

    @inline(__always)
    func standing(_ number: Int) -> Standing {
        Standing(bits: GrowingWords.value(at: number, root: self.standingRoot))
    }

    func product(_ number: Int) -> String { self.products[number] }

    func bundle(ofApp app: UInt32) -> BundleID { self.bundles[Int(app & UInt32(Self.maximumBundles))] }

    /// nil while no stream of these is known.
    func app(_ environment: AppStoreEnvironment, _ bundle: BundleID) -> UInt32? {
        guard let first = self.number(of: environment), let second = self.number(of: bundle) else { return nil }
        return Self.app(first, second)
    }

    /// The part of an app's number that its environment makes up; nil while no stream of it is known.
    func environment(_ environment: AppStoreEnvironment) -> UInt32? {
        self.number(of: environment).map { Self.app($0, 0) }
    }

    private func number(of environment: AppStoreEnvironment) -> Int? {
        self.environments.number(of: environment) { self.state.withLock { $0.environments.number(of: environment) } }
    }

    private func number(of bundle: BundleID) -> Int? {
        self.bundles.number(of: bundle) { self.state.withLock { $0.bundles.number(of: bundle) } }
    }

    static let environmentMask = ~UInt32(maximumBundles)

    // MARK: Writing

    /// - Parameter bytes: environment, 0, bundle, as a stream's key ends.
    func number(ofApp bytes: ArraySlice<UInt8>) throws(MirrorError) -> UInt32 {
        let number: UInt32? = self.state.withLock { state in
            if state.lastApp.number != 0, state.lastApp.bytes.elementsEqual(bytes) { return state.lastApp.number }
            let key = Array(bytes)
            guard let number = state.apps[key] ?? self.register(key, in: &state) else { return nil }
            state.lastApp = (key, number)
            return number
        }
        guard let number else { throw MirrorError(.tooManyNames, "there are too many apps for a mirror") }
        return number
    }

    private func register(_ key: [UInt8], in state: inout State) -> UInt32? {
        guard let end = key.firstIndex(of: 0) else { return nil }
        let environment = state.environments.register(
            AppStoreEnvironment(rawValue: String(decoding: key[..<end], as: UTF8.self)), in: self.memory)
        let bundle = state.bundles.register(
            BundleID(rawValue: String(decoding: key[(end + 1)...], as: UTF8.self)), in: self.memory)
        guard environment < Self.maximumEnvironments, bundle <= Self.maximumBundles else { return nil }
        let number = Self.app(environment, bundle)
        state.apps[key] = number
        return number
    }

    /// An environment's part is not 0.
    private static func app(_ environment: Int, _ bundle: Int) -> UInt32 {
        UInt32(environment + 1) << 24 | UInt32(bundle)
    }

    func number(_ row: EntitlementRow) -> MirroredRow {
        self.state.withLock { state in
            MirroredRow(
                version: row.version,
                phases: row.phases.map { phase in
                    let product = phase.productID.map { state.products.register($0, in: self.memory) }
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
