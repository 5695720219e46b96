package import EventLog

/// How far the log of one shard has been delivered to one endpoint. Events of one stream go out one after the other;
/// those of others do not wait for one that fails, as long as it is one of the last `width`. What it knows survives in
/// a few hundred bytes. Pure.
package struct DeliveryWindow: Hashable, Sendable {
    /// How many events behind the oldest that is not settled are looked at.
    package static let width = 256

    private struct Entry: Hashable {
        var sequence: Int64
        var stream: [UInt8]
        /// Of the commit, milliseconds since 1970.
        var at: Int64
        var isUnderWay = false
    }

    /// Everything up to here is settled: delivered, not wanted, or given up on.
    package private(set) var base: Int64
    /// The last event that it is about; nil where there is no last one.
    package let end: Int64?
    /// Beyond `base`.
    private var settled: Set<Int64> = []
    private var trials: [Int64: Trial] = [:]
    /// Those that wait for an endpoint that was not there.
    private var unheard: Set<Int64> = []
    /// Read and not settled, in order.
    private var entries: [Entry] = []
    private var lastRead: Int64

    package init(after base: LogSequence, upTo end: LogSequence? = nil) {
        self.base = base.rawValue
        self.end = end?.rawValue
        self.lastRead = base.rawValue
    }

    package var isFinished: Bool { self.end.map { self.base >= $0 } ?? false }

    /// Of the commit of the oldest event that waits, in milliseconds since 1970.
    package var oldest: Int64? { self.entries.first?.at }

    // MARK: Reading

    /// What is to be read next.
    package var readAfter: LogSequence { LogSequence(rawValue: self.lastRead) }

    /// How many events may be read now.
    /// - Parameter head: the shard's last event.
    package func room(upTo head: LogSequence) -> Int {
        let last = min(head.rawValue, self.end ?? .max, self.base + Int64(Self.width))
        return Int(max(0, last - self.lastRead))
    }

    /// Takes the event behind the last one.
    package mutating func add(_ event: StoredEvent, isWanted: Bool) {
        let sequence = event.sequence.rawValue
        self.lastRead = sequence
        guard !self.settled.contains(sequence) else { return self.advance() }
        guard isWanted else { return self.settle(sequence) }
        self.entries.append(Entry(sequence: sequence, stream: event.key, at: event.at))
    }

    // MARK: Delivering

    /// The oldest event that can go out: no other of its stream is before it, and its time has come. It is under way from
    /// then on.
    /// - Parameter now: seconds since 1970.
    package mutating func next(at now: Int64) -> LogSequence? {
        var held: Set<[UInt8]> = []
        for (index, entry) in self.entries.enumerated() where held.insert(entry.stream).inserted {
            guard !entry.isUnderWay, self.trials[entry.sequence].map({ $0.next <= now }) ?? true else { continue }
            self.entries[index].isUnderWay = true
            return LogSequence(rawValue: entry.sequence)
        }
        return nil
    }

    /// Puts back what has not been tried after all.
    package mutating func release(_ sequence: LogSequence) {
        guard let index = self.index(of: sequence) else { return }
        self.entries[index].isUnderWay = false
    }

    package mutating func deliver(_ sequence: LogSequence) { self.settle(sequence.rawValue) }

    /// An attempt has failed.
    /// - Returns: what was tried in vain when it is given up on; nil when it is tried again.
    package mutating func fail(
        _ sequence: LogSequence, _ failure: DeliveryFailure, at now: Int64, jitter: Double
    ) -> Trial? {
        guard let index = self.index(of: sequence) else { return nil }
        var trial = self.trials[sequence.rawValue] ?? Trial(refusals: 0, first: now, next: now)
        if failure.isAbsence { trial.absences += 1 } else { trial.refusals += 1 }
        guard let next = RetrySchedule.next(after: trial, failure, at: now, jitter: jitter) else {
            self.settle(sequence.rawValue)
            return trial
        }
        trial.next = next
        self.trials[sequence.rawValue] = trial
        if failure.isAbsence, failure.retryAfter == nil {
            self.unheard.insert(sequence.rawValue)
        } else {
            self.unheard.remove(sequence.rawValue)
        }
        self.entries[index].isUnderWay = false
        return nil
    }

    /// The endpoint is back: what has waited for that need not wait for its time.
    package mutating func hasten(at now: Int64) {
        for sequence in self.unheard { self.trials[sequence]?.next = now }
        self.unheard = []
    }

    /// The endpoint has moved: what was tried elsewhere says nothing.
    package mutating func startAfresh() {
        self.trials = [:]
        self.unheard = []
    }

    private func index(of sequence: LogSequence) -> Int? {
        self.entries.firstIndex { $0.sequence == sequence.rawValue }
    }

    private mutating func settle(_ sequence: Int64) {
        self.entries.removeAll { $0.sequence == sequence }
        self.trials[sequence] = nil
        self.unheard.remove(sequence)
        self.settled.insert(sequence)
        self.advance()
    }

    /// Not beyond what was read: what an earlier run settled is passed over when it is read again.
    private mutating func advance() {
        while self.base < self.lastRead, self.settled.remove(self.base + 1) != nil { self.base += 1 }
    }
}

/// Format 1: its number; `base` and `end` (-1 for none) in eight bytes; a bit for each of the `width` events behind
/// `base`, set when it is settled; for each event that failed its distance from `base` less one, the refusals, and
/// the seconds of the first attempt and the next in four bytes. Numbers are big-endian.
extension DeliveryWindow {
    private static let format: UInt8 = 1
    private static let bitmapBytes = width / 8

    package var bytes: [UInt8] {
        var bytes = [Self.format]
        func append<Number: FixedWidthInteger>(_ number: Number) {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }
        append(self.base)
        append(self.end ?? -1)
        var bitmap = [UInt8](repeating: 0, count: Self.bitmapBytes)
        for sequence in self.settled {
            let bit = Int(sequence - self.base - 1)
            bitmap[bit / 8] |= 1 << (bit % 8)
        }
        bytes += bitmap
        for (sequence, trial) in self.trials.sorted(by: { $0.key < $1.key }) {
            bytes.append(UInt8(sequence - self.base - 1))
            bytes.append(UInt8(clamping: trial.refusals))
            append(UInt32(clamping: trial.first))
            append(UInt32(clamping: trial.next))
        }
        return bytes
    }

    /// nil for bytes that are none.
    package init?(_ bytes: [UInt8]) {
        let head = 17 + Self.bitmapBytes
        guard bytes.first == Self.format, bytes.count >= head, (bytes.count - head) % 10 == 0 else { return nil }
        func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        let (base, end) = (Int64(bitPattern: number(1..<9)), Int64(bitPattern: number(9..<17)))
        guard base >= 0 else { return nil }
        self.init(
            after: LogSequence(rawValue: base),
            upTo: end < 0 ? nil : LogSequence(rawValue: end))
        for bit in 0..<Self.width where bytes[17 + bit / 8] & 1 << (bit % 8) != 0 {
            self.settled.insert(base + Int64(bit) + 1)
        }
        for start in stride(from: head, to: bytes.count, by: 10) {
            self.trials[base + Int64(bytes[start]) + 1] = Trial(
                refusals: Int(bytes[start + 1]), first: Int64(number(start + 2..<start + 6)),
                next: Int64(number(start + 6..<start + 10)))
        }
    }
}
