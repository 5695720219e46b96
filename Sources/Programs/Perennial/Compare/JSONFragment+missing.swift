extension JSONFragment {
    /// The members that are single values.
    var plainMembers: [String: String] { self.members.reduce(into: [:]) { $0[$1.name] = $1.value.plain } }

    /// Of something under `missing` in a truth: what a node cannot know of, and why.
    var sentenceOfMissing: String {
        let members = self.plainMembers
        if let number = members["backendRequest"] {
            return "request \(number) of the publisher's backend, due \(members["due"] ?? ""), has not been made"
        }
        let type = [members["notificationType"], members["subtype"]].compactMap(\.self).joined(separator: "/")
        let name = "\(type) \(members["notificationUUID"] ?? "") signed \(members["signedDate"] ?? "")"
        return members["state"] == "givenUp"
            ? "\(name) was given up on" : "\(name) is still waiting, next attempt \(members["nextAttempt"] ?? "")"
    }
}
