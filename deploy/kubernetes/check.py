"""Holds the manifests beside this file against each other, the program, proto/openapi.yaml and the container file.

    check.py PERENNIAL

Schemas say that a manifest is well-formed; here is what they cannot know: that names, ports and paths meet.
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
problems = []


def expect(condition, problem):
    if not condition:
        problems.append(problem)


resources = {}
for file in sorted(here.glob("*.yaml")):
    for resource in yaml.safe_load_all(file.read_text()):
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
    if kind == "PodDisruptionBudget":
        expect(spec["selector"]["matchLabels"].items() <= labels, f"PodDisruptionBudget {name}: selects no node")
for constraint in pod["topologySpreadConstraints"]:
    expect(constraint["labelSelector"]["matchLabels"].items() <= labels, "topologySpreadConstraints: selects no node")

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

# Probes.
paths = yaml.safe_load((here.parents[1] / "proto" / "openapi.yaml").read_text())["paths"]
for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
    request = node[probe]["httpGet"]
    url = urllib.parse.urlsplit(request["path"])
    operation = paths.get(url.path, {}).get("get")
    expect(operation, f"{probe}: {url.path} is not in proto/openapi.yaml")
    words = {p["name"]: p["schema"].get("enum") for p in (operation or {}).get("parameters", []) if "schema" in p}
    for name, value in urllib.parse.parse_qsl(url.query, keep_blank_values=True):
        expect(value in (words.get(name) or []), f"{probe}: {name}={value} is not in proto/openapi.yaml")
    expect(request["port"] == "http", f"{probe}: {request['port']} does not serve {url.path}")

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
