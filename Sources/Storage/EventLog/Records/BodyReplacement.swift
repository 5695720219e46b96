/// Another body for an event that still has this one.
package struct BodyReplacement: Hashable, Sendable {
    package var sequence: LogSequence
    package var old: [UInt8]
    package var new: [UInt8]

    package init(of sequence: LogSequence, _ old: [UInt8], by new: [UInt8]) {
        self.sequence = sequence
        self.old = old
        self.new = new
    }
}
