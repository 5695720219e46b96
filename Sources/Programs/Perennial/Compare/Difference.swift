/// What a node says otherwise than the store.
package struct Difference: Hashable, Sendable {
    package let id: String
    /// RFC 3339.
    package let at: String
    /// As in the API's answers.
    package let field: String
    /// nil: null.
    package let node: String?
    package let store: String?
    /// Which notifications the node cannot know of yet, or why both are right; nil when neither applies.
    package let reason: String?

    package static let unexplained = "unexplained"

    package init(id: String, at: String, field: String, node: String?, store: String?, reason: String?) {
        self.id = id
        self.at = at
        self.field = field
        self.node = node
        self.store = store
        self.reason = reason
    }
}
