import Entitlements
import Testing

@Suite struct CatalogTests {
    let catalog = Catalog([
        .init(entitlement: "basic", products: ["basic.monthly", "pro.monthly"], rank: 1),
        .init(entitlement: "pro", products: ["pro.monthly"], rank: 2),
        .init(entitlement: "basic", products: ["basic.yearly", "basic.monthly"], rank: 3),
    ])

    @Test("entries of one entitlement add up")
    func grants() {
        #expect(self.catalog.products(granting: "basic") == ["basic.monthly", "pro.monthly", "basic.yearly"])
        #expect(self.catalog.products(granting: "pro") == ["pro.monthly"])
        #expect(self.catalog.products(granting: "unknown") == nil)
        #expect(self.catalog.entitlements == ["basic", "pro"])
    }

    @Test
    func `a product has the highest rank by which it grants a name`() {
        #expect(self.catalog.rank(of: "basic.monthly", granting: "basic") == 3)
        #expect(self.catalog.rank(of: "pro.monthly", granting: "basic") == 1)
        #expect(self.catalog.rank(of: "pro.monthly", granting: "pro") == 2)
        #expect(self.catalog.rank(of: "basic.monthly", granting: "pro") == nil)
        #expect(self.catalog.highestRank(of: "basic") == 3)
        #expect(self.catalog.highestRank(of: "unknown") == nil)
    }
}
