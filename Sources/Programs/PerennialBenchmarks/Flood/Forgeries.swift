import AppStoreSimulator
import ByteCoding
import NIOCore

/// Notifications that look like Apple's in all but the root that their chain ends in: names, markers and signatures are
/// good. Each has a leaf of its own, so that none is known by another.
struct Forgeries: Sendable {
    let requests: [ByteBuffer]

    init(count: Int) throws {
        let forger = try CertificateAuthority.make(seed: 5)
        let factory = try LifecycleFactory(seed: 5, authority: forger)
        var payloads: [[UInt8]] = []
        var customer = 0
        while payloads.count < count {
            payloads += try factory.notifications(ofCustomer: customer).map { notification in
                let segments = notification.signedPayload.split(separator: UInt8(ascii: "."))
                guard segments.count == 3, let payload = Base64.url.decode(segments[1]) else {
                    throw BenchmarkError("the simulator signed something that is no JWS")
                }
                return payload
            }
            customer += 1
        }
        self.requests = try payloads.prefix(count).map { payload in
            let leaf = try forger.issue(.leaf, by: forger.intermediate)
            let signer = PayloadSigner(
                chain: [leaf.der, forger.intermediate.der, forger.root.der], key: forger.leafKey)
            let body = Array("{\"signedPayload\":\"".utf8) + (try signer.sign(payload)) + Array("\"}".utf8)
            return ByteBuffer.post("/v1/apple/notifications", body: body)
        }
    }
}
