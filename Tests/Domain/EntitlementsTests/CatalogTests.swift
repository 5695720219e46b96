import Entitlements
import Testing

@Suite struct CatalogTests {
    let catalog = Catalog([
        .init(entitlement: "basic", products: ["basic.monthly", "pro.monthly"], level: 1),
        .init(entitlement: "pro", products: ["pro.monthly"], level: 2),
        .init(entitlement: "basic", products: ["basic.yearly"], level: 1),
    ])

    @Test("entries of one entitlement add up")
    func grants() {
        #expect(self.catalog.products(granting: "basic") == ["basic.monthly", "pro.monthly", "basic.yearly"])
        #expect(self.catalog.products(granting: "pro") == ["pro.monthly"])
        #expect(self.catalog.products(granting: "unknown") == nil)
    }

    @Test("the highest level comes first")
    func entitlements() {
        #expect(self.catalog.entitlements(of: "pro.monthly") == ["pro", "basic"])
        #expect(self.catalog.entitlements(of: "nothing") == [])
    }
}
