package dev.blobshuffle.examples;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks that a class path has every field, method and constructor of a library that our classes
 * name in their constant pools. The JVM looks for them only when a line first runs, so a class path
 * with an older library starts, and fails later with a {@code NoSuchMethodError}. Stateless.
 */
final class Linkage {
    /**
     * Libraries whose newer methods our code calls only behind a check of the version, and HTTP/2,
     * which no store uses.
     */
    private static final List<String> GUARDED = List.of("org/apache/kafka/", "org/apache/hc/core5/http2/");

    /** Our jars, and one whose parts must fit together. */
    private static final Pattern CHECKED = Pattern.compile("(blobshuffle-|httpclient5-).*");

    private static final int UTF8 = 1;
    private static final int CLASS = 7;
    private static final int FIELD = 9;
    private static final int METHOD = 10;
    private static final int INTERFACE_METHOD = 11;
    private static final int NAME_AND_TYPE = 12;

    private Linkage() {}

    /**
     * What our jars in a directory name and the other jars in it lack, one line each. A class whose
     * whole package is absent belongs to an optional library, and is left out.
     */
    static Set<String> missing(Path jars) throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.list(jars)) {
            all = files.filter(file -> file.toString().endsWith(".jar")).toList();
        }
        Set<String> packages = new HashSet<>();
        for (Path jar : all) {
            packages.addAll(packages(jar));
        }
        Set<String> missing = new TreeSet<>();
        try (URLClassLoader loader = new URLClassLoader(
                all.stream().map(Linkage::url).toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            for (Path jar : all) {
                if (CHECKED.matcher(jar.getFileName().toString()).matches()) {
                    check(jar, loader, packages, missing);
                }
            }
        }
        return missing;
    }

    private static URL url(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> packages(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream()
                    .filter(entry -> entry.getName().endsWith(".class"))
                    .map(entry -> parent(entry.getName()))
                    .collect(Collectors.toSet());
        }
    }

    private static String parent(String name) {
        return name.substring(0, Math.max(0, name.lastIndexOf('/')));
    }

    private static void check(Path jar, ClassLoader loader, Set<String> packages, Set<String> missing)
            throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            for (JarEntry entry : file.stream().toList()) {
                if (entry.getName().endsWith(".class")) {
                    try (InputStream bytes = file.getInputStream(entry)) {
                        for (Member member : members(bytes.readAllBytes())) {
                            if (!isFound(member, loader, packages)) {
                                missing.add(entry.getName() + ": " + member);
                            }
                        }
                    }
                }
            }
        }
    }

    /**
     * A field, method or constructor as a constant pool names it.
     *
     * @param owner its class, with slashes
     * @param descriptor its types, as the JVM writes them
     */
    private record Member(String owner, String name, String descriptor) {
        boolean isField() {
            return !descriptor.startsWith("(");
        }

        @Override
        public String toString() {
            return owner + "." + name + descriptor;
        }
    }

    /** The members that a class file names; the layout is that of the JVM specification, 4.4. */
    private static List<Member> members(byte[] classFile) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(classFile));
        in.readInt(); // magic
        in.readInt(); // version
        int count = in.readUnsignedShort();
        String[] texts = new String[count];
        int[] tags = new int[count];
        int[] first = new int[count];
        int[] second = new int[count];
        for (int i = 1; i < count; i++) {
            tags[i] = in.readUnsignedByte();
            switch (tags[i]) {
                case UTF8 -> texts[i] = in.readUTF();
                case CLASS, 8, 16, 19, 20 -> first[i] = in.readUnsignedShort();
                case 15 -> in.skipNBytes(3);
                case 3, 4 -> in.readInt();
                case 5, 6 -> {
                    in.readLong();
                    i++; // takes two places
                }
                default -> { // pairs: members, their names and types, dynamic constants
                    first[i] = in.readUnsignedShort();
                    second[i] = in.readUnsignedShort();
                }
            }
        }
        List<Member> members = new ArrayList<>();
        for (int i = 1; i < count; i++) {
            if (tags[i] == FIELD || tags[i] == METHOD || tags[i] == INTERFACE_METHOD) {
                if (tags[second[i]] != NAME_AND_TYPE) {
                    throw new IOException("constant " + i + " names no member");
                }
                members.add(new Member(texts[first[first[i]]], texts[first[second[i]]], texts[second[second[i]]]));
            }
        }
        return members;
    }

    private static boolean isFound(Member member, ClassLoader loader, Set<String> packages) {
        boolean isOurs = member.owner().startsWith("dev/blobshuffle/");
        if (isOurs || member.owner().startsWith("[") || GUARDED.stream().anyMatch(member.owner()::startsWith)) {
            return true;
        }
        Class<?> owner;
        try {
            owner = Class.forName(member.owner().replace('/', '.'), false, loader);
        } catch (ClassNotFoundException | NoClassDefFoundError e) {
            return !packages.contains(parent(member.owner()));
        }
        try {
            return isPartOf(owner, member);
        } catch (NoClassDefFoundError e) {
            return true; // Its members need an optional library, which is absent.
        }
    }

    private static boolean isPartOf(Class<?> type, Member member) {
        if (declares(type, member)) {
            return true;
        }
        Class<?> parent = type.isInterface() ? Object.class : type.getSuperclass();
        return parent != null && isPartOf(parent, member)
                || Stream.of(type.getInterfaces()).anyMatch(each -> isPartOf(each, member));
    }

    private static boolean declares(Class<?> type, Member member) {
        if (member.isField()) {
            return Stream.of(type.getDeclaredFields())
                    .anyMatch(field -> field.getName().equals(member.name())
                            && field.getType().descriptorString().equals(member.descriptor()));
        }
        if (member.name().equals("<init>")) {
            return Stream.of(type.getDeclaredConstructors())
                    .anyMatch(made ->
                            descriptor(void.class, made.getParameterTypes()).equals(member.descriptor()));
        }
        return Stream.of(type.getDeclaredMethods())
                .anyMatch(method -> method.getName().equals(member.name())
                        && (isPolymorphic(method)
                                || descriptor(method.getReturnType(), method.getParameterTypes())
                                        .equals(member.descriptor())));
    }

    /** Those of method and variable handles take any types. */
    private static boolean isPolymorphic(Method method) {
        return method.isVarArgs() && method.getDeclaringClass().getName().startsWith("java.lang.invoke.");
    }

    private static String descriptor(Class<?> result, Class<?>[] parameters) {
        return MethodType.methodType(result, parameters).descriptorString();
    }
}
