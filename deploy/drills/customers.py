#!/usr/bin/env python3
"""The part of `deploy/drill customers` that asks and counts. Without arguments beside its name each part says what it needs."""

import argparse
import base64
import collections
import datetime
import json
import pathlib
import random
import signal
import socket
import sqlite3
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor

MOST_LINES = 20
DAY = 86_400_000


class Fault(Exception):
    pass


def ask(method, url, body=None, patience=30):
    """The status and the JSON of an answer; status 0 where there was none."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers={"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=patience) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        try:
            return error.code, json.load(error)
        except ValueError:
            return error.code, {}
    except (OSError, ValueError):
        return 0, {}


def get(url):
    """An answer that has to come."""
    for _ in range(20):
        status, answer = ask("GET", url)
        if status == 200:
            return answer
        time.sleep(0.5)
    raise Fault(f"{url} answers {status} {answer.get('code', '')}")


def path(*parts):
    return "/v1/" + "/".join(urllib.parse.quote(part, safe="") for part in parts)


def pages(url, items, **query):
    after = None
    while True:
        page = get(url + "?" + urllib.parse.urlencode(query | ({} if after is None else {"after": after})))
        yield from page[items]
        after = page.get("next")
        if after is None:
            return


def milliseconds(text):
    return int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


# What the parts of the script need


def ports(options):
    """Ports that are free now."""
    sockets = [socket.socket() for _ in range(options.count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    print(*[one.getsockname()[1] for one in sockets])


def people(options):
    """People of a scenario, with ids of all kinds, who do what a crowd does not."""
    chance = random.Random(options.seed)

    def days(first, last):
        return f"      - after: {chance.randint(first, last)}d"

    for number in range(options.count):
        product = chance.choice(["basic.monthly", "pro.monthly", "pro.yearly"])
        life = [f"      - buy: {product}"]
        head = [f"    customer: person-{number}"]
        kind = number % 7
        if kind == 0:  # leaves the web shop, and comes back to it
            for _ in range(3):
                life += [days(5, 60), f"      - payOnWeb: {chance.choice(['basic', 'pro'])}", days(20, 120), "      - leaveWeb"]
        elif kind == 1:  # several accounts post the same purchase
            life += ["      - post", days(1, 40), "      - post: { as: other-%d }" % number, days(1, 40),
                     "      - post: { as: other-%d, restore: true }" % number]
        elif kind == 2:  # is anonymous twice
            life += ["      - post: { as: unknown-%d }" % number, days(1, 30), f"      - register: unknown-{number}", days(1, 30),
                     "      - post: { as: stranger-%d }" % number, days(1, 60), f"      - register: stranger-{number}"]
        elif kind == 3:  # buys with a token that is registered
            head.append(f"    token: {uuid.UUID(int=chance.getrandbits(128), version=4)}")
            life += [days(5, 90), "      - cancel", days(5, 200), "      - buy: basic.monthly"]
        elif kind == 4:  # has an id that is a token
            head = [f"    customer: {uuid.UUID(int=chance.getrandbits(128), version=4)}"]
            life += [days(5, 90), "      - payOnWeb: basic"]
        elif kind == 5:  # has things that do not renew, and a family
            life += ["      - post", days(1, 20), "      - buy: themes.forever", "      - post", days(1, 20), "      - share: 2",
                     days(10, 100), "      - unshare", days(1, 50), "      - buy: coins.100", "      - post"]
        else:  # buys in Sandbox, and is on no list
            head.append("    sandbox: true")
            life += ["      - post", days(1, 60), "      - post: { as: tester-%d }" % number]
        repeats = ["    repeats: true"] if kind in (0, 3) else []
        print("\n".join([f"  - name: Person {number}", *head, f"    arrives: {chance.randrange(0, max(1, options.days * 3 // 4))}d",
                         "    life:", *life, *repeats]))


class Clock:
    """Simulated time, by clock.json."""

    def __init__(self, keys):
        self.text = json.loads((pathlib.Path(keys) / "clock.json").read_text())

    def real(self):
        return time.time() * 1000

    def now(self):
        shown = self.text["simulated"] + (self.real() - self.text["real"]) * self.text["speed"]
        return min(shown, self.real())

    def is_fast(self):
        return self.now() < self.real() - 1000


def awaited(options):
    """Waits until simulated time has passed so much of the simulation, and the simulation and its backend have caught up. It is
    too late where all of it has passed already."""
    clock = Clock(options.keys)
    start, end = clock.text["simulated"], clock.text["real"]
    isLate = options.part < 1 and not clock.is_fast()
    while clock.is_fast() and clock.now() < start + (end - start) * options.part:
        time.sleep(0.1)
    deadline = time.monotonic() + options.patience
    while True:
        settled = milliseconds(get(f"{options.store}/truth?limit=1")["now"])
        behind = (clock.now() - settled) / (clock.text["speed"] if clock.is_fast() else 1)
        if behind < 700 or (not clock.is_fast() and behind < 5_000):
            day = (clock.now() - start) / DAY
            print(f"day {day:.0f}" + (", too late" if isLate else ""))
            return
        if time.monotonic() > deadline:
            raise Fault(f"the simulation is {behind / 1000:.1f} seconds behind its clock: this machine is too slow for it")
        time.sleep(0.1)


def tally(options):
    """Reads what `simulate compare --output json` says: prints differences that nothing explains, and the sums."""
    sums, lines, reasons = None, 0, collections.Counter()
    for line in sys.stdin:
        try:
            said = json.loads(line)
        except ValueError:
            print(line, end="", file=sys.stderr)
            continue
        if "answers" in said:
            sums = said
        elif not said["explained"]:
            lines += 1
            if lines <= MOST_LINES:
                print("  ", json.dumps(said), file=sys.stderr)
        else:
            reasons["request" if "backend" in said["reason"] else "given up" if "given up" in said["reason"] else "waiting"] += 1
    if sums is None:
        raise Fault(f"a comparison by {options.consistency} did not end")
    why = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
    print(f"   {options.consistency:8} {sums['customers']} customers, {sums['answers']} answers: {sums['equal']} equal, "
          f"{sums['explained']} explained{f' ({why})' if why else ''}, {sums['unexplained']} unexplained", flush=True)
    with open(options.sums, "a") as file:
        file.write(json.dumps(sums) + "\n")
    if sums["unexplained"]:
        raise Fault(f"{sums['unexplained']} answers by {options.consistency} differ from the truth, and nothing explains them")


def totals(options):
    sums = collections.Counter()
    for line in pathlib.Path(options.sums).read_text().splitlines():
        sums.update(json.loads(line))
        sums["comparisons"] += 1
    print(f"{sums['comparisons']} comparisons, {sums['answers']} answers: {sums['equal']} equal, {sums['explained']} explained, "
          f"{sums['unexplained']} unexplained")


def query(options):
    """One value of a SQLite file, or a change of it."""
    with sqlite3.connect(options.file) as database:
        cursor = database.execute(options.sql)
        row = cursor.fetchone()
        print(row[0] if row else cursor.rowcount)


# What customers have


class Customers:
    """Everybody, by the nodes' word; read once."""

    def __init__(self, nodes, ids):
        self.nodes = nodes
        with ThreadPoolExecutor(8) as pool:
            self.views = dict(zip(ids, pool.map(lambda one: self.view(*one), enumerate(ids))))

    def view(self, number, id):
        url = self.nodes[number % len(self.nodes)] + path("customers", id)
        for _ in range(20):
            status, answer = ask("GET", url)
            if status == 200:
                streams = answer["streams"]
                # Those of Sandbox are only told where Sandbox is asked about.
                status, sandbox = ask("GET", url + "?environment=Sandbox")
                if status == 200:
                    known = {(one["kind"], one["originalTransactionId"], one["environment"]) for one in streams}
                    answer["streams"] = streams + [
                        one for one in sandbox["streams"]
                        if (one["kind"], one["originalTransactionId"], one["environment"]) not in known]
                    return answer
            elif status == 404:
                return None
            time.sleep(0.5)
        raise Fault(f"{url} answers {status} {answer.get('code', '')}")

    def end(self, id):
        while (view := self.views.get(id)) and view.get("movedTo"):
            id = view["movedTo"]
        return id


