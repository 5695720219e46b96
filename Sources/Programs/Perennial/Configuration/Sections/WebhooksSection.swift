/// Where webhooks may be sent; endpoints themselves are made with `perennial webhooks`.
package struct WebhooksSection: ConfigurationSection {
    /// `webhooks.allow`: networks such as `10.1.0.0/16` that are not for the public and may be called all the same, by plain
    /// HTTP too. None unless set.
    package var allow: [String] = []

    package init() {}
}
