import ArgumentParser

/// Why a renewal date is extended, as a command line says it.
enum ExtensionReasonArgument: String, ExpressibleByArgument, CaseIterable {
    case customerSatisfaction = "customer-satisfaction"
    case serviceIssue = "service-issue"
    case other, undeclared

    /// As the API says it.
    var member: String {
        switch self {
        case .customerSatisfaction: "customerSatisfaction"
        case .serviceIssue: "serviceIssue"
        case .other: "other"
        case .undeclared: "undeclared"
        }
    }
}