def truths(store, ids):
    with ThreadPoolExecutor(8) as pool:
        return dict(zip(ids, pool.map(lambda id: get(store + "/truth/customers/" + urllib.parse.quote(id, safe="")), ids)))


def subject(request):
    """The originalTransactionId of a posted transaction."""
    part = request["body"]["signedTransaction"].split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))["originalTransactionId"]


def checked(options):
    """Looks at every customer: whose everything is, and whether what was acknowledged is there."""
    faults = []
    requests = list(pages(options.store + "/backend", "requests", limit=1000))
    ids = [one["customerId"] for one in pages(options.store + "/truth/customers", "customers", limit=1000)]
    journal = [json.loads(line) for line in open(options.journal)] if options.journal else []
    others = sorted({name for entry in journal for name in (entry["customer"], entry.get("to")) if name})
    customers = Customers(options.node, ids + others)
    truth = truths(options.store, ids)

    # Each stream is one customer's.
    owners = collections.defaultdict(list)
    for id, view in customers.views.items():
        for stream in view["streams"] if view and not view.get("movedTo") else []:
            owners[stream["environment"], stream["originalTransactionId"]].append(id)
    for (environment, stream), names in owners.items():
        if len(names) > 1:
            faults.append(f"{stream} ({environment}) is of {len(names)} customers: {', '.join(names)}")

    # Each customer has what is theirs, and nothing else.
    missing = 0
    for id in ids:
        said = truth[id]
        view = customers.views[id]
        moved = view and view.get("movedTo")
        if (moved or None) != said.get("movedTo"):
            faults.append(f"{id} was moved to {said.get('movedTo')}, and the node says {moved}")
            continue
        true = {one["id"] for one in said["holdings"] if one["kind"] != "grant"}
        here = {one["originalTransactionId"] for one in view["streams"]} if view and not moved else set()
        if true == here:
            continue
        if said["missing"] and here < true:
            missing += 1
            continue
        faults.append(f"{id} has {sorted(here - true)} that are not theirs, and lacks {sorted(true - here)}")

    # What was acknowledged to the backend is there.
    states = collections.Counter()
    grants, posted = {}, {}
    for request in requests:
        states[request["state"]] += 1
        kind = "grant" if "/grants/" in request["path"] else request["path"].rsplit("/", 1)[1]
        if request["state"] == "refused" and not request["toBeRefused"]:
            faults.append(f"request {request['number']} was refused: {request.get('status')} {request.get('code')}")
        if request["state"] == "done" and request["toBeRefused"]:
            faults.append(f"request {request['number']} was to be refused, and was done")
        if request["state"] == "waiting":
            faults.append(f"request {request['number']} is waiting: {request['method']} {request['path']}")
        if request["state"] != "done":
            continue
        id = request["customerId"]
        if kind == "grant":
            grants[id, request["path"].rsplit("/", 1)[1]] = request["body"]["until"]
        elif kind == "transactions":
            posted.setdefault(subject(request), (id, request["number"]))
        elif kind == "move" and customers.end(id) != customers.end(request["body"]["to"]):
            faults.append(f"the move of {id} to {request['body']['to']} (request {request['number']}) is missing")
        elif kind not in ("grant", "transactions", "move"):
            has = customers.views[customers.end(id)]["identifiers"]["appAccountTokens"]
            for token in request["body"]["appAccountTokens"]:
                if token.lower() not in [one.lower() for one in has]:
                    faults.append(f"the token {token} of {id} (request {request['number']}) is missing")
    for (id, name), until in grants.items():
        has = customers.views[customers.end(id)]["grants"]
        if not any(one["id"] == name and milliseconds(one["until"]) == milliseconds(until) for one in has if one.get("until")):
            faults.append(f"the grant {name} of {id} until {until} is missing: {json.dumps(has)}")
    known = {stream for environment, stream in owners}
    for stream, (id, number) in posted.items():
        if stream not in known:
            faults.append(f"{stream}, posted for {id} (request {number}), leads to nobody")

    # A token leads to one customer.
    holders = collections.defaultdict(set)
    for id, view in customers.views.items():
        for token in view["identifiers"]["appAccountTokens"] if view and not view.get("movedTo") else []:
            holders[token.lower()].add(id)
    for token, names in holders.items():
        if len(names) > 1:
            faults.append(f"the token {token} is registered by {', '.join(sorted(names))}")

    faults += list(lost(journal, customers, holders))
    for fault in faults[:MOST_LINES]:
        print("  ", fault, file=sys.stderr)
    print(f"   {len(ids)} customers, {len(owners)} subscriptions and purchases with one owner each ({missing} customers lack what has "
          f"not arrived), {len(holders)} tokens with one holder")
    print(f"   {len(requests)} requests of the backend: " + ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
          + f"; {len(posted)} purchases posted, {len(grants)} grants")
    if journal:
        outcomes = collections.Counter((entry["do"], entry["status"]) for entry in journal)
        print("   beside it: " + ", ".join(f"{count} × {do} {status or 'unanswered'}" for (do, status), count in sorted(outcomes.items())))
    if faults:
        raise Fault(f"{len(faults)} things are not as they have to be")


