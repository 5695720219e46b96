package import Subscriptions

/// A stream to ask a mirror about. Made once, it may be asked again and again.
package struct MirrorQuestion: Sendable {
    let id: MirrorID
    /// The raw value.
    let kind: UInt8
    let hash: UInt64
    let scope: MirrorScope

    package init(_ id: MirrorID, kind: StreamKind = .subscription, in scope: MirrorScope) {
        self.id = id
        self.kind = kind.rawValue
        self.hash = id.hash(kind)
        self.scope = scope
    }
}

/// Where streams are looked for: an environment, and one of its apps or all. It knows what the mirror knew when it was
/// made: where nothing was, it finds nothing, so it is made anew for each batch.
package struct MirrorScope: Sendable {
    /// Of an app's number.
    let mask: UInt32
    let number: UInt32

    /// Whether a stream is in it, and is the only one of its kind and id there.
    @inline(__always)
    func hasOnly(_ name: NameWord, ofKind kind: UInt8) -> Bool {
        let mask = UInt64(self.mask) << 32 | NameWord.kindMask | NameWord.text | (self.isOneApp ? 0 : NameWord.shared)
        return (name.bits ^ (UInt64(self.number) << 32 | UInt64(kind))) & mask == 0
    }

    /// Only one stream of an id can be in it.
    var isOneApp: Bool { self.mask == .max }

    @inline(__always)
    func holds(_ app: UInt32) -> Bool { (app ^ self.number) & self.mask == 0 }
}

extension EntitlementMirror {
    /// - Parameter bundleID: nil while an id is clear without it.
    package func scope(_ environment: AppStoreEnvironment, _ bundleID: BundleID? = nil) -> MirrorScope {
        guard let bundleID else {
            return MirrorScope(
                mask: MirrorNames.environmentMask, number: self.names.environment(environment) ?? 0)
        }
        // No app has the number 0.
        return MirrorScope(mask: .max, number: self.names.app(environment, bundleID) ?? 0)
    }
}
