import Waiting

/// Wakes those who do what the commits of this node have left to do.
struct LeftToDo: Sendable {
    let submissions = AsyncEvent()
    let reviews = AsyncEvent()

    /// A commit is durable that has left something.
    func signal() {
        self.submissions.signal()
        self.reviews.signal()
    }
}
