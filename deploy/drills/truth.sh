# Read by deploy/drill, which has prepared everything and says what this does.

# Makes the keys that the simulation will sign with: the node needs its root certificate first.
"$perennial" simulate corpus --keys "$data/keys" --count 1 --out "$data/one.jws" >"$data/corpus.log" 2>&1 ||
    fail "no keys: $(tail -n 1 "$data/corpus.log")"
cat >"$data/perennial.yaml" <<END
http: { port: 0 }
store: { url: "sqlite://$data/perennial.db" }
apps:
  - bundleId: com.example.app
    appAppleId: 1234567890
    environments: [Production]
    rootCertificates: [keys/root.cer]
END
say "starting a node and a simulation of $days days and $customers customers"
"$perennial" serve --config "$data/perennial.yaml" >"$data/node.log" 2>&1 &
pids+=($!)
node=$(address "$data/node.log" $! Listening)
"$perennial" simulate --port 0 --keys "$data/keys" --seed "$seed" --history "$days" --subscribers "$customers" \
    --speed 5000000 --deliver-to "$node/v1/apple/notifications" --lose "$lose" --repeat 0.1 --delay 0.1 --reorder 0.1 \
    >"$data/simulation.log" 2>&1 &
pids+=($!)
store=$(address "$data/simulation.log" $! 'answers on')

# The simulation has caught up with the present when what it says is true reaches there.
until [[ "$(curl -fsS --max-time 60 "$store/truth?limit=1" | sed -n 's/.*"now":"\([^"]*\)".*/\1/p')" > \
    "$(date -u -d '-2 minutes' +%FT%T)" ]]; do
    kill -0 "${pids[1]}" 2>/dev/null || fail "the simulation has ended: $(tail -n 1 "$data/simulation.log")"
    kill -0 "${pids[0]}" 2>/dev/null || fail "the node has ended: $(tail -n 1 "$data/node.log")"
    sleep 1
done
say "comparing"
"$perennial" simulate compare --node "$node" --keys "$data/keys" --moments "$moments" --seed "$seed"
