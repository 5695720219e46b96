/// Who is waiting for an answer.
package enum RequestUrgency: Sendable {
    /// Somebody, or a decision about access.
    case urgent
    /// Nobody in particular: work that goes over everything in its own time.
    case sweep
}
