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
        var scan = PhaseScan(at: moment)
        if self.head.isBlock { return self.phaseOfBlock(scan) }
        let count = self.head.inlineCount
        let words = (
            PhaseWord(bits: self.first), PhaseWord(bits: self.second), PhaseWord(bits: self.third),
            PhaseWord(bits: self.fourth)
        )
        if count > 0 { scan.see(from: words.0.from, entitled: words.0.entitled) }
        if count > 1 { scan.see(from: words.1.from, entitled: words.1.entitled) }
        if count > 2 { scan.see(from: words.2.from, entitled: words.2.entitled) }
        if count > 3 { scan.see(from: words.3.from, entitled: words.3.entitled) }
        guard let index = scan.index else { return nil }
        let word = index == 0 ? words.0 : index == 1 ? words.1 : index == 2 ? words.2 : words.3
        return HoldingPhase(standing: word.standing, entitled: word.entitled, end: scan.end)
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
