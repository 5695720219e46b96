extension Scenario {
    /// What the demo plays: the default scenario, lived by people whom the publisher knows by an id.
    package static let customers: Scenario = {
        do {
            return try Scenario(yaml: Self.customersText, named: "customers scenario")
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    /// How many of its people, the first ones, are worth following step by step.
    package static let followedCustomers = 3

    /// Its people as they are written. Everything else is as in the default scenario.
    package static let customersText = """
        # People whom the publisher knows by an id of its own, for a simulated App Store and the publisher's backend beside it.
        # What is left out is as in the default scenario (perennial simulate scenario), which explains every word.
        #
        #   perennial demo                                 plays it
        #   perennial simulate scenario --customers > mine.yaml
        #   perennial simulate --keys keys --scenario mine.yaml --deliver-to NODE/v1/apple/notifications --backend NODE
        #   perennial simulate compare --customers --node NODE --keys keys

        people:
          - name: Anna
            customer: anna
            story: two devices, which both post what she has
            arrives: 0s
            life:
              - buy: pro.monthly
              - post                     # her phone
              - after: 2h
              - post                     # her tablet
          - name: Ben
            customer: ben
            story: buys before he has an account; his card fails every fourth month
            arrives: 2d
            life:
              - buy: basic.monthly
              - post: { as: anonymous-ben }
              - after: 1 renewal
              - register: anonymous-ben
              - fail
              - after: P1M               # the second renewal has failed by then
              - after: 13d
              - pay
              - after: 3 renewals
            repeats: true                # from the start; what he has already he does not buy again, and he is signed in
          - name: Clara
            customer: clara
            story: gets the third month's money back, and goes on by paying on the web
            arrives: 4d
            life:
              - buy: basic.monthly
              - post
              - after: 2 renewals
              - payOnWeb: basic
              - after: 9d
              - refund
          - name: Dora
            customer: dora
            story: shares with two of her family for three months
            arrives: 6d
            life:
              - buy: pro.monthly
              - post
              - after: 10d
              - share: 2
              - after: 90d
              - unshare
          - name: Emil
            customer: emil
            story: restores under another account, where nothing moves
            arrives: 8d
            life:
              - buy: basic.monthly
              - post
              - after: 30d
              - post: { as: emil-2 }
              - after: 1h
              - post: { as: emil-2, restore: true }
          - name: Fay
            customer: 9c1a6f0e-52d7-4f3b-8a64-1d0be7c3a925
            story: buys with her id as token, so nothing has to be posted
            arrives: 10d
            life:
              - buy: pro.monthly
              - after: 70d
              - cancel
          - name: Gus
            customer: gus
            token: 3d1f9a52-6c0e-4b7a-9d43-8e2b5c7f1a60
            story: buys with a token that was drawn for him, and registered for his id
            arrives: 11d
            life:
              - buy: basic.monthly
          - name: App Review
            customer: app-review
            sandbox: true
            story: reviews the app, and buys in Sandbox
            arrives: 12d
            life:
              - buy: pro.monthly
              - post
        """ + "\n"
}
