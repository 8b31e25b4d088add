package dev.blobshuffle.testkit;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/**
 * The file system of this machine, with a look before each call, and with a clock of its own. So a
 * test can let others act between any two calls of the code that it tests. Thread-safe if the look
 * is.
 */
final class WatchedFileSystem extends FileSystem {
    private final FileSystem real;
    private final Duration ahead;
    private final Look look;
    private final Provider provider;

    /** Runs before each call. */
    @FunctionalInterface
    interface Look {
        void before() throws IOException;
    }

    private WatchedFileSystem(FileSystem real, Duration ahead, Look look) {
        this.real = real;
        this.ahead = ahead;
        this.look = look;
        provider = new Provider(real.provider());
    }

    /** A path whose calls are watched. */
    static Path watched(Path path, Look look) {
        return new WatchedFileSystem(path.getFileSystem(), Duration.ZERO, look).wrapped(path);
    }

    /** A path below which files are dated by a clock that is ahead. */
    static Path dated(Path path, Duration ahead) {
        return new WatchedFileSystem(path.getFileSystem(), ahead, () -> {}).wrapped(path);
    }

    private Path wrapped(Path path) {
        return (Path) Proxy.newProxyInstance(
                WatchedFileSystem.class.getClassLoader(),
                new Class<?>[] {Path.class, Wrapped.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("real")) {
                        return path;
                    }
                    if (method.getName().equals("getFileSystem")) {
                        return this;
                    }
                    Object[] own = arguments == null ? new Object[0] : arguments.clone();
                    for (int i = 0; i < own.length; i++) {
                        own[i] = own[i] instanceof Path other ? real(other) : own[i];
                    }
                    try {
                        Object result = method.invoke(path, own);
                        if (result instanceof Iterator<?> names) {
                            return wrapped(names);
                        }
                        return result instanceof Path other ? wrapped(other) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Iterator<Path> wrapped(Iterator<?> paths) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return paths.hasNext();
            }

            @Override
            public Path next() {
                return wrapped((Path) paths.next());
            }
        };
    }

    private static Path real(Path path) {
        return path instanceof Wrapped wrapped ? wrapped.real() : path;
    }

    private interface Wrapped {
        Path real();
    }

    @Override
    public FileSystemProvider provider() {
        return provider;
    }

    @Override
    public void close() {}

    @Override
    public boolean isOpen() {
        return real.isOpen();
    }

    @Override
    public boolean isReadOnly() {
        return real.isReadOnly();
    }

    @Override
    public String getSeparator() {
        return real.getSeparator();
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return () -> wrapped(real.getRootDirectories().iterator());
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return real.getFileStores();
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return real.supportedFileAttributeViews();
    }

    @Override
    public Path getPath(String first, String... more) {
        return wrapped(real.getPath(first, more));
    }

    @Override
    public PathMatcher getPathMatcher(String pattern) {
        PathMatcher matcher = real.getPathMatcher(pattern);
        return path -> matcher.matches(real(path));
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        return real.getUserPrincipalLookupService();
    }

    @Override
    public WatchService newWatchService() {
        throw new UnsupportedOperationException();
    }

    private final class Provider extends FileSystemProvider {
        private final FileSystemProvider files;

        Provider(FileSystemProvider files) {
            this.files = files;
        }

        private Path seen(Path path) throws IOException {
            look.before();
            return real(path);
        }

        @Override
        public String getScheme() {
            return files.getScheme();
        }

        @Override
        public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileSystem getFileSystem(URI uri) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Path getPath(URI uri) {
            return wrapped(files.getPath(uri));
        }

        @Override
        public SeekableByteChannel newByteChannel(
                Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
            return files.newByteChannel(seen(path), options, attributes);
        }

        @Override
        public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
                throws IOException {
            return files.newFileChannel(seen(path), options, attributes);
        }

        @Override
        public DirectoryStream<Path> newDirectoryStream(Path path, DirectoryStream.Filter<? super Path> filter)
                throws IOException {
            DirectoryStream<Path> stream = files.newDirectoryStream(seen(path), one -> filter.accept(wrapped(one)));
            return new DirectoryStream<>() {
                @Override
                public Iterator<Path> iterator() {
                    return wrapped(stream.iterator());
                }

                @Override
                public void close() throws IOException {
                    stream.close();
                }
            };
        }

        @Override
        public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
            files.createDirectory(seen(path), attributes);
        }

        @Override
        public void createLink(Path link, Path existing) throws IOException {
            files.createLink(seen(link), real(existing));
        }

        @Override
        public void delete(Path path) throws IOException {
            files.delete(seen(path));
        }

        @Override
        public boolean deleteIfExists(Path path) throws IOException {
            return files.deleteIfExists(seen(path));
        }

        @Override
        public void copy(Path source, Path target, CopyOption... options) throws IOException {
            files.copy(seen(source), real(target), options);
        }

        @Override
        public void move(Path source, Path target, CopyOption... options) throws IOException {
            files.move(seen(source), real(target), options);
        }

        @Override
        public boolean isSameFile(Path one, Path other) throws IOException {
            return files.isSameFile(seen(one), real(other));
        }

        @Override
        public boolean isHidden(Path path) throws IOException {
            return files.isHidden(seen(path));
        }

        @Override
        public FileStore getFileStore(Path path) throws IOException {
            return files.getFileStore(seen(path));
        }

        @Override
        public void checkAccess(Path path, AccessMode... modes) throws IOException {
            files.checkAccess(seen(path), modes);
        }

        @Override
        public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
            return files.getFileAttributeView(real(path), type, options);
        }

        @Override
        public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
                throws IOException {
            A attributes = files.readAttributes(seen(path), type, options);
            return ahead.isZero() || type != BasicFileAttributes.class ? attributes : type.cast(dated(attributes));
        }

        private Object dated(BasicFileAttributes attributes) {
            return Proxy.newProxyInstance(
                    WatchedFileSystem.class.getClassLoader(),
                    new Class<?>[] {BasicFileAttributes.class},
                    (proxy, method, arguments) -> {
                        Object result = method.invoke(attributes, arguments);
                        return result instanceof FileTime then
                                ? FileTime.from(then.toInstant().plus(ahead))
                                : result;
                    });
        }

        @Override
        public Map<String, Object> readAttributes(Path path, String names, LinkOption... options) throws IOException {
            return files.readAttributes(seen(path), names, options);
        }

        @Override
        public void setAttribute(Path path, String name, Object value, LinkOption... options) throws IOException {
            files.setAttribute(seen(path), name, value, options);
        }
    }
}