# What others do meanwhile


def traffic(options):
    """Until SIGTERM: links, moves, grants and registrations that get in each other's way, by way of all nodes."""
    over = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: over.set())
    lock = threading.Lock()
    journal = open(options.journal, "a", buffering=1)
    tokens = [str(uuid.UUID(int=number + 1, version=4)) for number in range(12)]
    names = [f"drill-{number}" for number in range(options.customers)]
    streams = []

    def note(**entry):
        with lock:
            journal.write(json.dumps(entry) + "\n")

    def request(chance, method, url, body=None):
        return ask(method, chance.choice(options.node) + url, body, patience=10)

    def register(number):
        """Tokens change hands, and never belong to two."""
        chance = random.Random(f"{options.seed} register {number}")
        while not over.wait(0.05):
            customer, token = chance.choice(names), chance.choice(tokens)
            if chance.random() < 0.6:
                begun = time.time()
                status, answer = request(chance, "PUT", path("customers", customer), {"appAccountTokens": [token]})
                note(do="register", customer=customer, token=token, status=status, begun=begun, ended=time.time())
            else:
                begun = time.time()
                status, answer = request(chance, "DELETE", path("customers", customer, "tokens", token))
                note(do="release", customer=customer, token=token, status=status, begun=begun, ended=time.time())

    def grant(number):
        """Grants of customers that nobody else grants anything; some begin as those of somebody anonymous."""
        chance = random.Random(f"{options.seed} grant {number}")
        mine = names[number::options.writers]
        strangers, moves = 0, collections.Counter()
        while not over.wait(0.1):
            customer = chance.choice(mine)
            if chance.random() < 0.05 and moves[customer] < 20:
                stranger = f"drill-stranger-{number}-{strangers}"
                strangers += 1
                moves[customer] += 1
                put(chance, stranger, f"brought-{number}-{strangers}")
                while not over.is_set():
                    status, answer = request(chance, "POST", path("customers", stranger, "move"), {"to": customer})
                    note(do="move", customer=stranger, to=customer, status=status)
                    if status == 200 or 400 <= status < 500:
                        break
                    over.wait(0.2)
            elif chance.random() < 0.2:
                name = f"own-{chance.randrange(10)}"
                status, answer = request(chance, "DELETE", path("customers", customer, "grants", name))
                note(do="revoke", customer=customer, id=name, status=status)
            else:
                put(chance, customer, f"own-{chance.randrange(10)}")

    def put(chance, customer, name):
        until = f"{chance.randrange(2100, 2900)}-01-01T00:00:00Z"
        body = {"entitlement": "pro", "until": until, "reason": "a drill", "source": "web"}
        status, answer = request(chance, "PUT", path("customers", customer, "grants", name), body)
        note(do="grant", customer=customer, id=name, until=until, status=status)
        if status in (200, 201):
            # What was acknowledged counts for every node.
            body = {"checks": [{"customer": customer, "entitlement": "pro"}], "consistency": "owner"}
            checked, answer = request(chance, "POST", "/v1/check", body)
            if checked == 200 and "error" not in answer["results"][0]:
                isSeen = answer["results"][0]["entitled"]
                note(do="check", customer=customer, id=name, status=checked if isSeen else -1, asOf=answer.get("asOf"))

    def delete(number):
        """Who is deleted has had grants and a token, and has nothing from then on."""
        chance = random.Random(f"{options.seed} delete {number}")
        count = 0
        while not over.wait(2):
            doomed, token = f"drill-doomed-{number}-{count}", str(uuid.UUID(int=chance.getrandbits(128), version=4))
            count += 1
            request(chance, "PUT", path("customers", doomed), {"appAccountTokens": [token], "attributes": {"plan": "gold"}})
            put(chance, doomed, "brought")
            while True:
                status, answer = request(chance, "DELETE", path("customers", doomed))
                note(do="delete", customer=doomed, token=token, status=status, code=answer.get("code"))
                if status == 202 or over.wait(0.5):
                    break

    def link(number):
        """Purchases that carry a token are their customer's: nobody else gets them."""
        chance = random.Random(f"{options.seed} link {number}")
        while not over.wait(0.2):
            if not streams or chance.random() < 0.02:
                streams[:] = sold(options.store)
                continue
            kind, stream = chance.choice(streams)
            customer = chance.choice(names)
            status, answer = request(chance, "PUT", path("customers", customer, kind + "s", stream), {})
            note(do="link", customer=customer, stream=stream, status=status, code=answer.get("code"))

    jobs = [threading.Thread(target=job, args=(number,), daemon=True)
            for job, count in ((register, 3), (grant, options.writers), (link, 2), (delete, 1)) for number in range(count)]
    for job in jobs:
        job.start()
    over.wait()
    for job in jobs:
        job.join(30)


