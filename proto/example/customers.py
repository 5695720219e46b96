"""Answers "may this customer use it, now?" by the publisher's own ids, from what the streams tell. The comments name the steps of
perennial/v1/stream.proto, which is all that this was written from."""
import collections
import hashlib
import hmac
import re

STREAMS, CUSTOMER, TOKEN, ACCOUNT = (1, 2), 7, 8, 9
OWNED, PREDECESSORS, MOVES = 5, 8, 128
UUID = re.compile("[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


def row_key(kind, digest):
    prefix = {CUSTOMER: "cust:", TOKEN: "tok:", ACCOUNT: "atx:"}[kind]
    return bytes([kind]) + (prefix + digest.hex()).encode() + b"\0\0"


def predecessor_key(key, held):
    _, environment, bundle = key[1:].split(b"\0")
    return key[:1] + held.predecessor.encode() + b"\0" + environment + b"\0" + bundle


class Customers:
    def __init__(self):
        # The newest image of each key, and the keys whose images name something.
        self.images, self.naming, self.rules = {}, collections.defaultdict(set), None

    def take(self, image, renews=False):
        """Step 9."""
        if not image.HasField("customer"):
            return
        old, new = self.images.get(image.key), image.customer
        if old and (new.version < old.version or new.version == old.version and not renews):
            return
        for name in self.names(image.key, old) if old else ():
            self.naming[name].discard(image.key)
        self.images[image.key] = new
        for name in self.names(image.key, new):
            self.naming[name].add(image.key)

    def forget(self, keys):
        for key in keys:
            old = self.images.pop(key, None)
            for name in self.names(key, old) if old else ():
                self.naming[name].discard(key)

    @staticmethod
    def names(key, image):
        """What a row leads to, or goes on from."""
        kind = image.WhichOneof("content")
        if kind == "held":
            held = image.held
            found = {held.link, held.token, held.token_as_customer, held.app_transaction, *held.sharers}
            if held.predecessor:
                found.add(predecessor_key(key, held))
        else:
            found = {image.granted.moved_to} if kind == "granted" else {image.holder}
        return found - {b""}

    def hash(self, customer):
        """Step 10."""
        customer = customer.lower() if UUID.fullmatch(customer) else customer
        return hmac.new(self.rules.key, b"\1" + customer.encode(), hashlib.sha256).digest()[:16]

    # Step 10: whose a stream is.

    def granted(self, customer):
        image = self.images.get(row_key(CUSTOMER, customer))
        return image.granted if image else None

    def end(self, customer):
        for _ in range(MOVES):
            row = self.granted(customer)
            if not row or not row.moved_to:
                break
            customer = row.moved_to
        return customer

    def holder(self, kind, digest):
        image = self.images.get(row_key(kind, digest))
        return image.holder if image else b""

    def own(self, key, held):
        """To whom the stream itself leads: a customer, b"" for nobody, None where its predecessor can tell."""
        app = self.app(key)
        by_token = b""
        if held.token:
            by_token = self.holder(TOKEN, held.token) or (b"" if app.tokens_registered else held.token_as_customer)
        if held.HasField("link") and not (held.overruled and by_token):
            return held.link
        if held.token or held.token_unusable:
            return by_token
        return (held.app_transaction and self.holder(ACCOUNT, held.app_transaction)) or None

    def leads_to(self, key):
        """All customers that a stream leads to."""
        sharers = []
        for _ in range(PREDECESSORS + 1):
            image = self.images.get(key)
            if not image:
                break
            held = image.held
            sharers = sharers or list(held.sharers)
            found = self.own(key, held)
            if found is not None:
                return {self.end(name) for name in [found, *sharers] if name}
            if not held.predecessor:
                break
            key = predecessor_key(key, held)
        return {self.end(name) for name in sharers}

    def members(self, customer):
        """The customer, and all who have moved to it."""
        members = [customer]
        for member in members:
            for key in self.naming[member]:
                if key[0] == CUSTOMER and self.images[key].granted.moved_to == member:
                    digest = bytes.fromhex(key[1:].split(b"\0")[0].decode().partition(":")[2])
                    if digest not in members:
                        members.append(digest)
        return members

    def streams(self, customer, members):
        candidates, found = [], set()
        for member in members:
            for key in self.naming[member]:
                if key[0] in STREAMS:
                    candidates.append(key)
                elif key[0] in (TOKEN, ACCOUNT):
                    digest = bytes.fromhex(key[1:].split(b"\0")[0].decode().partition(":")[2])
                    candidates += [other for other in self.naming[digest] if other[0] in STREAMS]
        for _ in range(PREDECESSORS + 1):
            found.update(candidates)
            candidates = [other for key in candidates for other in self.naming[key] if other not in found]
        return [key for key in found if customer in self.leads_to(key)]

    # Step 11: what a customer may use.

    def app(self, key):
        bundle = key[1:].split(b"\0")[2].decode()
        for app in self.rules.apps:
            if app.bundle_id == bundle:
                return app
        return DefaultApp(self.rules)

    def counts(self, key, environment, members):
        bought = key[1:].split(b"\0")[1].decode()
        if bought == environment:
            return True
        app, token = self.app(key), self.images[key].held.token
        listed = app.sandbox_of_anybody or token in app.sandbox_tokens or any(m in app.sandbox_customers for m in members)
        return environment == "Production" and bought == "Sandbox" and listed

    def entitled(self, customer, name, moment, environment="Production"):
        """Whether a customer has a name of the catalog at a moment, in milliseconds."""
        customer = self.hash(customer)
        row = self.granted(customer)
        if row and row.moved_to:
            return False
        grants = list(row.grants) if row else []
        for other in row.takes if row else []:
            taken = self.granted(other)
            if taken and taken.moved_to == customer:
                grants += taken.grants
        for grant in grants:
            begun = not grant.HasField("from") or getattr(grant, "from") <= moment
            over = grant.HasField("until") and grant.until <= moment
            if grant.environment == environment and grant.entitlement == name and begun and not over:
                return True
        members = self.members(customer)
        keys = [key for key in self.streams(customer, members) if self.counts(key, environment, members)]
        products = {product for entry in self.rules.catalog if entry.entitlement == name for product in entry.products}
        durations = {entry.product: entry.duration for entry in self.rules.non_renewing}
        runs = collections.defaultdict(list)
        for key in keys:
            held = self.images[key].held
            begun = [phase for phase in held.phases if getattr(phase, "from") <= moment]
            phase = begun[-1] if begun else held.phases[0] if held.phases else None
            product = held.texts[phase.product - 1] if phase and phase.product else None
            if product not in products:
                continue
            if key[0] == 2 and phase.state == OWNED and product in durations and phase.HasField("purchase_date"):
                runs[key[1:].partition(b"\0")[2], product].append(phase)
            elif phase.entitled:
                return True
        return any(self.end_of(runs[run], durations[run[1]]) > moment for run in runs)

    @staticmethod
    def end_of(purchases, duration):
        end = 0
        for phase in sorted(purchases, key=lambda phase: phase.purchase_date):
            end = max(end, phase.purchase_date) + duration * max(1, phase.quantity)
        return end


class DefaultApp:
    """The rules of an app that has none of its own."""

    def __init__(self, rules):
        self.tokens_registered, self.sandbox_of_anybody = rules.tokens_registered, False
        self.sandbox_customers = self.sandbox_tokens = ()
