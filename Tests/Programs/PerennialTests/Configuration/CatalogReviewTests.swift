import Entitlements
import Perennial
import Testing

@Suite struct CatalogReviewTests {
    private static let catalog = Catalog([
        Catalog.Entry(entitlement: "pro", products: ["pro.monthly", "pro.yearly"]),
        Catalog.Entry(entitlement: "news", products: ["pro.yearly", "news.weekly"]),
    ])

    private static func review(_ catalog: Catalog = Self.catalog, durations: Set<String> = []) -> CatalogReview {
        var review = CatalogReview(catalog, durations: durations)
        for _ in 0..<3 { review.see("pro.monthly", isSubscription: true, isEntitled: true) }
        review.see("pro.monthly", isSubscription: true, isEntitled: false)
        review.see("pro.yearly", isSubscription: true, isEntitled: false)
        return review
    }

    @Test func `each product is shown with what it grants and how many have it`() {
        let products = Self.review().products
        #expect(products.map(\.id) == ["news.weekly", "pro.monthly", "pro.yearly"])
        #expect(products.map(\.entitlements) == [["news"], ["pro"], ["news", "pro"]])
        #expect(products.map(\.streams) == [0, 4, 1])
        #expect(products.map(\.entitled) == [0, 3, 0])
        #expect(Self.review().mistakes.isEmpty)
    }

    @Test func `who has access would have no name any more is a mistake, who has none is not`() {
        var review = Self.review()
        review.see("old.monthly", isSubscription: true, isEntitled: false)
        #expect(review.mistakes.isEmpty)
        review.see("old.monthly", isSubscription: true, isEntitled: true)
        #expect(review.mistakes == ["old.monthly: 1 of 2 give access, and no entitlement of the catalog has it"])
        #expect(Self.review(Catalog()).mistakes.count == 1)
    }

    @Test func `what looks like a slip is a warning`() {
        #expect(Self.review().warnings == ["news.weekly: nobody has it"])
        let catalog = Catalog([
            Catalog.Entry(entitlement: "pro", products: ["pro.monthly"]),
            Catalog.Entry(entitlement: "Pro", products: ["pro.monthly"]),
        ])
        let warnings = Self.review(catalog, durations: ["pro.yearly", "pass"]).warnings
        #expect(
            warnings == [
                "Pro, pro: the names differ in case alone, and are entitlements of their own",
                "pro.yearly: it renews by itself, so that its duration in entitlements.nonRenewing does not count",
            ])
    }
}
