/// The connection that a call came on, by the name that the ROUTER socket gave it: its reply goes back there or nowhere.
struct ReplyRoute: Hashable, Sendable {
    let identity: [UInt8]
    /// The run that called.
    let caller: Int64

    /// Few runs have more than one connection.
    func hash(into hasher: inout Hasher) { hasher.combine(self.caller) }
}