def sold(store):
    """What was bought with a token that is its customer's id."""
    status, page = ask("GET", store + "/truth/customers?limit=1000")
    found = []
    for one in page.get("customers", []):
        try:
            uuid.UUID(one["customerId"])
        except ValueError:
            continue
        status, truth = ask("GET", store + "/truth/customers/" + one["customerId"])
        found += [(held["kind"], held["id"]) for held in truth.get("holdings", [])
                  if held["kind"] != "grant" and held["environment"] == "Production"]
        if len(found) > 50:
            break
    return found


def lost(journal, customers, holders):
    """What was acknowledged beside the simulation, and is not there."""
    last = {}
    # Also those whose deletion was not acknowledged: it may have been made.
    deleted = {entry["customer"] for entry in journal if entry["do"] == "delete"}
    for entry in journal:
        if entry["do"] == "delete" and entry["status"] == 202:
            view = customers.views.get(entry["customer"])
            if view and (view["grants"] or view["attributes"] or view["identifiers"]["appAccountTokens"] or view["streams"]):
                yield f"{entry['customer']} was deleted, and has {json.dumps(view)}"
        if entry["customer"] in deleted:
            continue
        if entry["do"] in ("grant", "revoke"):
            key = entry["customer"], entry["id"]
            # Where there was no answer, or none that says so, both may be.
            done = entry["status"] in (200, 201)
            refused = 400 <= entry["status"] < 500
            value = entry.get("until")
            if done:
                last[key] = {value}
            elif not refused:
                last[key] = last.get(key, {None}) | {value}
        elif entry["do"] == "check" and entry["status"] == -1:
            yield f"{entry['customer']} had the grant {entry['id']}, and a check by owner said no at {entry['asOf']}"
        elif entry["do"] == "move" and entry["status"] == 200:
            if customers.end(entry["customer"]) != entry["to"]:
                yield f"the move of {entry['customer']} to {entry['to']} is missing"
        elif entry["do"] == "link" and entry["status"] == 200:
            yield f"{entry['stream']} was another customer's, and was linked to {entry['customer']}"
    now = time.time() * 1000
    for (customer, name), values in last.items():
        view = customers.views.get(customers.end(customer)) or {"grants": []}
        # Several may have brought one of the same name.
        here = [one.get("until") for one in view["grants"] if one["id"] == name and not one["revokedAt"]]
        running = {milliseconds(one) for one in here if one and milliseconds(one) > now}
        expected = {value and milliseconds(value) for value in values}
        if not (running & expected if running else None in expected):
            yield f"the grant {name} of {customer} until {sorted(map(str, values))} is missing: {json.dumps(here)}"
    # A registration that was acknowledged holds until somebody releases it; what was under way at the same time may count.
    changes = collections.defaultdict(list)
    for entry in journal:
        if entry["do"] in ("register", "release"):
            changes[entry["token"]].append(entry)
    for token, entries in changes.items():
        acknowledged = [one for one in entries if one["do"] == "register" and one["status"] == 200]
        if not acknowledged:
            continue
        newest = max(acknowledged, key=lambda one: one["begun"])
        later = [one for one in entries if one is not newest and one["ended"] >= newest["begun"] and not 400 <= one["status"] < 500]
        if not later and customers.end(newest["customer"]) not in holders.get(token, ()):
            yield f"the token {token} was registered for {newest['customer']}, and is {sorted(holders.get(token, ()))}'s"


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    parts = arguments.add_subparsers(required=True)

    def part(name, run, *flags):
        parser = parts.add_parser(name, description=run.__doc__)
        for flag, settings in flags:
            parser.add_argument(flag, **settings)
        parser.set_defaults(run=run)

    number = {"type": int, "required": True}
    text = {"required": True}
    part("ports", ports, ("--count", number))
    part("people", people, ("--count", number), ("--days", number), ("--seed", number))
    part("await", awaited, ("--keys", text), ("--store", text), ("--part", {"type": float, "default": 0.0}),
         ("--patience", {"type": float, "default": 120.0}))
    part("tally", tally, ("--consistency", text), ("--sums", text))
    part("totals", totals, ("--sums", text))
    part("query", query, ("--file", text), ("--sql", text))
    part("check", checked, ("--store", text), ("--node", {"action": "append", "required": True}), ("--journal", {}))
    part("traffic", traffic, ("--store", text), ("--node", {"action": "append", "required": True}), ("--journal", text),
         ("--seed", number), ("--customers", {"type": int, "default": 48}), ("--writers", {"type": int, "default": 3}))
    options = arguments.parse_args()
    try:
        options.run(options)
    except Fault as fault:
        print(f"error: {fault}", file=sys.stderr)
        sys.exit(1)


main()
