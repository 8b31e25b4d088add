"""Checks rendered Kubernetes resources: .ci/deploy-check.py VERSIONS WORK FILE…

Each file is one set of resources. Writes the arguments of all containers into WORK/arguments, a
line each, so that the command line can parse them. A file whose name begins with theodolite is a
list of `blobshuffle bench theodolite`.
"""

import re
import shlex
import sys
from pathlib import Path

import jsonschema
import kubernetes_validate
import yaml

CUSTOM = "monitoring.coreos.com/v1"
MANIFESTS = Path("deploy/manifests/blobshuffle.yaml")
SCHEMA = Path(".ci/theodolite-schema.yaml")
SETTING = re.compile(r"^(blobshuffle\.[a-z.]+)=(.*)$", re.MULTILINE)


class Wrong(Exception):
    pass


def require(holds, problem):
    if not holds:
        raise Wrong(problem)


def pods(resources):
    """The pod templates, with the resource that has each."""
    for resource in resources:
        if resource["kind"] == "CronJob":
            yield resource, resource["spec"]["jobTemplate"]["spec"]["template"]
        elif resource["kind"] in ("StatefulSet", "Deployment"):
            yield resource, resource["spec"]["template"]


def validate(resources, versions):
    names = [(r["kind"], r["metadata"]["name"]) for r in resources]
    require(len(set(names)) == len(names), f"two resources have one name: {sorted(names)}")
    for resource in resources:
        if resource["apiVersion"] != CUSTOM:
            for version in versions:
                kubernetes_validate.validate(resource, version, strict=True)


def restricted(resource, pod):
    """The restricted profile of the Pod Security Standards, and a read-only root."""
    name = resource["metadata"]["name"]
    spec = pod["spec"]
    security = spec["securityContext"]
    require(security["runAsNonRoot"] and security["runAsUser"] > 0, f"{name} may run as root")
    require(security["seccompProfile"]["type"] == "RuntimeDefault", f"{name} has no seccomp profile")
    for kind in ("hostNetwork", "hostPID", "hostIPC"):
        require(kind not in spec, f"{name} sets {kind}")
    volumes = {volume["name"] for volume in spec["volumes"]}
    claims = {claim["metadata"]["name"] for claim in resource["spec"].get("volumeClaimTemplates", [])}
    require(not volumes & claims, f"{name} names a volume twice")
    for container in spec["containers"]:
        security = container["securityContext"]
        require(security["allowPrivilegeEscalation"] is False, f"{name} may gain privileges")
        require(security["capabilities"] == {"drop": ["ALL"]}, f"{name} has capabilities")
        require(security["readOnlyRootFilesystem"], f"{name} can write to its root")
        mounts = {mount["name"] for mount in container["volumeMounts"]}
        require(mounts == volumes | claims, f"{name} mounts {mounts} of {volumes | claims}")


def fits(resource, pod):
    """Heap and direct memory leave the JVM at least 128 MiB of the container's limit."""
    for container in pod["spec"]["containers"]:
        environment = {v["name"]: v.get("value", "") for v in container["env"]}
        sizes = re.findall(r"-(?:Xmx|XX:MaxDirectMemorySize=)(\d+)m", environment["BLOBSHUFFLE_JAVA_OPTS"])
        limit = int(container["resources"]["limits"]["memory"].removesuffix("Mi"))
        require(sizes, f"{resource['metadata']['name']} does not limit the JVM")
        require(
            sum(map(int, sizes)) + 128 <= limit,
            f"{resource['metadata']['name']}: {sizes} MiB do not fit into {limit}",
        )


def selected(resources):
    """What selects pods selects one, and the ports that it names exist."""
    templates = [pod for _, pod in pods(resources)]
    for resource in resources:
        spec = resource.get("spec", {})
        selector = spec.get("podSelector", spec.get("selector", {})) or {}
        labels = dict(selector.get("matchLabels", selector))
        labels.pop("statefulset.kubernetes.io/pod-name", None)
        if not labels:
            continue
        chosen = [p for p in templates if labels.items() <= p["metadata"]["labels"].items()]
        require(chosen, f"{resource['kind']} {resource['metadata']['name']} selects nothing")
        known = {p["name"] for pod in chosen for c in pod["spec"]["containers"] for p in c.get("ports", [])}
        named = {p["targetPort"] for p in spec.get("ports", [])}
        named |= {e["port"] for e in spec.get("podMetricsEndpoints", [])}
        for rule in spec.get("ingress") or []:
            require(rule.get("from"), f"{resource['metadata']['name']} lets everybody in")
            named |= {p["port"] for p in rule["ports"]}
        require(named <= known, f"{resource['metadata']['name']} names ports {named - known}")


def reachable(resources):
    """The members that applications get are services in front of one pod each."""
    services = {r["metadata"]["name"]: r for r in resources if r["kind"] == "Service"}
    for resource in resources:
        if resource["kind"] == "ConfigMap" and "blobshuffle.cache.zone.members" in resource["data"]:
            members = resource["data"]["blobshuffle.cache.zone.members"].split(",")
            replicas = sum(r["spec"]["replicas"] for r in resources if r["kind"] == "StatefulSet")
            require(len(members) == replicas, f"{replicas} caches, and members {members}")
            for member in members:
                zone, name, port = re.fullmatch(r"([^=]+)=([^.]+)\.[^.]+\.svc:(\d+)", member).groups()
                require(services[name]["metadata"]["labels"]["blobshuffle.dev/zone"] == zone, member)
                require(services[name]["spec"]["ports"][0]["port"] == int(port), member)


