package import Subscriptions

/// A stream to ask a mirror about. Made once, it may be asked again and again.
package struct MirrorQuestion: Sendable {
    let id: MirrorID
    let hash: UInt64
    let scope: MirrorScope

    package init(_ id: MirrorID, in scope: MirrorScope) {
        self.id = id
        self.hash = id.hash(scope.kind)
        self.scope = scope
    }
}

/// Which streams are looked for: those of a kind, in an environment, of one of its apps or of all. It knows what the mirror
/// knew when it was made: where nothing was, it finds nothing, so it is made anew for each batch.
package struct MirrorScope: Sendable {
    /// The bits of `NameWord` that a stream has to have in common with `name`, to be one of them and, among all of these,
    /// the only one of its id.
    private let mask: UInt64
    private let name: UInt64

    /// - Parameters:
    ///   - mask: of an app's number.
    ///   - number: those bits of it.
    init(_ kind: StreamKind, mask: UInt32, number: UInt32) {
        self.mask =
            UInt64(mask) << 32 | NameWord.kindMask | NameWord.text | (mask == .max ? 0 : NameWord.shared)
        self.name = UInt64(number) << 32 | UInt64(kind.rawValue)
    }

    /// The raw value.
    @inline(__always)
    var kind: UInt8 { UInt8(truncatingIfNeeded: self.name) }

    /// Only one stream of an id can be in it.
    var isOneApp: Bool { self.mask & NameWord.shared == 0 }

    /// Whether a stream with a number for an id is in it, and is the only one of its id there.
    @inline(__always)
    func hasOnly(_ name: NameWord) -> Bool { (name.bits ^ self.name) & self.mask == 0 }

    func holds(_ name: NameWord) -> Bool {
        (name.bits ^ self.name) & self.mask & ~(NameWord.text | NameWord.shared) == 0
    }
}

extension EntitlementMirror {
    /// - Parameter bundleID: nil while an id is clear without it.
    package func scope(
        _ environment: AppStoreEnvironment, _ bundleID: BundleID? = nil, kind: StreamKind = .subscription
    ) -> MirrorScope {
        guard let bundleID else {
            return MirrorScope(
                kind, mask: MirrorNames.environmentMask, number: self.names.environment(environment) ?? 0)
        }
        // No app has the number 0.
        return MirrorScope(kind, mask: .max, number: self.names.app(environment, bundleID) ?? 0)
    }
}
