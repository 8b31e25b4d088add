package dev.blobshuffle.examples.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A class that is made from the Java of a page and what its text leaves to the reader. Immutable.
 */
final class PrintedJava {
    private static final String NAME = "Printed";

    private final Path classes;

    private PrintedJava(Path classes) {
        this.classes = classes;
    }

    /**
     * Compiles a class.
     *
     * @param directory for its files
     * @param imports packages and classes, as a page's reader would let the editor add them
     * @param members the body of the class
     */
    static PrintedJava compile(Path directory, List<String> imports, String members) throws IOException {
        String source = imports.stream().map(name -> "import " + name + ";\n").collect(Collectors.joining())
                + "public class " + NAME + " {\n" + members + "\n}\n";
        Path file = Files.writeString(directory.resolve(NAME + ".java"), source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options =
                    List.of("-proc:none", "-d", directory.toString(), "-cp", System.getProperty("java.class.path"));
            boolean isCompiled = compiler.getTask(messages, files, null, options, null, files.getJavaFileObjects(file))
                    .call();
            assertThat(isCompiled).as("%s%n%s", messages, source).isTrue();
        }
        return new PrintedJava(directory);
    }

    /** Runs the method {@code static void run()}. */
    void run() throws Exception {
        URL[] path = {classes.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(path, getClass().getClassLoader())) {
            loader.loadClass(NAME).getMethod("run").invoke(null);
        }
    }
}
