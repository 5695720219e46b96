# Read by deploy/drill, which has prepared everything and says what this does.

helper() { python3 -B "$root/deploy/drills/customers.py" "$@"; }

# PostgreSQL and its keys are of other users.
chmod 711 "$data"
# Until simulated time has come to the present. Three nodes and a database share the processors.
span=$((60 + customers * days / 8000 * (nodes + 1) / 2))
speed=$((days * 86400 / span))
read -r -a ports < <(helper ports --count 4)
RANDOM=$seed

start_database() {
    local programs as_database=()
    programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
    mkdir "$data/postgres"
    # PostgreSQL does not run as root.
    if [ "$(id -u)" -eq 0 ]; then
        as_database=(setpriv --reuid postgres --regid postgres --init-groups)
        chown postgres "$data/postgres"
        "${as_database[@]}" test -x "$data/postgres" || fail "the user postgres cannot enter $data: choose another --data"
    fi
    "${as_database[@]}" "$programs/initdb" -D "$data/postgres/data" -U perennial -A trust --no-locale -E UTF8 >"$data/initdb.log"
    # In a session of its own: Ctrl-C is for the nodes first.
    setsid "${as_database[@]}" "$programs/postgres" -D "$data/postgres/data" -c port="${ports[3]}" \
        -c listen_addresses=127.0.0.1 -c unix_socket_directories= >"$data/postgres.log" 2>&1 &
    database_pid=$!
    disown
    psql="$programs/psql"
    until "$psql" -q "${database%/*}/postgres" -c 'CREATE DATABASE perennial' >/dev/null 2>&1; do
        kill -0 "$database_pid" 2>/dev/null || fail "PostgreSQL did not start: $(tail -n 3 "$data/postgres.log")"
        sleep 0.2
    done
}
if [ "$nodes" = 1 ]; then
    database=sqlite://$data/perennial.db
    sql() { helper query --file "$data/perennial.db" --sql "$1"; }
else
    database=postgresql://perennial@127.0.0.1:${ports[3]}/perennial
    sql() { "$psql" -qAt "$database" -c "$1"; }
    say "starting PostgreSQL"
    start_database
fi

backends=() deliveries=() urls=() at=()
for ((node = 0; node < nodes; node++)); do
    urls+=("http://127.0.0.1:${ports[node]}")
    backends+=(--backend "${urls[node]}")
    deliveries+=(--deliver-to "${urls[node]}/v1/apple/notifications")
    at+=(--node "${urls[node]}")
done

say "starting a simulation of $days days and $customers customers, which takes $span seconds"
"$perennial" simulate scenario --customers >"$data/scenario.yaml"
helper people --count $((customers / 10)) --days "$days" --seed "$seed" >>"$data/scenario.yaml"
"$perennial" simulate --port 0 --keys "$data/keys" --seed "$seed" --history "$days" --subscribers "$customers" \
    --speed "$speed" --scenario "$data/scenario.yaml" "${deliveries[@]}" "${backends[@]}" \
    --lose "$lose" --repeat 0.1 --delay 0.1 --reorder 0.1 >"$data/simulation.log" 2>&1 &
pids[nodes]=$!
simulation=$!
disown
store=$(address "$data/simulation.log" "$simulation" 'answers on')

# Where nodes ask about Sandbox: a store with the same keys, in which nothing is ever sold.
mkdir "$data/sandbox"
cp "$data/keys/authority.json" "$data/sandbox"
echo 'products: [{ id: basic.monthly, group: "1", level: 1, period: P1M, price: 4.99 }]' >"$data/sandbox.yaml"
"$perennial" simulate --port 0 --keys "$data/sandbox" --environment Sandbox --scenario "$data/sandbox.yaml" --subscribers 1 \
    --history 1 --speed 0.001 >"$data/sandbox.log" 2>&1 &
pids[nodes + 2]=$!
disown
sandbox=$(address "$data/sandbox.log" "${pids[nodes + 2]}" 'answers on')

