package dev.blobshuffle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What users may call is what {@code docs/api.txt} lists: a change of it is seen in a review.
 * Packages say by {@code @since} that they are public API, or are named {@code internal}.
 */
class PublicApiTest {
    /** The modules that applications depend on. The others are programs and their parts. */
    private static final List<String> LIBRARIES = List.of(
            "core",
            "log",
            "kafka",
            "kstreams",
            "s3",
            "gcs",
            "azure",
            "aws-kms",
            "http",
            "peer",
            "flight",
            "arrow",
            "spark",
            "flink",
            "postgresql",
            "messaging",
            "micrometer",
            "spring-boot-starter",
            "testkit");

    /** Its types, by name. */
    private static final Set<Class<?>> API = new LinkedHashSet<>();

    private static final Path PAGE = Path.of("..", "docs", "api.txt");

    @Test
    void aPackageIsPublicApiOrInternal() throws IOException {
        List<String> undecided = new ArrayList<>();
        for (Map.Entry<String, String> each : packages().entrySet()) {
            boolean isInternal = each.getKey().contains(".internal");
            boolean isPromised =
                    each.getValue().contains("@since") && each.getValue().contains("compatibility.md");
            // The root of core holds nothing.
            if (isInternal == isPromised && !each.getKey().equals("dev.blobshuffle.core")) {
                undecided.add(each.getKey());
            }
        }

        assertThat(undecided)
                .as("say 'Public API' with @since in package-info, or move it below a package named internal")
                .isEmpty();
    }

    /** Nobody can call a method whose parameter is not theirs to name. */
    @Test
    void thePublicApiNamesNothingInternal() throws IOException {
        List<String> leaks = new ArrayList<>();
        for (Class<?> type : API) {
            for (Executable member : executables(type)) {
                Stream.concat(Stream.of(result(member)), Arrays.stream(member.getGenericParameterTypes()))
                        .flatMap(PublicApiTest::named)
                        .filter(used -> isOurs(used) && !API.contains(used))
                        .forEach(used -> leaks.add(type.getName() + "." + member.getName() + ": " + used.getName()));
            }
            for (Field field : fields(type)) {
                named(field.getGenericType())
                        .filter(used -> isOurs(used) && !API.contains(used))
                        .forEach(used -> leaks.add(type.getName() + "." + field.getName() + ": " + used.getName()));
            }
        }

        assertThat(leaks).isEmpty();
    }

    @Test
    void theListSaysWhatThePublicApiIs() throws IOException {
        String list = list();
        if (Boolean.getBoolean("docs.update")) {
            Files.writeString(PAGE, list);
        }

        assertThat(PAGE)
                .as("the public API changed. If docs/compatibility.md allows the change, update the list:"
                        + " ./mvnw -q -Pquick -pl bench -am test -Dtest=PublicApiTest -Ddocs.update=true"
                        + " -Dsurefire.failIfNoSpecifiedTests=false")
                .hasContent(list);
    }

    private static Map<String, String> packages() throws IOException {
        Map<String, String> found = new TreeMap<>();
        for (String module : LIBRARIES) {
            Path root = Path.of("..", module, "src", "main", "java");
            try (Stream<Path> files = Files.walk(root)) {
                for (Path file :
                        files.filter(one -> one.endsWith("package-info.java")).toList()) {
                    found.put(
                            root.relativize(Objects.requireNonNull(file.getParent()))
                                    .toString()
                                    .replace('/', '.'),
                            Files.readString(file));
                }
            }
        }
        assertThat(found).containsKeys("dev.blobshuffle.kafka", "dev.blobshuffle.core.internal.read");
        return found;
    }

    @BeforeAll
    static void findApi() throws IOException {
        Set<String> packages = packages().keySet().stream()
                .filter(name -> !name.contains(".internal"))
                .collect(Collectors.toSet());
        ArchitectureTest.OURS.stream()
                .filter(type -> packages.contains(type.getPackageName()))
                .map(JavaClass::reflect)
                .filter(PublicApiTest::isReachable)
                .sorted((one, other) -> one.getName().compareTo(other.getName()))
                .forEach(API::add);
        assertThat(API).hasSizeGreaterThan(50);
    }

    private static boolean isReachable(Class<?> type) {
        for (Class<?> outer = type; outer != null; outer = outer.getEnclosingClass()) {
            if (!isShown(outer.getModifiers())) {
                return false;
            }
        }
        return !type.isSynthetic() && !type.isAnonymousClass();
    }

