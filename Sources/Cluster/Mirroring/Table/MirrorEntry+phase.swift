import Entitlements
import Synchronization

extension MirrorEntry.Value {
    struct HoldingPhase {
        var standing: Int
        var entitled: Bool
        /// When access ends.
        var end: Int64?
    }

    func phase(at time: MirrorTime) -> HoldingPhase? {
        if self.head.isBlock { return self.phaseOfBlock(PhaseScan(at: time.milliseconds)) }
        return self.head.hasWords ? self.phaseOfWords(at: time) : nil
    }

    /// As `PhaseScan` says it, with few branches: what customers have is a matter of chance.
    /// - Precondition: `head.hasWords`.
    @inline(__always)
    func phaseOfWords(at time: MirrorTime) -> HoldingPhase {
        // Most have one phase behind them at most.
        if self.second >= time.phaseBound { return self.phase(PhaseWord(bits: self.first)) }
        let begun =
            (self.first < time.phaseBound ? 1 : 0) + (self.second < time.phaseBound ? 1 : 0)
            + (self.third < time.phaseBound ? 1 : 0) + (self.fourth < time.phaseBound ? 1 : 0)
        return self.phase(self.word(begun &- 1))
    }

    @inline(__always)
    private func phase(_ word: PhaseWord) -> HoldingPhase {
        let end = word.end <= 1 ? PhaseWord(bits: self.second) : self.word(word.end)
        return HoldingPhase(
            standing: word.standing, entitled: word.entitled, end: word.end == 0 ? nil : end.from)
    }

    @inline(__always)
    private func word(_ index: Int) -> PhaseWord {
        let low = index & 1 == 0 ? self.first : self.second
        let high = index & 1 == 0 ? self.third : self.fourth
        return PhaseWord(bits: index & 2 == 0 ? low : high)
    }

    @inline(never)
    private func phaseOfBlock(_ start: PhaseScan) -> HoldingPhase? {
        guard let block = Words(bitPattern: UInt(self.first)) else { return nil }
        var scan = start
        var phase: HoldingPhase?
        for index in 0..<Int(self.second) {
            let from = Int64(bitPattern: block[2 * index].load(ordering: .acquiring))
            let word = block[2 * index + 1].load(ordering: .acquiring)
            scan.see(from: from, entitled: word & 1 != 0)
            if scan.index == index {
                phase = HoldingPhase(standing: Int(word >> 1), entitled: word & 1 != 0)
            }
        }
        phase?.end = scan.end
        return phase
    }
}