# $1: what is configured beside what all nodes have in common.
configure() {
    local node cluster
    for ((node = 0; node < nodes; node++)); do
        cluster=
        if [ "$nodes" -gt 1 ]; then
            [ -e "$data/node-$node.key" ] || "$perennial" keys new --out "$data/node-$node.key" >/dev/null
            cluster="cluster: { bind: \"127.0.0.1:0\", curveKeyFile: node-$node.key, lease: 3s }
stream: { bind: \"127.0.0.1:0\" }"
        fi
        cat >"$data/node-$node.yaml" <<END
node: { id: node-$node }
http: { port: ${ports[node]} }
store: { url: "$database" }
$cluster
apps:
  - bundleId: com.example.app
    appAppleId: 1234567890
    environments: [Production, Sandbox]
    rootCertificates: [keys/root.cer]
    sandboxCounts: { policy: listed, customers: [app-review] }
    serverAPI:
      { keyId: $(setting keyId), issuerId: $(setting issuerId), privateKeyFile: keys/AuthKey.p8, share: 1,
        baseURL: { Production: "$(setting baseURL)", Sandbox: "$sandbox" } }
entitlements:
  # Half a real second, in fast time.
  renewalLeeway: { Production: $((7200 > speed / 2 ? 7200 : speed / 2))s }
  catalog:
    - { entitlement: pro, products: [pro.monthly, pro.yearly, pro.committed], rank: 2 }
    - { entitlement: basic, products: [basic.monthly, pro.monthly, pro.yearly, pro.committed] }
$1
END
    done
}
setting() { sed -n "s/.*\"$1\" *: *\"\{0,1\}\([^\",}]*\).*/\1/p" "$data/keys/store.json" | head -n 1; }

start_node() {
    # By the simulation's clock.
    "$perennial" serve --config "$data/node-$1.yaml" --simulation "$data/keys" >>"$data/node-$1.log" 2>&1 &
    pids[$1]=$!
    disown
}
is_ready() { curl -fsS --max-time 5 "${urls[$1]}/readyz?for=reads" >/dev/null 2>&1; }
# Also one that begins again in its process, which takes half a minute.
await_node() {
    local tries
    for ((tries = 0; tries < 450; tries++)); do
        is_ready "$1" && return
        kill -0 "${pids[$1]}" 2>/dev/null || fail "node-$1 has ended: $(tail -n 3 "$data/node-$1.log")"
        sleep 0.2
    done
    fail "node-$1 is not ready after a minute and a half: $(tail -n 3 "$data/node-$1.log")"
}
await_nodes() { for ((node = 0; node < nodes; node++)); do await_node "$node"; done; }

configure ""
say "starting $nodes node(s)"
for ((node = 0; node < nodes; node++)); do
    start_node "$node"
    await_node "$node"
done
: >"$data/journal.jsonl"
# Not by way of helper, a shell of its own that signals would go to.
python3 -B "$root/deploy/drills/customers.py" traffic --store "$store" "${at[@]}" --journal "$data/journal.jsonl" \
    --seed "$seed" 2>"$data/traffic.log" &
pids[nodes + 1]=$!
traffic=$!
disown

# Each consistency at the given nodes.
compare() {
    local node consistency
    for node in "$@"; do
        for consistency in local owner durable; do
            "$perennial" simulate compare --customers --consistency "$consistency" --node "${urls[node]}" --keys "$data/keys" \
                --output json 2>"$data/compare.log" |
                helper tally --consistency "$consistency" --sums "$data/sums.jsonl" || fail "${2:-} $(tail -n 1 "$data/compare.log")"
        done
    done
}

# What happens to the nodes before a moment, in turn.
disturb() {
    local node=$((RANDOM % nodes)) other shard
    case $1 in
    0)
        say "killing node-$node, which starts again"
        kill -9 "${pids[node]}"
        gone "${pids[node]}"
        [ "$nodes" = 1 ] || sleep 3
        start_node "$node"
        await_node "$node"
        ;;
    1)
        say "stopping node-$node for longer than its lease"
        kill -STOP "${pids[node]}"
        sleep $((nodes > 1 ? 5 : 2))
        kill -CONT "${pids[node]}"
        ;;
    2)
        if [ "$nodes" = 1 ]; then return; fi
        other=$(((node + 1) % nodes))
        say "moving shards to node-$node"
        for shard in $(seq 0 16 255); do
            "$perennial" shards move "$shard" --to "node-$node" --node "${urls[other]}" >>"$data/moves.log" 2>&1 || true
        done
        ;;
    3)
        say "restarting node-$node in order"
        kill -TERM "${pids[node]}"
        gone "${pids[node]}"
        start_node "$node"
        await_node "$node"
        ;;
    esac
}

