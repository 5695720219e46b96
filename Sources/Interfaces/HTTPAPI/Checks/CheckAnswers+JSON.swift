import Customers
import Entitlements
import EventLog
import ServiceContract
import StrictJSON
import SubscriptionService
import Subscriptions

/// Piece by piece, without a text for any of them: a batch has a thousand of these.
extension CheckAnswers {
    func json() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(192 + 320 * self.posted.count)
        bytes.append(#"{"results":["#)
        var isFirst = true
        self.forEach { item in
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            switch item {
            case .verdict(let verdict): verdict.appendJSON(to: &bytes)
            case .customer(.answer(let answer, let standing)): answer.appendJSON(standing, to: &bytes)
            case .customer(.refused(let code)): bytes.append(jsonOfError: code.rawValue)
            case .error(let code): bytes.append(jsonOfError: code)
            }
        }
        bytes.append(#"],"asOf":""#)
        self.response.asOf.appendRFC3339(to: &bytes)
        bytes.append(self.response.stale ? #"","stale":true,"token":""# : #"","stale":false,"token":""#)
        bytes.append(contentsOf: self.response.token.utf8)
        bytes.append(#""}"#)
        return bytes
    }
}

extension CheckVerdict {
    fileprivate func appendJSON(to bytes: inout [UInt8]) {
        bytes.append(self.entitled ? #"{"entitled":true,"state":"# : #"{"entitled":false,"state":"#)
        bytes.append(state: self.state?.rawValue, self.code, until: self.validUntil, product: self.productID)
        bytes.append(#","version":"#)
        JSONWriter.append(self.version.rawValue, to: &bytes)
        if let reason = self.reason {
            bytes.append(#","reason":"#)
            bytes.append(word: reason.rawValue)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

extension CustomerAnswer {
    fileprivate func appendJSON(_ standing: CustomerResult.Standing, to bytes: inout [UInt8]) {
        bytes.append(self.entitled ? #"{"entitled":true,"entitlement":"# : #"{"entitled":false,"entitlement":"#)
        bytes.append(text: self.entitlement)
        bytes.append(#","state":"#)
        bytes.append(state: self.state?.name, self.code, until: self.validUntil, product: self.productID)
        bytes.append(#","rank":"#)
        if let rank = self.rank { JSONWriter.append(Int64(rank), to: &bytes) } else { bytes.append("null") }
        bytes.append(#","environment":"#)
        bytes.append(text: self.environment?.rawValue)
        bytes.append(#","by":"#)
        self.appendOrigin(to: &bytes)
        bytes.append(self.incomplete ? #","incomplete":true"# : #","incomplete":false"#)
        switch standing {
        case .known: break
        case .unknown: bytes.append(#","reason":"unknownCustomer""#)
        case .moved(let target):
            bytes.append(#","reason":"customerMoved","movedTo":"#)
            bytes.append(text: target.rawValue)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private func appendOrigin(to bytes: inout [UInt8]) {
        switch self.by {
        case nil: return bytes.append("null")
        case .stream(let key):
            bytes.append(#"{"kind":"#)
            bytes.append(word: key.kind.name)
            bytes.append(#","id":"#)
            bytes.append(text: key.id)
        case .grant(let id):
            bytes.append(#"{"kind":"grant","id":"#)
            bytes.append(text: id)
        }
        bytes.append(#","productId":"#)
        bytes.append(text: self.productID)
        bytes.append(#","state":"#)
        bytes.append(word: self.state?.name)
        bytes.append(#","code":""#)
        self.code.append(to: &bytes)
        bytes.append(#"","ownership":"#)
        bytes.append(text: self.ownership)
        bytes.append(UInt8(ascii: "}"))
    }
}

extension CohortCode {
    fileprivate func append(to bytes: inout [UInt8]) {
        if self.state < 0 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(UInt8(ascii: "0") + UInt8(self.state.magnitude))
        bytes.append(UInt8(ascii: "."))
        bytes.append(UInt8(ascii: "0") + UInt8(self.offer))
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ text: StaticString) {
        self.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// The members of these names after `"state":`, up to the product.
    fileprivate mutating func append(
        state: String?, _ code: CohortCode, until validUntil: Moment?, product: String?
    ) {
        self.append(word: state)
        self.append(#","code":""#)
        code.append(to: &self)
        if let validUntil {
            self.append(#"","validUntil":""#)
            validUntil.appendRFC3339(to: &self)
            self.append(#"","productId":"#)
        } else {
            self.append(#"","validUntil":null,"productId":"#)
        }
        self.append(text: product)
    }

    /// One of our own words, in which nothing has to be escaped; `null` for nil.
    fileprivate mutating func append(word: String?) {
        guard let word else { return self.append("null") }
        self.append(UInt8(ascii: "\""))
        self.append(contentsOf: word.utf8)
        self.append(UInt8(ascii: "\""))
    }

    /// Somebody else's; `null` for nil.
    fileprivate mutating func append(text: String?) {
        if let text { JSONWriter.append(text, to: &self) } else { self.append("null") }
    }

    fileprivate mutating func append(jsonOfError code: String) {
        self.append(#"{"error":{"code":"#)
        self.append(word: code)
        self.append("}}")
    }
}
