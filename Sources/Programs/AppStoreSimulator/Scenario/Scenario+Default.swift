extension Scenario {
    /// What is simulated unless a file says otherwise.
    package static let `default`: Scenario = {
        do {
            return try Scenario(ScenarioNode(yaml: Self.defaultText, file: "default scenario")) {
                Scenario(products: [])
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    /// The default scenario as it is written, which is where one's own begins.
    package static let defaultText = """
        # A scenario for the simulated App Store: what is sold, to whom, and what they do with it.
        #
        #   perennial simulate scenario > mine.yaml        this text
        #   perennial simulate life mine.yaml              how the people below fare, and what Perennial says about it
        #   perennial demo --scenario mine.yaml            a store and a node that live by it
        #
        # Every part may be left out, and is then as it stands here. A file that has products of its own and no people
        # has nobody but the crowd, whose size is --subscribers.

        # How long access goes on when a renewal cannot be charged: none, 3d, 16d or 28d. To give it to free trials as
        # well: { length: 16d, includesTrials: true }
        grace: 16d

        # What the app sells. A product is a subscription unless its type is consumable, nonConsumable or nonRenewing.
        # Prices have a point and three digits after it at most; periods are written P1W, P1M, P3M, P1Y.
        products:
          - id: basic.monthly
            group: "21000001"            # customers have one subscription of a group at a time
            level: 2                     # of service in the group: 1 is the highest
            period: P1M
            price: 4.99
            familyShareable: true
            offers:
              # type: introductory (for newcomers, without an id), promotional, offerCode or winBack
              # discount: freeTrial, payUpFront, or payAsYouGo for so many periods
              - { type: winBack, id: winback.half, discount: payAsYouGo, period: P1M, periods: 2, price: 2.49 }
              - { type: promotional, id: stay.month, discount: freeTrial, period: P1M }
              - { type: offerCode, id: code.quarter, discount: payUpFront, period: P3M, price: 9.99 }
          - id: pro.monthly
            group: "21000001"
            level: 1
            period: P1M
            price: 9.99
            familyShareable: true
            offers:
              - { type: introductory, discount: freeTrial, period: P1W }
              - { type: winBack, id: winback.half, discount: payAsYouGo, period: P1M, periods: 2, price: 2.49 }
              - { type: promotional, id: stay.month, discount: freeTrial, period: P1M }
              - { type: offerCode, id: code.quarter, discount: payUpFront, period: P3M, price: 9.99 }
          - id: pro.yearly
            group: "21000001"
            level: 1
            period: P1Y
            price: 79.99
            familyShareable: true
            offers:
              - { type: introductory, discount: freeTrial, period: P1W }
          - id: pro.committed            # for a year, paid month by month
            group: "21000001"
            level: 1
            period: P1M
            price: 7.99
            commitment: 12
            familyShareable: true
          - id: news.weekly
            group: "21000002"
            level: 1
            period: P1W
            price: 1.99
          - { id: coins.100, type: consumable, price: 0.99 }
          - { id: themes.forever, type: nonConsumable, price: 19.99 }
          - { id: season.pass, type: nonRenewing, price: 14.99 }

        # What the crowd does, as probabilities from 0 to 1.
        habits:
          # In the free trial.
          trial:
            cancels: 0.35
            cancelsAndResumes: 0
            upgrades: 0.05
            downgrades: 0
            downgradesAndKeeps: 0
            crossgrades: 0
            redeems: 0
            redeemsToMove: 0
            refundsPresent: 0
            refundsPrevious: 0
            refundsComing: 0
            refundDeclined: 0
            refundReversed: 0
            priceRisesWithConsent: 0
            priceRisesWithNotice: 0
            extended: 0
            withdrawn: 0
            lapses: 0
          # In every other period. These exclude each other, so they add up to 1 at most; the rest does nothing.
          period:
            cancels: 0.09
            cancelsAndResumes: 0.05
            upgrades: 0.04
            downgrades: 0.04
            downgradesAndKeeps: 0.02
            crossgrades: 0.02
            redeems: 0.02                # a promotional offer or an offer code
            redeemsToMove: 0.01          # the same, with another product
            refundsPresent: 0.03         # of the period that runs, the one before, the one that is paid and not begun
            refundsPrevious: 0.02
            refundsComing: 0.01
            refundDeclined: 0.01
            refundReversed: 0.01
            priceRisesWithConsent: 0.02
            priceRisesWithNotice: 0.01
            extended: 0.01
            withdrawn: 0.003             # the product is taken from sale
            lapses: 0.003                # no renewal, for a reason that has no name
          cardFails: 0.12                # at a renewal
          # After a failed charge; the rest never pays.
          unpaid:
            paysSoon: 0.45               # within 10 days
            paysLate: 0.25               # after 17 to 50 days
            cancels: 0.10
          returns: 0.45                  # after having left
          shares: 0.05                   # with the family, from the start
          stopsSharing: 0.05             # in a period
          buysOnce: 0.15                 # something that is no subscription
          refundsOnce: 0.15              # gets the money for it back
          externalToken: 0.01            # comes by an external purchase
          rescindsConsent: 0.002         # a child whose parent takes consent back
          advancedCommerce: 0.005        # is migrated to Advanced Commerce

        # Customers whose life is written down. They come first, so their ids are always the same. A life is a list of
        # acts and pauses:
        #
        #   - after: 30d                 exactly; also 90m, 36h
        #   - after: P1M                 by the calendar
        #   - after: 2 renewals          until so many more have succeeded
        #
        #   - buy: pro.monthly           or { product: pro.monthly, offer: winback.half }
        #   - cancel                     turns auto-renew off; resume turns it on again
        #   - change: pro.yearly         up at once, down at the next renewal; keep takes that back
        #   - redeem: stay.month         or { offer: stay.month, product: basic.monthly }
        #   - fail                       from now on the card does not pay; from pay on it does
        #   - consent                    to a price that rises
        #   - refund                     or { period: present | previous | coming, granted: false, percentage: 50 }
        #   - reverseRefund
        #   - share: 2                   with so many members of the family; unshare ends it
        #
        #   - raisePrice: { to: 11.99, consent: true }
        #   - extend: 7d                 moves the renewal date
        #   - extendEverybody: { by: 7d, fails: false }
        #   - withdraw                   takes the product from sale
        #   - migrate                    to Advanced Commerce; then also changeMetadata and changePrice: 8.99
        #
        #   - lapse                      the next renewal does not happen
        #   - externalToken              an external purchase; or { reported: false }
        #   - rescindConsent             a parent takes it back
        #
        # What the publisher's backend learns beside that, and asks a node for (simulate --backend):
        #
        #   - post                       a device posts what was bought last; or { as: anonymous-7, restore: true }
        #   - register: anonymous-7      signs in: what was that customer's is theirs
        #   - payOnWeb: pro              pays for this entitlement in the web shop, every month; leaveWeb ends it
        #
        # A person may have a customer: u-1001, the id by which the publisher knows them. If it is a UUID they buy with it
        # as appAccountToken; a token: UUID is registered for the id when they arrive. Where a life posts nothing, devices
        # post by themselves. A person with sandbox: true buys in Sandbox, as App Review does.
        people:
          - name: Anna
            story: tries pro.monthly for a week, then stays
            arrives: 0s                  # after the start of the simulation
            life:
              - buy: pro.monthly
          - name: Ben
            story: his card fails every fourth month; he pays within the grace period
            arrives: 2d
            life:
              - buy: basic.monthly
              - after: 1 renewal
              - fail
              - after: P1M               # the second renewal has failed by then
              - after: 13d
              - pay
              - after: 3 renewals
            repeats: true                # from the start; what he has already he does not buy again
          - name: Clara
            story: gets the third month's money back, and is gone
            arrives: 4d
            life:
              - buy: basic.monthly
              - after: 2 renewals
              - after: 9d
              - refund
        """ + "\n"
}
