import Entitlements
import Subscriptions

/// What a phase says beside its time and whether it gives access, as one word: very many phases say the same.
struct Standing {
    let bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    /// - Parameter product: its number; nil where none is known.
    init(state: LifecycleState, code: CohortCode, product: Int?) {
        self.bits =
            Self.number(of: state) | UInt64(code.offer) << 4 | UInt64(code.state + 9) << 8
            | UInt64(product.map { $0 + 1 } ?? 0) << 16
    }

    var state: LifecycleState {
        switch self.bits & 15 {
        case 0: .subscribed
        case 1: .grace
        case 2: .retry
        case 3: .expired
        case 4: .revoked
        default: .owned
        }
    }

    var code: CohortCode { CohortCode(state: Int(self.bits >> 8 & 15) - 9, offer: Int(self.bits >> 4 & 15)) }

    var product: Int? { self.bits >> 16 == 0 ? nil : Int(self.bits >> 16) - 1 }

    private static func number(of state: LifecycleState) -> UInt64 {
        switch state {
        case .subscribed: 0
        case .grace: 1
        case .retry: 2
        case .expired: 3
        case .revoked: 4
        case .owned: 5
        }
    }
}
