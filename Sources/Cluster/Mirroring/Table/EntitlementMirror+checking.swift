import CPrefetch
import Entitlements
import EventLog
import Ownership
import Subscriptions
import Synchronization

extension EntitlementMirror {
    /// Answers one question. Reads never wait for whoever writes.
    package func check(_ question: MirrorQuestion, at time: MirrorTime) -> MirrorAnswer {
        self.answer(question, question.hash, time)
    }

    /// The same of an id as text, for whoever asks about one stream after the other: all of it is short enough that a
    /// processor is at the next question before the memory of this one has come.
    package func check(
        utf8 id: UnsafeRawBufferPointer, in scope: MirrorScope, at time: MirrorTime
    ) -> MirrorAnswer {
        if let number = MirrorID.number(id),
            let answer = self.usualAnswer(number, MirrorID.hash(number, scope.kind), scope, time)
        {
            return answer
        }
        return self.check(MirrorQuestion(MirrorID(utf8: id), in: scope), at: time)
    }

    /// Answers questions in their order, faster than one at a time: memory is asked for ahead.
    /// - Parameter answers: are replaced; their memory is used again.
    package func check(_ questions: [MirrorQuestion], at time: MirrorTime, into answers: inout [MirrorAnswer]) {
        answers.removeAll(keepingCapacity: true)
        answers.reserveCapacity(questions.count)
        self.forEachAnswer(questions, time) { _, answer in answers.append(answer) }
    }

    /// The same for whoever takes each answer as it comes.
    /// - Parameter take: is given the question's number.
    package func check(
        _ questions: [MirrorQuestion], at time: MirrorTime, _ take: (Int, MirrorAnswer) -> Void
    ) {
        self.forEachAnswer(questions, time, take)
    }

    @inline(__always)
    private func forEachAnswer(
        _ questions: [MirrorQuestion], _ time: MirrorTime, _ take: (Int, MirrorAnswer) -> Void
    ) {
        questions.withUnsafeBufferPointer { questions in
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.groupSize) { hashes in
                var start = 0
                while start < questions.count {
                    let count = min(Self.groupSize, questions.count - start)
                    for offset in 0..<count {
                        let hash = questions[start + offset].hash
                        hashes.initializeElement(at: offset, to: hash)
                        self.view(hash).index?.prefetch(hash)
                    }
                    for offset in 0..<count { self.prefetchEntry(hashes[offset]) }
                    for offset in 0..<count {
                        take(start + offset, self.answer(questions[start + offset], hashes[offset], time))
                    }
                    start += count
                }
            }
        }
    }

    /// What may be believed of an answer, also while the mirror is being filled: that nothing was found counts when all of
    /// the id's shard had come before it was asked, and not only before somebody looked whether it has.
    /// - Parameter again: asks once more, with a scope of that moment.
    /// - Returns: nil while the shard has not come.
    package func settled(
        _ answer: MirrorAnswer, of id: String, _ again: () -> MirrorAnswer
    ) -> MirrorAnswer? {
        guard answer.outcome == .unknown else { return answer }
        return self.hasAll(of: self.map.shard(of: id)) ? again() : nil
    }

    /// So many cache misses go on at once.
    private static var groupSize: Int { 32 }

    @inline(__always)
    private func prefetchEntry(_ hash: UInt64) {
        let view = self.view(hash)
        view.index?.candidates(hash) { number in
            cprefetch_read(view.entry(number).words)
            return false
        }
    }

    @inline(__always)
    private func answer(_ question: MirrorQuestion, _ hash: UInt64, _ time: MirrorTime) -> MirrorAnswer {
        if case .decimal(let number) = question.id,
            let answer = self.usualAnswer(number, hash, question.scope, time)
        {
            return answer
        }
        return self.unusualAnswer(question, hash, time)
    }

    /// Of a stream that is like most: it has a number for an id, no other app has this id, its phases are few, and nobody
    /// writes it now.
    /// - Returns: nil for all others.
    @inline(__always)
    private func usualAnswer(
        _ id: UInt64, _ hash: UInt64, _ scope: MirrorScope, _ time: MirrorTime
    ) -> MirrorAnswer? {
        guard let entry = self.view(hash).firstEntry(hash), entry.id == id else { return nil }
        let name = entry.name
        let isStale = self.progress.isStale(name.shard, before: time.bound)
        guard scope.hasOnly(name), let value = entry.valueUnlessWritten, value.head.hasWords
        else { return nil }
        return MirrorAnswer(
            isStale: isStale, name, value.head, value.phaseOfWords(at: time), self.names)
    }

    @inline(never)
    private func unusualAnswer(_ question: MirrorQuestion, _ hash: UInt64, _ time: MirrorTime) -> MirrorAnswer {
        self.find(question, hash, time) ?? self.answerOfNothing(question, hash, time)
    }

    /// Freshness is read before the row: a row is then at least as new as the answer says.
    private func answerOfNothing(_ question: MirrorQuestion, _ hash: UInt64, _ time: MirrorTime) -> MirrorAnswer {
        var isStale = false
        if (0..<self.map.shardCount).contains(where: { self.progress.isStale($0, before: time.bound) }) {
            let shard = self.map.shard(of: question.id.digest)
            isStale = self.progress.isStale(Int(shard.rawValue), before: time.bound)
        }
        return self.find(question, hash, time) ?? MirrorAnswer(.unknown, isStale: isStale)
    }

    /// nil when there is no such stream.
    private func find(_ question: MirrorQuestion, _ hash: UInt64, _ time: MirrorTime) -> MirrorAnswer? {
        let view = self.view(hash)
        var answer: MirrorAnswer?
        view.index?.candidates(hash) { number in
            let entry = view.entry(number)
            let name = entry.name
            guard question.scope.holds(name), entry.hasID(question.id, isText: name.isText) else { return true }
            let isStale = self.progress.isStale(name.shard, before: time.bound)
            guard let found = self.answer(view, number, entry, name, isStale, time) else { return true }
            let isFirst = answer == nil
            answer = isFirst ? found : MirrorAnswer(.ambiguous, isStale: isStale)
            return isFirst && !question.scope.isOneApp
        }
        return answer
    }

    /// nil for a stream that turned out not to be.
    private func answer(
        _ view: SegmentView, _ number: Int, _ entry: MirrorEntry, _ name: NameWord, _ isStale: Bool, _ time: MirrorTime
    ) -> MirrorAnswer? {
        view.read(number, entry) { value in
            guard !value.head.isGone else { return nil }
            return MirrorAnswer(isStale: isStale, name, value.head, value.phase(at: time), self.names)
        }
    }
}

extension MirrorEntry {
    @inline(__always)
    func hasID(_ id: MirrorID, isText: Bool) -> Bool {
        switch id {
        case .decimal(let number): !isText && self.id == number
        case .text(let bytes): isText && self.text.bytes.elementsEqual(bytes)
        }
    }
}

extension MirrorID {
    /// Which decides the shard.
    fileprivate var digest: IDDigest {
        switch self {
        case .decimal(let number): IDDigest(id: String(number))
        case .text(let bytes): IDDigest(utf8: bytes[...])
        }
    }
}
