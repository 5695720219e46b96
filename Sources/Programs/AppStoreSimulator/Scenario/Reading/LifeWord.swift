/// The words that the steps of a life are written with.
enum LifeWord: String, CaseIterable {
    case after
    case buy, cancel, resume, change, keep, redeem, fail, pay, consent, refund, reverseRefund, share, unshare
    case raisePrice, extend, extendEverybody, withdraw, changeMetadata, migrate, changePrice
    case lapse, externalToken, rescindConsent
    case post, register, payOnWeb, leaveWeb

    /// What it says without a value; nil when it needs one.
    var alone: Act? {
        switch self {
        case .cancel: .cancel
        case .resume: .resume
        case .keep: .keep
        case .fail: .fail
        case .pay: .pay
        case .consent: .consent
        case .refund: .refund(Act.Refund())
        case .reverseRefund: .reverseRefund
        case .unshare: .unshare
        case .withdraw: .withdraw
        case .changeMetadata: .changeMetadata
        case .migrate: .migrate
        case .lapse: .lapse
        case .externalToken: .externalToken(isReported: true)
        case .rescindConsent: .rescindConsent
        case .post: .tellBackend(.post())
        case .leaveWeb: .tellBackend(.leaveWeb)
        case .after, .buy, .change, .redeem, .share, .raisePrice, .extend, .extendEverybody, .changePrice,
            .register, .payOnWeb:
            nil
        }
    }

    /// How it is written with a value; nil when it takes none.
    var example: String? {
        switch self {
        case .after: "after: 30d"
        case .buy: "buy: pro.monthly"
        case .change: "change: pro.yearly"
        case .redeem: "redeem: stay.month"
        case .refund: "refund: { period: previous }"
        case .share: "share: 2"
        case .raisePrice: "raisePrice: { to: 11.99, consent: true }"
        case .extend: "extend: 7d"
        case .extendEverybody: "extendEverybody: { by: 7d, fails: false }"
        case .changePrice: "changePrice: 8.99"
        case .externalToken: "externalToken: { reported: false }"
        case .post: "post: { as: anonymous-7 }"
        case .register: "register: anonymous-7"
        case .payOnWeb: "payOnWeb: pro"
        case .cancel, .resume, .keep, .fail, .pay, .consent, .reverseRefund, .unshare, .withdraw, .changeMetadata,
            .migrate, .lapse, .rescindConsent, .leaveWeb:
            nil
        }
    }
}
