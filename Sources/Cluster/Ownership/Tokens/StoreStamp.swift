package import EventLog

/// Which store a token speaks of, and as it was after which restore.
package struct StoreStamp: Hashable, Sendable {
    let storeID: UInt64
    let restoreGeneration: Int64

    package init(_ identity: StoreIdentity) {
        self.storeID = identity.storeID
        self.restoreGeneration = identity.restoreGeneration
    }

    package init(storeID: UInt64, restoreGeneration: Int64) {
        self.storeID = storeID
        self.restoreGeneration = restoreGeneration
    }
}
