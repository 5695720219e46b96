package import AppStoreSimulator
import StrictJSON
import Subscriptions

/// A simulated life in lines: for people a table under the name, for programs an object a line.
package struct LifeStory: Sendable {
    /// What concerns one subscription or purchase, or nothing of the kind.
    package struct Chapter: Sendable {
        let originalTransactionID: String?
        let moments: [LifeMoment]

        package init(originalTransactionID: String?, moments: [LifeMoment]) {
            self.originalTransactionID = originalTransactionID
            self.moments = moments
        }
    }

    private let person: ScriptedLife
    private let chapters: [Chapter]

    package init(person: ScriptedLife, chapters: [Chapter]) {
        self.person = person
        self.chapters = chapters
    }

    /// In the order of time.
    private var lines: [(id: String?, moment: LifeMoment)] {
        self.chapters.flatMap { chapter in chapter.moments.map { (chapter.originalTransactionID, $0) } }
            .sorted { $0.moment.at < $1.moment.at }
    }

    /// Whether every answer is the truth.
    package var agrees: Bool { self.chapters.allSatisfy { $0.moments.allSatisfy(\.agrees) } }

    package var json: [String] {
        self.lines.map { id, moment in
            JSONWriter.text { json in
                json.member("person", self.person.name)
                json.member("originalTransactionId", id)
                json.member("at", moment.at.rfc3339)
                json.member("notificationType", moment.type)
                json.member("subtype", moment.subtype)
                json.member("change", moment.change)
                json.member("status", moment.status.map(Int64.init))
                json.member("productId", moment.answer?.productID)
                json.member("state", moment.answer?.state.rawValue)
                json.member("entitled", moment.answer?.entitled)
                json.member("validUntil", moment.answer?.validUntil?.rfc3339)
                json.member("truth", moment.truth?.rawValue)
                json.member("agrees", moment.agrees)
            }
        }
    }

    package var table: [String] {
        let heading = self.person.name + (self.person.story.isEmpty ? "" : ": \(self.person.story)")
        guard !self.lines.isEmpty else { return [heading, "  Nothing happens in this time."] }
        let namesChapters = Set(self.chapters.map(\.originalTransactionID)).count > 1
        var table = TextTable(
            ["AT", "NOTIFICATION", "STATUS", "PRODUCT", "STATE", "ENTITLED", "VALID UNTIL"]
                + (namesChapters ? ["OF"] : []) + [""])
        for (id, moment) in self.lines {
            table.add(
                [
                    moment.at.rfc3339, moment.words, moment.status.map(String.init) ?? "-",
                    moment.answer?.productID ?? "-", moment.answer?.stateInWords ?? "-",
                    moment.answer.map { $0.entitled ? "yes" : "no" } ?? "-",
                    moment.answer?.validUntil?.rfc3339 ?? "-",
                ] + (namesChapters ? [id ?? "-"] : []) + [moment.difference])
        }
        return [heading] + table.lines.map { "  " + $0 }
    }
}

extension LifeMoment {
    fileprivate var type: String? { if case .told(let type, _, _) = self.cause { type } else { nil } }
    fileprivate var subtype: String? { if case .told(_, let subtype, _) = self.cause { subtype } else { nil } }
    fileprivate var status: Int? { if case .told(_, _, let status) = self.cause { status } else { nil } }
    fileprivate var change: String? { if case .passed(let change) = self.cause { change.rawValue } else { nil } }

    /// `DID_RENEW BILLING_RECOVERY`; in brackets what nobody said.
    fileprivate var words: String {
        self.type.map { ([$0] + [self.subtype].compactMap(\.self)).joined(separator: " ") }
            ?? "(\(self.change ?? ""))"
    }

    fileprivate var difference: String {
        self.agrees ? "" : "but the truth is \(self.truth?.rawValue ?? "that nothing was bought")"
    }
}

extension SubscriptionSnapshot {
    fileprivate var stateInWords: String { self.state.rawValue + (self.awaitingRenewal ? ", awaiting renewal" : "") }
}
