#!/usr/bin/env python3
"""Follows every subscription over the streams of one or more nodes, and prints each change as a line of JSON.

  pip install pyzmq protobuf==4.25.8
  protoc --proto_path=proto --python_out=. perennial/v1/stream.proto
  PYTHONPATH=. python3 proto/example/subscriber.py --key-file paywall.key --node 'tcp://10.0.0.5:7100=KEY OF THE NODE'

`perennial keys new --out paywall.key` makes the key and prints its public part, which has to be listed under
`stream.subscribers`. With `--resume FILE` a new start goes on where the last one has left off. With `--customer ID` it says
what that customer of yours may use, now and whenever that changes. The comments name the steps of
perennial/v1/stream.proto, which is all that this was written from.
"""
import argparse
import heapq
import json
import os
import signal
import sys
import time

import zmq
from customers import Customers
from google.protobuf.message import DecodeError
from perennial.v1 import stream_pb2 as proto

BEAT, PATIENCE, HELD_LIMIT = b"\xff\xff", 3.0, 1024
# A node reads eight pages at a time, for all subscribers.
PAGES_AT_A_TIME, HOUSEKEEPING = 4, 0.1
STATES = dict(enumerate(["subscribed", "grace", "retry", "expired", "revoked", "owned"]))
KINDS = {b"\1": "subscription", b"\2": "purchase"}
KINDS_OF_CUSTOMERS = (1, 2, 7, 8, 9)


def place(position):
    return (position.sequence, position.tag)


def varint(data, offset):
    value = shift = 0
    while True:
        byte = data[offset]
        value, shift, offset = value | (byte & 127) << shift, shift + 7, offset + 1
        if byte < 128:
            return value, offset


def rules(entitlement):
    """By which it was made; None where it does not say."""
    return int.from_bytes(entitlement[1:5], "little") if entitlement[:1] == b"\2" else None


def phases(entitlement):
    """(from in milliseconds, state, entitled, product), oldest first."""
    if entitlement[0] not in (1, 2):
        raise ValueError(f"an entitlement of format {entitlement[0]}: this subscriber is older than the node")
    offset = 5 if entitlement[0] == 2 else 1
    _, offset = varint(entitlement, offset)
    moment, offset = varint(entitlement, offset)
    moment = moment >> 1 ^ -(moment & 1)
    count, offset = varint(entitlement, offset)
    products, found = [None], []
    for _ in range(count):
        length, offset = varint(entitlement, offset)
        products.append(entitlement[offset : offset + length].decode())
        offset += length
    count, offset = varint(entitlement, offset)
    for _ in range(count):
        step, offset = varint(entitlement, offset)
        moment += step
        first, second = entitlement[offset], entitlement[offset + 1]
        found.append((moment, STATES.get(first & 7), bool(first & 8), products[second >> 4]))
        offset += 2
    return found


def answer(entitlement, moment):
    """What holds at a moment, in milliseconds. Nobody is entitled beyond `validUntil`."""
    found = phases(entitlement)
    if not found:
        return {"entitled": False, "state": None, "productId": None, "validUntil": None}
    now = max((i for i, phase in enumerate(found) if phase[0] <= moment), default=0)
    _, state, entitled, product = found[now]
    ends = [phase[0] for phase in found[now + 1 :] if not phase[2]] if entitled else []
    return {"entitled": entitled, "state": state, "productId": product, "validUntil": ends[0] if ends else None}


