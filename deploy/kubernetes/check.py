"""Holds manifests against each other, the program, proto/openapi.yaml, the container file and the unit of systemd.

    check.py PERENNIAL [FOLDER]

The manifests are those beside this file, unless a folder with others is named. Schemas say that a manifest is
well-formed; here is what they cannot know: that names, ports, paths and times meet.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

import yaml

here = pathlib.Path(__file__).resolve().parent
perennial = sys.argv[1]
manifests = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else here
problems = []


def expect(condition, problem):
    if not condition:
        problems.append(problem)


resources = {}
for file in sorted(manifests.glob("*.yaml")):
    for resource in filter(None, yaml.safe_load_all(file.read_text())):
        resources[resource["kind"], resource["metadata"]["name"]] = resource

nodes = resources["StatefulSet", "perennial"]["spec"]
template = nodes["template"]
pod = template["spec"]
(node,) = pod["containers"]
(key,) = pod["initContainers"]
ports = {port["name"]: port["containerPort"] for port in node["ports"]}
labels = template["metadata"]["labels"].items()

# Names.
expect(pod["enableServiceLinks"] is False, "enableServiceLinks: variables of Services would be taken for settings")
expect(nodes["selector"]["matchLabels"].items() <= labels, "StatefulSet: the selector does not match its pods")
headless = resources.get(("Service", nodes["serviceName"]), {"spec": {}})["spec"]
expect(headless.get("clusterIP") == "None", "StatefulSet: serviceName is no headless Service")
for (kind, name), resource in resources.items():
    spec = resource.get("spec", {})
    if kind == "Service":
        expect(spec["selector"].items() <= labels, f"Service {name}: selects no node")
        for port in spec["ports"]:
            expect(port["targetPort"] in ports, f"Service {name}: {port['targetPort']} is no port of a node")
for constraint in pod["topologySpreadConstraints"]:
    expect(constraint["labelSelector"]["matchLabels"].items() <= labels, "topologySpreadConstraints: selects no node")

# Nodes that may be away at once: one at least, or no machine could be drained, and never all.
replicas = nodes["replicas"]
expect(replicas >= 3, f"replicas: with {replicas}, nobody is left if a node fails while another one is updated")
budgets = [resource["spec"] for (kind, _), resource in resources.items() if kind == "PodDisruptionBudget"]
budgets = [budget for budget in budgets if budget["selector"]["matchLabels"].items() <= labels]
# Where there are two, Kubernetes refuses to move a pod at all.
expect(len(budgets) == 1, f"PodDisruptionBudget: {len(budgets)} of them are for the nodes, not one")
for budget in budgets:
    away = budget.get("maxUnavailable", replicas - budget["minAvailable"] if "minAvailable" in budget else 0)
    expect(1 <= away < replicas, f"PodDisruptionBudget: {away} of {replicas} nodes may be away at once")

# The image.
version = subprocess.run([perennial, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
containerfile = (here.parent / "container" / "Containerfile").read_text()
user = re.search(r"^USER (\d+):(\d+)$", containerfile, re.MULTILINE)
security = pod["securityContext"]
for container in (node, key):
    expect(container["image"].rpartition(":")[2] == version, f"image {container['image']}: the program is {version}")
expect(
    user and [security["runAsUser"], security["runAsGroup"]] == [int(number) for number in user.groups()],
    "securityContext: not the user of the image",
)
exposed = {int(port) for line in re.findall(r"^EXPOSE (.*)$", containerfile, re.MULTILINE) for port in line.split()}
expect(exposed == set(ports.values()), "ports: not what the image exposes")

# Probes. A node is started anew only when it is stuck, and without its database it is not.
paths = yaml.safe_load((here.parents[1] / "proto" / "openapi.yaml").read_text())["paths"]
for probe, path in {"startupProbe": "/livez", "livenessProbe": "/livez", "readinessProbe": "/readyz"}.items():
    request = node[probe]["httpGet"]
    url = urllib.parse.urlsplit(request["path"])
    expect(url.path == path, f"{probe}: asks {url.path}, not {path}")
    operation = paths.get(url.path, {}).get("get")
    expect(operation, f"{probe}: {url.path} is not in proto/openapi.yaml")
    words = {p["name"]: p["schema"].get("enum") for p in (operation or {}).get("parameters", []) if "schema" in p}
    for name, value in urllib.parse.parse_qsl(url.query, keep_blank_values=True):
        expect(value in (words.get(name) or []), f"{probe}: {name}={value} is not in proto/openapi.yaml")
    expect(request["port"] == "http", f"{probe}: {request['port']} does not serve {url.path}")

# A stop in order ends before it is cut off: first the Services forget the pod, then it takes as long as under systemd.
sleep = node.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command", [])
expect(sleep[:1] == ["sleep"], "preStop: Services send requests to a node that takes no connections any more")
unit = (here.parent / "systemd" / "perennial.service").read_text()
stop = int(re.search(r"^TimeoutStopSec=(\d+)s$", unit, re.MULTILINE)[1])
grace = pod["terminationGracePeriodSeconds"]
least = (int(sleep[1]) if sleep[:1] == ["sleep"] else 0) + stop
expect(grace >= least, f"terminationGracePeriodSeconds: {grace}, and a stop in order may take {least}")

# The configuration, with the variables that a pod sets.
given = {"metadata.name": "perennial-0", "status.podIP": "10.0.0.5"}
variables = {}
for variable in node["env"]:
    source = variable.get("valueFrom", {})
    if "fieldRef" in source:
        value = given[source["fieldRef"]["fieldPath"]]
    elif "secretKeyRef" in source:
        value = "postgresql://perennial@db/perennial"
    else:
        # A name that is set further up is replaced by its value; any other stays as it is, and is no address.
        value = re.sub(r"\$\((\w+)\)", lambda match: variables.get(match[1], match[0]), variable["value"])
    variables[variable["name"]] = value

data = resources["ConfigMap", "perennial"]["data"]
settings = {}
with tempfile.TemporaryDirectory() as folder:
    for name, text in data.items():
        pathlib.Path(folder, name).write_text(text)
    openssl = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384", "-nodes"]
    openssl += ["-subj", "/CN=check", "-keyout", "/dev/null", "-outform", "DER", "-out", f"{folder}/AppleRootCA-G3.cer"]
    subprocess.run(openssl, check=True, capture_output=True)
    curve_key = f"{folder}/curve.key"
    subprocess.run([perennial, "keys", "new", "--out", curve_key], check=True, capture_output=True)
    name = pathlib.PurePath(node["args"][-1]).name
    answer = subprocess.run(
        [perennial, "config", "check", "--config", f"{folder}/{name}", "--output", "json"],
        env={"PATH": os.environ["PATH"], **variables, "PERENNIAL_CLUSTER_CURVE_KEY_FILE": curve_key},
        capture_output=True,
        text=True,
    )
    expect(answer.returncode == 0, f"config check: {answer.stderr.strip()}")
    if answer.returncode == 0:
        settings = {name: setting["value"] for name, setting in json.loads(answer.stdout).items()}


def port_of(address):
    return str(address).rpartition(":")[2]


if settings:
    expect(settings["node.id"] == "perennial-0", "node.id: not the name of the pod")
    expect(settings["cluster.advertise"] == f"10.0.0.5:{ports['cluster']}", "cluster.advertise: not where a pod listens")
    for setting, port in (("http.port", "http"), ("http.public.port", "public"), ("cluster.bind", "cluster")):
        expect(port_of(settings[setting]) == str(ports[port]), f"{setting}: not the port {port} of the container")

# Files are where they are looked for.
mounts = {mount["mountPath"]: mount["name"] for mount in node["volumeMounts"]}
made = {mount["mountPath"]: mount["name"] for mount in key["volumeMounts"]}
volumes = {volume["name"]: volume for volume in pod["volumes"]}
config = pathlib.PurePath(node["args"][-1])
sources = volumes.get(mounts.get(str(config.parent)), {}).get("projected", {}).get("sources", [])
expect({"configMap": {"name": "perennial"}} in sources and config.name in data, f"--config: no {config} in the pod")
curve_key = pathlib.PurePath(yaml.safe_load(data[config.name])["cluster"]["curveKeyFile"]) if config.name in data else None
if curve_key:
    folder = str(curve_key.parent)
    expect(folder in mounts and mounts[folder] == made.get(folder), f"cluster.curveKeyFile: no volume at {folder}")
    expect(f"--out {curve_key}" in key["command"][-1], "cluster.curveKeyFile: not the key that the init container makes")

for problem in problems:
    print(f"error: deploy/kubernetes: {problem}", file=sys.stderr)
sys.exit(1 if problems else 0)
