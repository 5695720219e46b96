import Subscriptions
import WireProtocol

extension NotificationRecord {
    init(_ proto: ProtoEvent.OneOf_Record, personal: ProtoPersonalIdentifiers) throws(Refusal) {
        self =
            switch proto {
            case .massExtension(let summary): .massExtension(try MassExtensionSummary(summary))
            case .externalPurchase(let token): .externalPurchase(try ExternalPurchaseToken(token))
            case .consentRescinded(let data): .consentRescinded(try ConsentRescinded(data, personal: personal))
            case .test: .test
            }
    }
}

extension NotificationRecord.MassExtensionSummary {
    fileprivate init(_ proto: ProtoEvent.MassExtension) throws(Refusal) {
        self.init(requestIdentifier: try proto.requestIdentifier.spelling())
        self.productID = proto.hasProductID ? proto.productID : nil
        self.storefrontCountryCodes = proto.hasStorefrontCountryCodes ? proto.storefrontCountryCodes.texts : nil
        self.succeededCount = proto.hasSucceededCount ? proto.succeededCount : nil
        self.failedCount = proto.hasFailedCount ? proto.failedCount : nil
    }
}

extension NotificationRecord.ExternalPurchaseToken {
    fileprivate init(_ proto: ProtoEvent.ExternalPurchase) throws(Refusal) {
        self.init(externalPurchaseID: try proto.externalPurchaseID.spelling())
        self.tokenCreationDate = proto.hasTokenCreationDate ? Moment(rawValue: proto.tokenCreationDate) : nil
        self.tokenType = proto.hasTokenType ? proto.tokenType : nil
        self.tokenExpirationDate = proto.hasTokenExpirationDate ? Moment(rawValue: proto.tokenExpirationDate) : nil
    }
}

extension NotificationRecord.ConsentRescinded {
    /// Empty identifier once that is erased.
    fileprivate init(
        _ proto: ProtoEvent.ConsentRescinded, personal: ProtoPersonalIdentifiers
    ) throws(Refusal) {
        self.init(
            appTransactionID: personal.hasRescindedAppTransactionID
                ? try personal.rescindedAppTransactionID.spelling() : "")
        self.originalPurchaseDate =
            proto.hasOriginalPurchaseDate ? Moment(rawValue: proto.originalPurchaseDate) : nil
        self.originalApplicationVersion =
            proto.hasOriginalApplicationVersion ? proto.originalApplicationVersion : nil
        self.originalPlatform = proto.hasOriginalPlatform ? proto.originalPlatform : nil
    }
}