class Shard:
    def __init__(self, number, told=None, customers=None):
        # What answers by customer need, of all shards; None where nobody asks.
        self.customers, self.customer_keys, self.lacks_customers = customers, set(), False
        self.number, self.epoch, self.owner, self.rows = number, 0, None, {}
        self.asked, self.not_before, self.beginnings, self.position_epoch, self.waits = None, 0.0, 0, 0, False
        # The place, and its epoch, up to which an earlier run has told of changes.
        self.told = told
        self.begin_again()

    def begin_again(self):
        self.beginnings += 1
        self.position = self.start = self.rules = self.renewed = None
        self.copy, self.after, self.head, self.held = {}, b"", 0, []
        if self.customers:
            self.customers.forget(self.customer_keys)
            self.customer_keys, self.lacks_customers = set(), False

    def forget(self):
        """Step 6. Whoever has acted on what was told is told that it may never have been."""
        if self.reached():
            print(json.dumps({"shard": self.number, "rewound": True}), flush=True)
        self.told = None
        self.begin_again()

    def reached(self):
        """The place, and its epoch, up to which changes have been told; None before there is one."""
        return (self.position, self.position_epoch) if self.position else self.told

    def see(self, head, node):
        """Steps 1 and 4: a node says that it owns the shard, and how long the log is."""
        if head.epoch < self.epoch:
            return
        self.raise_epoch(head.epoch, node)
        self.doubt(place(head.head), head.epoch)
        self.owner, self.head = node, max(self.head, head.head.sequence)
        self.heed(head.rules)
        if self.position and self.lacks_customers and head.customer_rules and self.customers:
            self.begin_again()

    def raise_epoch(self, epoch, node):
        if epoch > self.epoch:
            self.epoch, self.owner, self.head, self.held = epoch, node, 0, []

    def doubt(self, found, epoch):
        """Step 6: what a later owner found shorter, or anybody otherwise, has been lost."""
        if self.position:
            shorter = self.position_epoch < epoch and found[0] < self.position[0]
            if shorter or found[0] == self.position[0] and found[1] not in (None, self.position[1]):
                self.forget()

    def doubt_epoch(self, delta):
        """Step 6: one process writes all of an epoch. Where another does, the store has lost the epoch too."""
        if self.position and self.position_epoch == delta.epoch and delta.position.sequence <= self.position[0]:
            if delta.position.tag != self.position[1]:
                self.forget()

    def heed(self, rules):
        """Step 7: by the owner's rules, what is held may say something else."""
        if self.position and rules != self.rules:
            self.rules = rules
            self.begin_renewal()

    def begin_renewal(self):
        # The key up to which rows have been renewed. A page that is under way belongs to an earlier time.
        self.renewed = b""
        self.beginnings += 1

    def hear(self, delta, node):
        """Step 3."""
        if delta.epoch < self.epoch:
            return
        self.raise_epoch(delta.epoch, node)
        known = delta.HasField("previous")
        self.doubt(place(delta.previous) if known else (delta.position.sequence - 1, None), delta.epoch)
        self.doubt_epoch(delta)
        if self.position and delta.position.sequence <= self.position[0]:
            return
        self.held = (self.held + [delta])[-HELD_LIMIT:]
        self.release()

    def release(self):
        while self.position and self.held:
            delta = self.held[0]
            if delta.position.sequence > self.position[0]:
                if not delta.HasField("previous") or place(delta.previous) != self.position:
                    return
                self.advance(delta)
            self.held.pop(0)

    def advance(self, delta):
        self.position, self.position_epoch = place(delta.position), max(self.position_epoch, delta.epoch)
        self.take(self.rows, delta.image)
        self.tell(delta.image)
        made_by = rules(delta.image.entitlement)
        if self.rules and made_by not in (None, self.rules):
            self.begin_renewal()

    def take(self, rows, image):
        """Steps 5 and 9."""
        self.take_customer(image)
        if image.key[:1] in KINDS and image.version > rows.get(image.key, (0,))[0]:
            rows[image.key] = (image.version, image.entitlement)

    def take_customer(self, image, renews=False):
        if self.customers:
            self.customers.take(image, renews)
            self.customer_keys.add(image.key)
            self.lacks_customers |= image.key[0] in KINDS_OF_CUSTOMERS and not image.HasField("customer")

    def tell(self, image):
        """What is new in the log is a change that somebody wants to hear of, even if the copy was newer."""
        if image.key[:1] in KINDS:
            told = {"shard": self.number, "sequence": self.position[0], **describe(image.key), "version": image.version}
            print(json.dumps({**told, **answer(image.entitlement, time.time() * 1000)}), flush=True)

    def misses(self):
        """Steps 2, 3, 4 and 7: whether there is something to ask for."""
        return self.position is None or self.held or self.head > self.position[0] or self.renewed is not None

    def question(self, number):
        request = proto.StreamRequest(id=number, customers=self.customers is not None)
        if self.position is None:
            request.snapshot.shard, request.snapshot.after = self.number, self.after
        elif self.held or self.head > self.position[0]:
            request.changes.shard = self.number
            request.changes.after.sequence, request.changes.after.tag = self.position
        else:
            request.snapshot.shard, request.snapshot.after = self.number, self.renewed
        return request

    def take_snapshot(self, page):
        if self.position:
            return self.renew(page)
        if page.head.epoch < self.epoch:
            return
        self.raise_epoch(page.head.epoch, self.owner)
        if self.start and self.start.epoch != page.head.epoch:
            return self.begin_again()
        self.start = self.start or page.head
        self.lacks_customers |= not page.head.customer_rules
        for image in page.images:
            self.take(self.copy, image)
        self.after = page.next
        if not page.next:
            # What came between an earlier run and this copy is in it, and has still to be told: step 4 asks for it.
            self.rows, self.rules, self.renewed = self.copy, self.start.rules, None
            self.position, self.position_epoch = self.told or (place(self.start.head), self.start.epoch)
            self.head = max(self.head, self.start.head.sequence)
            self.release()

    def renew(self, page):
        """Step 7: what has gone on since comes by the log."""
        if self.renewed is None or page.head.epoch < self.epoch:
            return
        self.raise_epoch(page.head.epoch, self.owner)
        self.doubt(place(page.head.head), page.head.epoch)
        if page.head.rules != self.rules:
            return self.heed(page.head.rules)
        for image in page.images:
            self.take_customer(image, renews=True)
            if self.rows.get(image.key, (0,))[0] == image.version:
                self.rows[image.key] = (image.version, image.entitlement)
        self.renewed = page.next or None

    def take_changes(self, page):
        if page.head.epoch < self.epoch or self.position is None:
            return
        self.raise_epoch(page.head.epoch, self.owner)
        self.doubt(place(page.head.head), page.head.epoch)
        before = self.position
        # They are of any epochs up to that of the page: history, and no doubt about what is held.
        for delta in page.deltas:
            if self.position and place(delta.previous) == self.position:
                self.advance(delta)
        self.head = max(self.head, page.head.head.sequence)
        self.release()
        if self.position == before:
            self.not_before = time.monotonic() + 0.1


