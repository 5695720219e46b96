extension LifeStory {
    /// Together they make the store say everything that it can say of customers.
    static let all = beginnings + failures + endings + changes + prices + refunds + families + extensions + others
}
