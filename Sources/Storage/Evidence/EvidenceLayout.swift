/// What a zstd frame holds: the length of the structure, the structure, and all text in the order of its use.
///
///     structure = count, { part name, node }
///     node      = 0, length                                        -- text as it came
///               | 1 + header, nested count, { offset, node }, rest -- a JWS: its payload's text, cut where others nest
///
/// Numbers are LEB128. A signature is taken from behind the frame when the reader is through with its node.
enum EvidenceLayout {
    /// Of a row, nested or not. Real ones have three: a notification and what is nested in it.
    static let maximumParts = 64

    /// The values in Apple's payloads that are compact JWS themselves.
    static let nestingKeys = ["signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo"].map {
        Array("\"\($0)\":\"".utf8)
    }
}
