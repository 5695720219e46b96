/// Whether a customer has access, and whether whoever was told everything so far can know it.
package struct CustomerStanding: Hashable, Sendable {
    /// Where the simulated app sells.
    package let isEntitled: Bool
    /// Nothing that decides it is on its way, or was given up on.
    package let isTold: Bool
}