def describe(key):
    texts = [text.decode() for text in key[1:].split(b"\0")]
    return dict(zip(("kind", "id", "environment", "bundleId"), [KINDS[key[:1]], *texts]))


class Node:
    """One node: what it publishes, and a line to ask it."""

    def __init__(self, endpoint, key, follower):
        self.endpoint, self.key, self.follower, self.service, self.port = endpoint, key, follower, None, None
        self.not_before, self.rules = 0.0, 0
        self.reset()
        self.stream = follower.connect(zmq.SUB, endpoint, key)
        self.stream.subscribe(b"")

    def reset(self):
        # Shards of its own that may have something to ask for, each once, with the moment before which they do not ask.
        self.asked, self.curious = 0, []

    def next_moment(self):
        """When it can be asked something; None while it cannot, or need not."""
        if not self.curious or self.asked >= PAGES_AT_A_TIME:
            return None
        return max(self.not_before, self.curious[0][0])

    def meet(self, beat):
        if self.port != beat.service_port:
            self.port = beat.service_port
            endpoint = f"{self.endpoint.rpartition(':')[0]}:{self.port}"
            self.service = self.follower.connect(zmq.DEALER, endpoint, self.key)


class Follower:
    def __init__(self, nodes, secret, path=None, asked_customers=()):
        self.asked_customers, self.told_customers = asked_customers, {}
        self.customers, self.rules_questions = (Customers() if asked_customers else None), {}
        self.context, self.poller = zmq.Context(), zmq.Poller()
        self.keys = (zmq.curve_public(secret), secret)
        self.origin, self.shards, self.questions, self.last_id = None, {}, {}, 0
        self.shard_count, self.has_all, self.nodes, self.gaps = None, False, [], 0
        self.path, self.saved, self.next_housekeeping = path, None, 0.0
        self.load()
        for node in nodes:
            endpoint, _, key = node.partition("=")
            self.nodes.append(Node(endpoint, key.encode(), self))

    def load(self):
        """Where an earlier run has left off."""
        if self.path and os.path.exists(self.path):
            with open(self.path) as file:
                self.saved = json.load(file)
            self.origin = tuple(self.saved["origin"])
            for number, sequence, tag, epoch in self.saved["positions"]:
                self.shards[number] = Shard(number, ((sequence, tag), epoch), self.customers)

    def save(self):
        """Only places, once what came has been told: after a kill some of it is told again, and nothing is missed. The
        rows are not saved, since a snapshot brings them anew."""
        reached = [(number, shard.reached()) for number, shard in self.shards.items()]
        positions = [[number, *found[0], found[1]] for number, found in reached if found]
        saved = {"origin": list(self.origin or ()), "positions": positions}
        if len(positions) != self.shard_count or saved == self.saved:
            return
        with open(self.path + ".new", "w") as file:
            json.dump(saved, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(self.path + ".new", self.path)
        self.saved = saved

    def connect(self, kind, endpoint, server_key):
        socket = self.context.socket(kind)
        # With a bound on what waits to be read a heartbeat may end the process (libzmq's issues 3937 and 4364).
        socket.linger, socket.heartbeat_ivl, socket.rcvhwm = 0, 2000, 0
        socket.curve_serverkey, (socket.curve_publickey, socket.curve_secretkey) = server_key, self.keys
        socket.connect(endpoint)
        self.poller.register(socket, zmq.POLLIN)
        return socket

    def admits(self, origin):
        """Step 6: another store, or this one after it was restored, is another log."""
        found = (origin.store, origin.restore_generation)
        if self.origin and found[0] == self.origin[0] and found < self.origin:
            return False
        if found != self.origin:
            for shard in self.shards.values():
                shard.forget()
            self.origin, self.shards, self.questions = found, {}, {}
            for node in self.nodes:
                node.reset()
        return True

    def shard(self, number):
        if number not in self.shards:
            self.shards[number] = Shard(number, customers=self.customers)
        return self.shards[number]

    def wonder(self, shard):
        # One without an owner asks when a beat says who that is.
        if shard.owner and shard.misses() and not shard.waits and not shard.asked:
            shard.waits = True
            heapq.heappush(shard.owner.curious, (shard.not_before, shard.number))

    def turn(self):
        ready = dict(self.poller.poll(self.patience()))
        for node in self.nodes:
            if node.stream in ready:
                self.drain(node.stream, lambda message: self.hear(message, node))
            if node.service in ready:
                self.drain(node.service, lambda message: self.take(message, node))
        now = time.monotonic()
        self.ask(now)
        # What looks at all shards is not done for each message.
        if now >= self.next_housekeeping:
            self.next_housekeeping = now + HOUSEKEEPING
            self.keep_house(now)

    def patience(self):
        """In milliseconds, until there is something to do although nothing comes."""
        moments = [moment for node in self.nodes if (moment := node.next_moment()) is not None]
        return max(1, min([100] + [(moment - time.monotonic()) * 1000 for moment in moments]))

    def keep_house(self, now):
        for number, (shard, node, _, moment) in list(self.questions.items()):
            if moment + PATIENCE < now:
                del self.questions[number]
                node.asked -= 1
                shard.asked = None
                self.wonder(shard)
        if self.path:
            self.save()
        if not self.has_all and len(self.shards) == self.shard_count:
            following = [shard for shard in self.shards.values() if shard.position]
            if len(following) == self.shard_count:
                self.has_all = True
                print(f"following {sum(len(shard.rows) for shard in following)} streams", file=sys.stderr, flush=True)
        # While a shard is copied again, or its owner does not tell of customers, a no would be a guess.
        knows = all(shard.position and not shard.lacks_customers for shard in self.shards.values())
        if self.has_all and knows and self.customers and self.customers.rules:
            self.tell_customers(time.time() * 1000)

    def tell_customers(self, moment):
        names = dict.fromkeys(entry.entitlement for entry in self.customers.rules.catalog)
        for customer in self.asked_customers:
            found = [name for name in names if self.customers.entitled(customer, name, moment)]
            if self.told_customers.get(customer) != found:
                self.told_customers[customer] = found
                print(json.dumps({"customer": customer, "entitlements": found}), flush=True)

    def drain(self, socket, body):
        for _ in range(1000):
            try:
                body(socket.recv(zmq.NOBLOCK))
            except zmq.Again:
                return

    def hear(self, message, node):
        if message[:2] == BEAT:
            beat = proto.Beat.FromString(message[2:])
            if self.admits(beat.origin):
                node.meet(beat)
                self.shard_count = beat.shard_count
                if self.customers:
                    self.ask_for_rules(beat, node)
                for head in beat.heads:
                    shard = self.shard(head.shard)
                    shard.see(head, node)
                    self.wonder(shard)
        elif message[:1] < b"\x10":
            delta = proto.Delta.FromString(message[2:])
            if self.admits(delta.origin):
                shard = self.shard(int.from_bytes(message[:2], "big"))
                shard.hear(delta, node)
                self.wonder(shard)

    def ask_for_rules(self, beat, node):
        """Step 8. Each beat asks once more until there is an answer."""
        number = beat.heads[0].customer_rules if beat.heads else 0
        if number and number != node.rules and node.service:
            self.last_id += 1
            request = proto.StreamRequest(id=self.last_id)
            request.rules.SetInParent()
            self.rules_questions[request.id] = node
            node.service.send(request.SerializeToString())

    def take(self, message, node):
        found = proto.StreamAnswer.FromString(message)
        asked = self.rules_questions.pop(found.id, None)
        if asked and found.HasField("rules"):
            self.customers.rules, asked.rules = found.rules, found.rules.fingerprint
        if found.id not in self.questions:
            return
        shard, node, beginnings, _ = self.questions.pop(found.id)
        node.asked -= 1
        shard.asked = None
        if beginnings == shard.beginnings:
            self.take_answer(found, shard, node)
        # It may be another's by now, if the store is another.
        if self.shards.get(shard.number) is shard:
            self.wonder(shard)

    def take_answer(self, found, shard, node):
        kind = found.WhichOneof("answer")
        if kind == "failure":
            if found.failure.code == proto.STREAM_FAILURE_CODE_REWOUND:
                shard.forget()
            elif found.failure.code == proto.STREAM_FAILURE_CODE_NOT_OWNER:
                shard.owner = None if shard.owner is node else shard.owner
            else:
                moment = time.monotonic() + max(found.failure.retry_after, 20) / 1000
                if found.failure.code == proto.STREAM_FAILURE_CODE_BUSY:
                    # Whichever shard it is about.
                    node.not_before = moment
                else:
                    shard.not_before = moment
        elif kind and self.admits(getattr(found, kind).origin):
            getattr(shard, f"take_{kind}")(getattr(found, kind))

    def ask(self, now):
        for node in self.nodes:
            while (moment := node.next_moment()) is not None and moment <= now:
                shard = self.shards[heapq.heappop(node.curious)[1]]
                shard.waits = False
                if shard.owner is not node:
                    self.wonder(shard)
                elif node.service and not shard.asked and shard.misses():
                    request = shard.question(self.last_id + 1)
                    self.last_id = shard.asked = request.id
                    self.questions[request.id] = (shard, node, shard.beginnings, now)
                    node.asked += 1
                    self.gaps += request.HasField("changes")
                    node.service.send(request.SerializeToString())

    def dump(self, moment):
        return [
            {**describe(key), "version": version, **answer(entitlement, moment)}
            for shard in self.shards.values()
            for key, (version, entitlement) in shard.rows.items()
        ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--node", action="append", required=True, metavar="ENDPOINT=KEY",
        help="stream.bind of a node, and its public key; once for each node of a cluster")
    parser.add_argument("--key-file", required=True, help="the subscriber's secret key")
    parser.add_argument(
        "--resume", metavar="FILE", help="where to keep how far changes have been told; if it exists, go on after that")
    parser.add_argument("--dump", metavar="FILE", help="where to write all that is known, when SIGTERM or Ctrl-C ends it")
    parser.add_argument("--at", type=int, metavar="MILLISECONDS", help="the moment of the dump; now unless given")
    parser.add_argument("--customer", action="append", default=[], metavar="ID", help="whose entitlements to print, by your id")
    options = parser.parse_args()
    try:
        with open(options.key_file, "rb") as file:
            secret = file.read().split()[0]
        follower = Follower(options.node, secret, options.resume, options.customer)
    except (OSError, LookupError, TypeError, ValueError, zmq.ZMQError) as error:
        sys.exit(f"error: {error}")
    ended = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.append(True))
    try:
        while not ended:
            follower.turn()
        if follower.gaps:
            print(f"asked {follower.gaps} times for changes that had not come", file=sys.stderr)
        if options.dump:
            with open(options.dump, "w") as file:
                json.dump(follower.dump(time.time() * 1000 if options.at is None else options.at), file)
    except (OSError, ValueError, DecodeError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
