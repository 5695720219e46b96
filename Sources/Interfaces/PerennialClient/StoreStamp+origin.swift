import Ownership
import WireProtocol

extension StoreStamp {
    init(_ origin: StreamOrigin) {
        self.init(storeID: origin.storeID, restoreGeneration: origin.restoreGeneration)
    }
}
