/// What goes wrong with the store's API on purpose. Each is a probability from 0 to 1, drawn for every request.
package struct APIDisturbances: Hashable, Sendable {
    /// Of 500 with 5000001.
    package var serverError = 0.0
    /// Of 404 with 4040002, which may be repeated.
    package var accountNotFound = 0.0
    /// That a list of the answer is empty and ends there.
    package var emptyList = 0.0
    /// That the connection is closed within the answer's body.
    package var cutBody = 0.0
    /// That what is signed is signed by another key than the certificate's.
    package var forgedSignature = 0.0
    /// That an answer comes late, by `lateness`.
    package var delay = 0.0
    package var lateness = Duration.seconds(1)

    package init() {}
}
