import Entitlements
import Synchronization

extension MirrorEntry.Value {
    struct HoldingPhase {
        var standing: Int
        var entitled: Bool
        /// When access ends.
        var end: Int64?
    }

    /// - Parameter moment: milliseconds since 1970.
    @inline(__always)
    func phase(at moment: Int64) -> HoldingPhase? {
        if self.head.isBlock { return self.phaseOfBlock(PhaseScan(at: moment)) }
        let present = UInt(1) &<< UInt(self.head.inlineCount) &- 1
        guard present != 0 else { return nil }
        // As `PhaseScan` says it, with a bit for each phase and no branch: what customers have is a matter of chance.
        let begun = self.bits { $0.from <= moment } & present
        let access = self.bits(\.entitled) & present
        let index = UInt.bitWidth - 1 - (begun | 1).leadingZeroBitCount
        let later = ~access & present & (~1 &<< UInt(index))
        let word = self.word(index)
        let hasEnd = word.entitled && later != 0
        return HoldingPhase(
            standing: word.standing, entitled: word.entitled,
            end: hasEnd ? self.word(later.trailingZeroBitCount).from : nil)
    }

    @inline(__always)
    private func word(_ index: Int) -> PhaseWord {
        let (low, high) = (index & 1 == 0 ? self.first : self.second, index & 1 == 0 ? self.third : self.fourth)
        return PhaseWord(bits: index & 2 == 0 ? low : high)
    }

    @inline(__always)
    private func bits(_ isSet: (PhaseWord) -> Bool) -> UInt {
        (isSet(self.word(0)) ? 1 : 0) | (isSet(self.word(1)) ? 2 : 0) | (isSet(self.word(2)) ? 4 : 0)
            | (isSet(self.word(3)) ? 8 : 0)
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