def same_rules(resources):
    """The alert rules are those of dashboards/alerts.yml."""
    rules = Path("dashboards/alerts.yml").read_text()
    for resource in resources:
        if resource["kind"] == "PrometheusRule":
            text = yaml.safe_dump(resource["spec"], width=10**6)
            expected = yaml.safe_dump(yaml.safe_load(rules), width=10**6)
            whole = re.sub(r"runbook_url: https://\S+?/blob/main/docs/", "runbook_url: docs/", text)
            require(text != expected and whole == expected, "the alert rules differ")


def known_settings(resources):
    """Settings in ConfigMaps are in docs/settings.md, and an example's members are the chart's."""
    known = set(re.findall(r"^\| `(blobshuffle\.[a-z.]+)`", Path("docs/settings.md").read_text(), re.MULTILINE))
    manifests = MANIFESTS.read_text()
    for resource in resources:
        for name, text in resource.get("data", {}).items() if resource["kind"] == "ConfigMap" else ():
            for setting, value in SETTING.findall(text if "\n" in text else f"{name}={text}"):
                require(setting in known, f"there is no setting {setting}")
                if setting == "blobshuffle.cache.zone.members" and "\n" in text:
                    require(f'"{value}"' in manifests, f"members are not those of {MANIFESTS}: {value}")


def check(file, versions):
    resources = [r for r in yaml.safe_load_all(Path(file).read_text()) if r]
    validate(resources, versions)
    selected(resources)
    reachable(resources)
    same_rules(resources)
    known_settings(resources)
    for resource, pod in pods(resources):
        restricted(resource, pod)
        if "examples" not in file:
            fits(resource, pod)
            for container in pod["spec"]["containers"]:
                # A zone's name is data: one of them is enough.
                yield shlex.join(re.sub("^--zone=.*", "--zone=a", a) for a in container["args"])
    print(f"deploy: {file}: {len(resources)} resources")


def by_schema(resource):
    """Of Theodolite or Strimzi: as our schema of their definitions says."""
    definitions = yaml.safe_load(SCHEMA.read_text())["$defs"]
    require(resource["kind"] in definitions, f"{SCHEMA} has no {resource['kind']}")
    schema = {"$ref": f"#/$defs/{resource['kind']}", "$defs": definitions}
    jsonschema.validate(resource, schema, cls=jsonschema.Draft202012Validator)


def check_theodolite(file, versions):
    """The operator finds all files of the ConfigMap, and each of them is a valid resource."""
    configuration, benchmark, execution = yaml.safe_load(Path(file).read_text())["items"]
    validate([configuration], versions)
    by_schema(benchmark)
    by_schema(execution)
    spec = benchmark["spec"]
    named = []
    for part in ("sut", "loadGenerator"):
        for resource in spec[part]["resources"]:
            require(resource["configMap"]["name"] == configuration["metadata"]["name"], f"{part}: other ConfigMap")
            named += resource["configMap"]["files"]
    require(
        sorted(named + ["settings.properties"]) == sorted(configuration["data"]),
        f"the benchmark names {named} of {list(configuration['data'])}",
    )
    inner = {name: yaml.safe_load(configuration["data"][name]) for name in named}
    topics = [resource for resource in inner.values() if resource["kind"] == "KafkaTopic"]
    workloads = [resource for resource in inner.values() if resource["kind"] == "Deployment"]
    require(topics and len(workloads) == 2, f"topics and two deployments are missing: {named}")
    for topic in topics:
        by_schema(topic)
    validate(workloads, versions)
    for resource, pod in pods(workloads):
        restricted(resource, pod)
        for container in pod["spec"]["containers"]:
            limits = container["resources"]["limits"]
            require(set(limits) == {"cpu", "memory"}, f"{resource['metadata']['name']} has the limits {limits}")
    for kind in spec["resourceTypes"] + spec["loadTypes"]:
        for patcher in kind["patchers"]:
            require(patcher["resource"] in inner, f"there is no {patcher['resource']} to patch")
    require(execution["spec"]["benchmark"] == benchmark["metadata"]["name"], "the execution names another benchmark")
    known_settings([configuration])
    print(f"deploy: {file}: {len(inner)} resources in 3")


def main(versions, work, *files):
    arguments = set()
    for file in files:
        try:
            if Path(file).name.startswith("theodolite"):
                check_theodolite(file, versions.split())
            else:
                arguments |= set(check(file, versions.split()))
        except (Wrong, kubernetes_validate.ValidationError, jsonschema.ValidationError) as e:
            sys.exit(f"deploy: {file}: {e}")
    Path(work, "arguments").write_text("".join(f"{line}\n" for line in sorted(arguments)))


main(*sys.argv[1:])
