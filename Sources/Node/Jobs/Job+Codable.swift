import Subscriptions

/// As JSON in its row; members may be added.
extension Job: Codable {
    private enum Key: String, CodingKey {
        case id, kind, state, actor, started, ended, cursor, examined, changed, skipped, rules, catalog, history,
            message, isBaseline
    }

    package init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: Key.self)
        self.init(
            id: try row.decode(String.self, forKey: .id), kind: try row.decode(Kind.self, forKey: .kind),
            actor: try row.decodeIfPresent(String.self, forKey: .actor),
            started: Moment(milliseconds: try row.decode(Int64.self, forKey: .started)),
            mark: RulesMark(
                rules: try row.decode(UInt32.self, forKey: .rules),
                catalog: try row.decode(UInt64.self, forKey: .catalog),
                history: try row.decode(UInt64.self, forKey: .history)))
        self.state = try row.decode(State.self, forKey: .state)
        self.ended = try row.decodeIfPresent(Int64.self, forKey: .ended).map(Moment.init(milliseconds:))
        self.cursor = try row.decode(Cursor.self, forKey: .cursor)
        self.examined = try row.decode(Int.self, forKey: .examined)
        self.changed = try row.decode(Int.self, forKey: .changed)
        self.skipped = try row.decode(Int.self, forKey: .skipped)
        self.message = try row.decodeIfPresent(String.self, forKey: .message)
        self.isBaseline = try row.decodeIfPresent(Bool.self, forKey: .isBaseline) ?? false
    }

    package func encode(to encoder: any Encoder) throws {
        var row = encoder.container(keyedBy: Key.self)
        try row.encode(self.id, forKey: .id)
        try row.encode(self.kind, forKey: .kind)
        try row.encode(self.state, forKey: .state)
        try row.encodeIfPresent(self.actor, forKey: .actor)
        try row.encode(self.started.milliseconds, forKey: .started)
        try row.encodeIfPresent(self.ended?.milliseconds, forKey: .ended)
        try row.encode(self.cursor, forKey: .cursor)
        try row.encode(self.examined, forKey: .examined)
        try row.encode(self.changed, forKey: .changed)
        try row.encode(self.skipped, forKey: .skipped)
        try row.encode(self.mark.rules, forKey: .rules)
        try row.encode(self.mark.catalog, forKey: .catalog)
        try row.encode(self.mark.history, forKey: .history)
        try row.encodeIfPresent(self.message, forKey: .message)
        if self.isBaseline { try row.encode(true, forKey: .isBaseline) }
    }
}
