import Subscriptions

extension NotificationRecord {
    /// - Parameter rescinded: the personal identifier of a withdrawn consent, which stands apart.
    init(_ proto: ProtoEvent.OneOf_Record, rescinded: StoredIdentifier?) throws(WireError) {
        self =
            switch proto {
            case .massExtension(let summary): .massExtension(try MassExtensionSummary(summary))
            case .externalPurchase(let token): .externalPurchase(try ExternalPurchaseToken(token))
            case .consentRescinded(let data): .consentRescinded(try ConsentRescinded(data, rescinded))
            case .test: .test
            }
    }

    /// Without the personal identifiers, which the event writes apart.
    func proto() -> ProtoEvent.OneOf_Record {
        switch self {
        case .massExtension(let summary): .massExtension(summary.proto())
        case .externalPurchase(let token): .externalPurchase(token.proto())
        case .consentRescinded(let data): .consentRescinded(data.proto())
        case .test: .test(ProtoEvent.Test())
        }
    }
}

extension ProtoEvent.OneOf_Record {
    /// - Parameter field: of `Event`.
    init(_ bytes: [UInt8], field: Int) throws(WireError) {
        switch field {
        case 10: self = .massExtension(try ProtoEvent.MassExtension(decoding: bytes))
        case 11: self = .externalPurchase(try ProtoEvent.ExternalPurchase(decoding: bytes))
        case 12: self = .consentRescinded(try ProtoEvent.ConsentRescinded(decoding: bytes))
        case 13: self = .test(try ProtoEvent.Test(decoding: bytes))
        default: throw WireError(.malformed, "field \(field) holds no record")
        }
    }
}

extension NotificationRecord.MassExtensionSummary {
    fileprivate init(_ proto: ProtoEvent.MassExtension) throws(WireError) {
        self.init(requestIdentifier: try proto.requestIdentifier.spelling())
        self.productID = proto.hasProductID ? proto.productID : nil
        self.storefrontCountryCodes = proto.hasStorefrontCountryCodes ? proto.storefrontCountryCodes.texts : nil
        self.succeededCount = proto.hasSucceededCount ? proto.succeededCount : nil
        self.failedCount = proto.hasFailedCount ? proto.failedCount : nil
    }

    fileprivate func proto() -> ProtoEvent.MassExtension {
        var proto = ProtoEvent.MassExtension()
        proto.requestIdentifier = ProtoIdentifier(self.requestIdentifier)
        if let id = self.productID { proto.productID = id }
        if let codes = self.storefrontCountryCodes { proto.storefrontCountryCodes.texts = codes }
        if let count = self.succeededCount { proto.succeededCount = count }
        if let count = self.failedCount { proto.failedCount = count }
        return proto
    }
}

extension NotificationRecord.ExternalPurchaseToken {
    fileprivate init(_ proto: ProtoEvent.ExternalPurchase) throws(WireError) {
        self.init(externalPurchaseID: try proto.externalPurchaseID.spelling())
        self.tokenCreationDate = proto.hasTokenCreationDate ? Moment(rawValue: proto.tokenCreationDate) : nil
        self.tokenType = proto.hasTokenType ? proto.tokenType : nil
        self.tokenExpirationDate = proto.hasTokenExpirationDate ? Moment(rawValue: proto.tokenExpirationDate) : nil
    }

    fileprivate func proto() -> ProtoEvent.ExternalPurchase {
        var proto = ProtoEvent.ExternalPurchase()
        proto.externalPurchaseID = ProtoIdentifier(self.externalPurchaseID)
        if let date = self.tokenCreationDate { proto.tokenCreationDate = date.rawValue }
        if let type = self.tokenType { proto.tokenType = type }
        if let date = self.tokenExpirationDate { proto.tokenExpirationDate = date.rawValue }
        return proto
    }
}

extension NotificationRecord.ConsentRescinded {
    /// Empty identifier once that is erased.
    fileprivate init(_ proto: ProtoEvent.ConsentRescinded, _ rescinded: StoredIdentifier?) throws(WireError) {
        self.init(appTransactionID: try rescinded?.spelling ?? "")
        self.originalPurchaseDate =
            proto.hasOriginalPurchaseDate ? Moment(rawValue: proto.originalPurchaseDate) : nil
        self.originalApplicationVersion =
            proto.hasOriginalApplicationVersion ? proto.originalApplicationVersion : nil
        self.originalPlatform = proto.hasOriginalPlatform ? proto.originalPlatform : nil
    }

    fileprivate func proto() -> ProtoEvent.ConsentRescinded {
        var proto = ProtoEvent.ConsentRescinded()
        if let date = self.originalPurchaseDate { proto.originalPurchaseDate = date.rawValue }
        if let version = self.originalApplicationVersion { proto.originalApplicationVersion = version }
        if let platform = self.originalPlatform { proto.originalPlatform = platform }
        return proto
    }
}