    private static boolean isShown(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static boolean isOurs(Class<?> type) {
        return type.getName().startsWith("dev.blobshuffle.");
    }

    /** Constructors and methods, with those that come from a class that is not public API. */
    private static List<Executable> executables(Class<?> type) throws IOException {
        List<Executable> all = new ArrayList<>();
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (isShown(constructor.getModifiers()) && !constructor.isSynthetic()) {
                all.add(constructor);
            }
        }
        for (Class<?> from = type; from != null && isOurs(from); from = from.getSuperclass()) {
            if (from != type && !from.getPackageName().contains(".internal")) {
                continue;
            }
            for (Method method : from.getDeclaredMethods()) {
                if (isShown(method.getModifiers()) && !method.isSynthetic()) {
                    all.add(method);
                }
            }
        }
        return all;
    }

    private static List<Field> fields(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields())
                .filter(field -> isShown(field.getModifiers()) && !field.isSynthetic())
                .toList();
    }

    private static Type result(Executable member) {
        return member instanceof Method method ? method.getGenericReturnType() : void.class;
    }

    /** The classes that a type names. */
    private static Stream<Class<?>> named(Type type) {
        if (type instanceof Class<?> one) {
            return Stream.of(one.isArray() ? one.getComponentType() : one);
        }
        if (type instanceof ParameterizedType parameterized) {
            return Stream.concat(
                    named(parameterized.getRawType()),
                    Arrays.stream(parameterized.getActualTypeArguments()).flatMap(PublicApiTest::named));
        }
        if (type instanceof GenericArrayType array) {
            return named(array.getGenericComponentType());
        }
        if (type instanceof WildcardType wildcard) {
            return Stream.concat(Arrays.stream(wildcard.getUpperBounds()), Arrays.stream(wildcard.getLowerBounds()))
                    .flatMap(PublicApiTest::named);
        }
        return Stream.of(); // A variable; its bounds are seen where they are classes of parameters.
    }

    private static String list() throws IOException {
        StringBuilder list = new StringBuilder("""
                The public API: what docs/compatibility.md promises. Written by PublicApiTest.
                """);
        String in = "";
        for (Class<?> type : API) {
            if (!type.getPackageName().equals(in)) {
                in = type.getPackageName();
                list.append("\npackage ").append(in).append('\n');
            }
            list.append("\n  ").append(declaration(type)).append('\n');
            SortedSet<String> members = new TreeSet<>();
            for (Field field : fields(type)) {
                members.add((field.isEnumConstant()
                                ? ""
                                : modifiers(field.getModifiers()) + text(field.getGenericType()) + " ")
                        + field.getName());
            }
            for (Executable member : executables(type)) {
                members.add(text(type, member));
            }
            members.forEach(member -> list.append("    ").append(member).append('\n'));
        }
        return list.toString();
    }

    private static String declaration(Class<?> type) {
        String kind = type.isAnnotation()
                ? "@interface"
                : type.isInterface() ? "interface" : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
        boolean isPlain = kind.equals("class");
        String modifiers = isPlain ? modifiers(type.getModifiers() & (Modifier.ABSTRACT | Modifier.FINAL)) : "";
        List<String> above = new ArrayList<>();
        if (isPlain && type.getSuperclass() != Object.class) {
            above.add(text(type.getGenericSuperclass()));
        }
        Arrays.stream(type.getGenericInterfaces()).map(PublicApiTest::text).forEach(above::add);
        String name =
                type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
        return modifiers + kind + " " + name + variables(type.getTypeParameters())
                + (above.isEmpty() ? "" : " : " + String.join(", ", above));
    }

    private static String text(Class<?> type, Executable member) {
        String parameters = Arrays.stream(member.getGenericParameterTypes())
                .map(PublicApiTest::text)
                .collect(Collectors.joining(", ", "(", ")"));
        String before = modifiers(member.getModifiers() & (Modifier.STATIC | Modifier.PROTECTED | Modifier.ABSTRACT));
        return member instanceof Method method
                ? (type.isInterface() ? before.replace("abstract ", "") : before) + text(method.getGenericReturnType())
                        + " " + method.getName() + parameters
                : before + "new " + type.getSimpleName() + parameters;
    }

    private static String modifiers(int modifiers) {
        int shown = modifiers & (Modifier.STATIC | Modifier.PROTECTED | Modifier.ABSTRACT | Modifier.FINAL);
        return shown == 0 ? "" : Modifier.toString(shown) + " ";
    }

    private static String variables(TypeVariable<?>[] variables) {
        return variables.length == 0
                ? ""
                : Arrays.stream(variables).map(TypeVariable::getName).collect(Collectors.joining(", ", "<", ">"));
    }

    /** A type by simple names. */
    private static String text(Type type) {
        return type.getTypeName()
                .replaceAll("[a-z][a-z0-9]*[.](?=[a-zA-Z])", "")
                .replace('$', '.');
    }
}
