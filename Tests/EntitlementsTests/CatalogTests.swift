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
        #expect(self.catalog.grants("basic", productID: "basic.yearly") == true)
        #expect(self.catalog.grants("basic", productID: "pro.monthly") == true)
        #expect(self.catalog.grants("pro", productID: "basic.monthly") == false)
        #expect(self.catalog.grants("pro", productID: nil) == false)
        #expect(self.catalog.grants("unknown", productID: "pro.monthly") == nil)
        #expect(self.catalog.grants("unknown", productID: nil) == nil)
    }

    @Test("the highest level comes first")
    func entitlements() {
        #expect(self.catalog.entitlements(of: "pro.monthly") == ["pro", "basic"])
        #expect(self.catalog.entitlements(of: "nothing") == [])
    }
}
