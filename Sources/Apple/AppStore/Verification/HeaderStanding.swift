/// What the header of a payload says of it before anything is verified.
package enum HeaderStanding: Sendable {
    /// Something signed under these very bytes has been verified. Also what does not get as far as being judged by its
    /// chain: what is malformed, and everything as long as no header is known at all.
    case known
    /// Nobody has vouched for its chain yet. Nearly always it is forged.
    case unknown
}
