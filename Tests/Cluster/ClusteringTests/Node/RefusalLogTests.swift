import Clustering
import PerennialTestSupport
import Testing

@Suite struct RefusalLogTests {
    @Test func saysOnceForEachPeerAndReason() {
        // given
        let lines = LogLines()
        let log = RefusalLog(lines.logger)
        // when
        for _ in 0..<3 {
            for node in ["a", "b"] {
                log.record(.malformed, node: node)
                log.record(.repeated, node: node)
            }
            log.record(.unlistedKey)
        }
        // then
        #expect(lines.all.count == 5)
        #expect(lines.count(of: "count=1 node.id=b reason=not a frame") == 1)
        #expect(lines.count(of: "node.id=unknown reason=its key is not listed") == 1)
    }

    @Test func keepsNoMoreThanSoManyPeersApart() {
        // given
        let lines = LogLines()
        let log = RefusalLog(lines.logger)
        // when
        for number in 0..<1_000 {
            log.record(.malformed, node: "\(number)")
            log.record(.repeated, node: "\(number)")
        }
        // then: those beyond are one for each reason
        #expect(lines.all.count == 256 + 2)
    }
}
