import Entitlements
import EventSourcing
import JSONScanning
import SubscriptionRuntime
import Subscriptions

extension CheckAnswers {
    func json() -> [UInt8] {
        var json = JSONWriter(reservingCapacity: 256 + 192 * self.posted.count)
        json.object { json in
            json.member("results") { json in
                json.array { json in
                    self.forEach { verdict, error in
                        json.value { bytes in
                            if let verdict { verdict.appendJSON(to: &bytes) } else { bytes.append(jsonOfError: error) }
                        }
                    }
                }
            }
            json.member("asOf", self.response.asOf)
            json.member("stale", self.response.stale)
            json.member("token", self.response.token)
        }
        return json.bytes
    }
}

/// Piece by piece, without a text for any of them: a batch has a thousand of these.
extension CheckVerdict {
    fileprivate func appendJSON(to bytes: inout [UInt8]) {
        bytes.append(self.entitled ? #"{"entitled":true,"state":"# : #"{"entitled":false,"state":"#)
        if let state = self.state { JSONWriter.append(state.rawValue, to: &bytes) } else { bytes.append("null") }
        bytes.append(#","code":""#)
        self.code.append(to: &bytes)
        if let validUntil = self.validUntil {
            bytes.append(#"","validUntil":""#)
            validUntil.appendRFC3339(to: &bytes)
            bytes.append(#"","productId":"#)
        } else {
            bytes.append(#"","validUntil":null,"productId":"#)
        }
        if let product = self.productID { JSONWriter.append(product, to: &bytes) } else { bytes.append("null") }
        bytes.append(#","version":"#)
        JSONWriter.append(self.version.rawValue, to: &bytes)
        if let reason = self.reason {
            bytes.append(#","reason":"#)
            JSONWriter.append(reason.rawValue, to: &bytes)
        }
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

    fileprivate mutating func append(jsonOfError code: String) {
        self.append(#"{"error":{"code":"#)
        JSONWriter.append(code, to: &self)
        self.append("}}")
    }
}