late=0
for ((moment = 0; moment < moments; moment++)); do
    disturb $((moment % 4))
    # Somewhere in its part of the time, and when the nodes have caught up.
    part=$(awk -v n="$moment" -v of="$moments" -v r="$RANDOM" 'BEGIN { print (n + r / 32768) / of }')
    day=$(helper await --keys "$data/keys" --store "$store" --part "$part") || exit 1
    [[ $day != *late ]] || late=$((late + 1))
    node=$((RANDOM % nodes))
    await_node "$node"
    say "comparing at node-$node, $day (moment $((moment + 1)) of $moments)"
    compare "$node"
done

[ "$late" = 0 ] || say "$late of $moments moments came when all had been simulated: fewer customers take less time"
say "waiting for the end"
helper await --keys "$data/keys" --store "$store" --part 1 >/dev/null || exit 1
kill -TERM "$traffic"
gone "$traffic"
[ ! -s "$data/traffic.log" ] || fail "what others do has failed: $(tail -n 1 "$data/traffic.log")"
await_nodes

# Retries are days apart in simulated time, which is real time now: what is missing has to come from the Server API.
say "asking the simulated App Store for what was lost"
"$perennial" reconcile run --node "${urls[0]}" || fail "the reconciliation has failed"
say "comparing at the end"
compare $(seq 0 $((nodes - 1)))

none() {
    local found
    found=$(sql "$2")
    [ "$found" = 0 ] || fail "$found $1"
}
check() {
    local tries waiting
    say "looking at every customer"
    helper check --store "$store" "${at[@]}" --journal "$data/journal.jsonl" || exit 1
    for ((tries = 0; tries < 100; tries++)); do
        waiting=$(sql 'SELECT count(*) FROM inbox')
        [ "$waiting" != 0 ] || break
        sleep 0.2
    done
    [ "$waiting" = 0 ] || fail "$waiting rows are left in the inbox"
    [ "$(sql 'SELECT count(*) FROM quarantine')" = 0 ] || fail "something is in the quarantine"
    none 'look-ups lead to no stream' \
        'SELECT count(*) FROM identifier WHERE stream_id NOT IN (SELECT id FROM stream)'
    none 'streams have another number of events than their version' \
        'SELECT count(*) FROM stream WHERE version <> (SELECT count(*) FROM event WHERE event.stream_id = stream.id)'
    none 'shards end elsewhere than their logs' \
        'SELECT count(*) FROM shard WHERE head_seq <> (SELECT coalesce(max(seq), 0) FROM event WHERE event.shard_id = shard.shard_id)'
    say "the inbox and the quarantine are empty; $(sql 'SELECT count(*) FROM event') events of $(sql 'SELECT count(*) FROM stream') streams"
}
check

# States of other rules are derived from the log, and rows of other settings from the states. What is set here concerns a product
# that does not exist.
say "stopping the nodes, and having every state derived from the log"
for ((node = 0; node < nodes; node++)); do
    kill -TERM "${pids[node]}"
    gone "${pids[node]}"
done
if [ "$nodes" = 1 ]; then
    sql "UPDATE stream SET state = x'087f'" >/dev/null
else
    sql "UPDATE stream SET state = '\\x087f'" >/dev/null
fi
configure "  nonRenewing: { drill.nothing: 30d }"
for ((node = 0; node < nodes; node++)); do start_node "$node"; done
await_nodes
compare $(seq 0 $((nodes - 1)))
check

say "$(helper totals --sums "$data/sums.jsonl"), in $SECONDS seconds"
