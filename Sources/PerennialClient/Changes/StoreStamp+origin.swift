import Sharding
import WireProtocol

extension StoreStamp {
    init(_ origin: StreamOrigin) {
        self.init(storeID: origin.storeID, restoreGeneration: origin.restoreGeneration)
    }
}
