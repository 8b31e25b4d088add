package dev.blobshuffle.bench.search;

import static dev.blobshuffle.bench.search.Ordered.json;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The pods of a benchmark on Kubernetes: the application's and the load generator's. They meet the
 * restricted profile of the Pod Security Standards, with a read-only root.
 *
 * @param image the benchmarks' ({@code deploy/image/Containerfile.bench})
 * @param cpu limit of each pod, as Kubernetes writes it, for example {@code 1} or {@code 500m}
 * @param memory limit of each pod, for example {@code 2Gi}; 3/5 of it are the JVM's heap
 * @param serviceAccount of the pods; empty: the namespace's default
 * @param secret whose entries become environment variables, such as a store's credentials
 */
public record TheodolitePods(
        String image, String cpu, String memory, Optional<String> serviceAccount, Optional<String> secret) {
    /** The path of the benchmarks' jars in the image. */
    private static final String JARS = "/opt/blobshuffle-bench/lib/*";

    /** The image's user, which has no privileges. */
    private static final int USER = 10001;

    private static final String SETTINGS = "settings";
    private static final String QUANTITY = "[0-9]+(\\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi)?";

    /** Checks the limits. */
    public TheodolitePods {
        for (String limit : List.of(cpu, memory)) {
            if (!limit.matches(QUANTITY)) {
                throw new IllegalArgumentException("Cannot limit pods to '" + limit
                        + "': it is no quantity of Kubernetes. Give for example --limit-cpu 1 --limit-memory 2Gi.");
            }
        }
    }

    /**
     * A deployment with one replica.
     *
     * @param name of the deployment
     * @param container its name
     * @param main the class that it runs
     * @param settings the ConfigMap with the file {@code settings.properties}
     */
    Map<String, Object> deployment(String name, String container, String main, String settings) {
        Map<String, Object> labels = json("app", name);
        return json(
                "apiVersion",
                "apps/v1",
                "kind",
                "Deployment",
                "metadata",
                json("name", name, "labels", labels),
                "spec",
                json(
                        "replicas",
                        1,
                        "selector",
                        json("matchLabels", labels),
                        "template",
                        json("metadata", json("labels", labels), "spec", pod(container, main, settings))));
    }

    private Map<String, Object> pod(String container, String main, String settings) {
        Map<String, Object> pod = json(
                "securityContext",
                json(
                        "runAsNonRoot",
                        true,
                        "runAsUser",
                        USER,
                        "runAsGroup",
                        USER,
                        "seccompProfile",
                        json("type", "RuntimeDefault")),
                // An experiment ends at once, because nothing of it is used again.
                "terminationGracePeriodSeconds",
                0,
                "containers",
                List.of(container(container, main)),
                "volumes",
                List.of(
                        json(
                                "name",
                                SETTINGS,
                                "configMap",
                                json(
                                        "name",
                                        settings,
                                        "items",
                                        List.of(json("key", "settings.properties", "path", "settings.properties")))),
                        json("name", "tmp", "emptyDir", json())));
        serviceAccount.ifPresent(account -> pod.put("serviceAccountName", account));
        return pod;
    }

    private Map<String, Object> container(String name, String main) {
        Map<String, Object> limits = json("cpu", cpu, "memory", memory);
        List<Object> environment = new ArrayList<>(List.of(json("name", "BENCH_RATE", "value", "1000")));
        Map<String, Object> container = json(
                "name",
                name,
                "image",
                image,
                "command",
                List.of(
                        "java",
                        "-XX:MaxRAMPercentage=60",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        JARS,
                        main,
                        "/settings/settings.properties"),
                "stdin",
                true, // it ends when its standard input does
                "env",
                environment,
                "resources",
                json("requests", limits, "limits", limits),
                "securityContext",
                json(
                        "allowPrivilegeEscalation",
                        false,
                        "readOnlyRootFilesystem",
                        true,
                        "capabilities",
                        json("drop", List.of("ALL"))),
                "volumeMounts",
                List.of(
                        json("name", SETTINGS, "mountPath", "/settings", "readOnly", true),
                        json("name", "tmp", "mountPath", "/tmp")));
        secret.ifPresent(given -> container.put("envFrom", List.of(json("secretRef", json("name", given)))));
        return container;
    }
}
