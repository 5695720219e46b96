import Queries
import ServiceContract
import Testing

/// Which source is asked about which question, in which order.
@Suite struct CheckPlanTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var consistency: Consistency
        var namesPlaces = false
        /// Of three questions.
        var isOurs: [Bool]
        var hasMirror = false
        var hasOthers = false
        var plan: [String]
    }

    @Test(arguments: [
        Row(
            testDescription: "a node alone answers from what it owns", consistency: .local,
            isOurs: [true, true, true], plan: ["owners 0 1 2"]),
        Row(
            testDescription: "a node alone answers a token as well", consistency: .local, namesPlaces: true,
            isOurs: [true, true, true], plan: ["owners 0 1 2"]),
        Row(
            testDescription: "without a mirror owners are asked, and the store where they are away",
            consistency: .local, isOurs: [true, false, true], hasOthers: true,
            plan: ["owners 0 1 2", "store 0 1 2"]),
        Row(
            testDescription: "with a mirror nobody is asked as long as it has the answer", consistency: .local,
            isOurs: [true, false, true], hasMirror: true, hasOthers: true,
            plan: ["memory 0 2", "mirror 0 1 2", "owners 0 1 2", "store 0 1 2"]),
        Row(
            testDescription: "a mirror is waited for where a token names a place of others", consistency: .local,
            namesPlaces: true, isOurs: [true, false, true], hasMirror: true, hasOthers: true,
            plan: ["mirrorAtToken 1", "memory 0 2", "mirror 0 1 2", "owners 0 1 2", "store 0 1 2"]),
        Row(
            testDescription: "a mirror is not waited for where all shards are this node's", consistency: .local,
            namesPlaces: true, isOurs: [true, true, true], hasMirror: true, hasOthers: true,
            plan: ["memory 0 1 2", "mirror 0 1 2", "owners 0 1 2", "store 0 1 2"]),
        Row(
            testDescription: "a node that owns nothing reads no table", consistency: .local,
            isOurs: [false, false, false], hasMirror: true, hasOthers: true,
            plan: ["mirror 0 1 2", "owners 0 1 2", "store 0 1 2"]),
        Row(
            testDescription: "owners alone know the latest committed state", consistency: .owner,
            namesPlaces: true, isOurs: [true, false, true], hasMirror: true, hasOthers: true,
            plan: ["owners 0 1 2"]),
        Row(
            testDescription: "durable asks owners as well", consistency: .durable, isOurs: [true, false, true],
            hasMirror: true, hasOthers: true, plan: ["owners 0 1 2"]),
    ])
    func `a plan asks the cheapest source that may answer first`(_ row: Row) {
        let plan = CheckPlan(
            row.consistency, namesPlaces: row.namesPlaces,
            CheckPlan.Ownership(isOurs: row.isOurs, hasMirror: row.hasMirror, hasOthers: row.hasOthers))
        let steps = plan.steps.map { step in
            ([String(describing: step.source)] + step.numbers.map(String.init)).joined(separator: " ")
        }
        #expect(steps == row.plan)
    }
}
