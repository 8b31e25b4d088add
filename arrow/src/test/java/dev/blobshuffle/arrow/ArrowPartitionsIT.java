package dev.blobshuffle.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.files.PrivateFiles;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flight.FlightServer;
import dev.blobshuffle.flight.FlightShuffles;
import dev.blobshuffle.flightdaemon.internal.server.FlightConfig.Security;
import dev.blobshuffle.flightdaemon.internal.server.FlightDaemon;
import dev.blobshuffle.s3sim.TlsIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightClient.ClientStreamListener;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the Python package wrote, read into vectors of arrow-java by {@link ArrowPartitions} and by
 * arrow-java's own Flight client, and what this client puts. Closing an allocator fails if a buffer
 * is still held.
 */
class ArrowPartitionsIT {
    private static final SystemTime TIME = new SystemTime();
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final int MAPS = 3;
    private static final int PARTITIONS = 3;
    private static final Schema SCHEMA = new Schema(
            List.of(Field.nullable("k", new ArrowType.Int(64, true)), Field.nullable("text", ArrowType.Utf8.INSTANCE)));

    @TempDir
    private static Path directory;

    @TempDir
    private static Path files;

    private static FlightDaemon daemon;
    private static FlightDaemon secured;

    @BeforeAll
    static void start() throws IOException {
        daemon = ArrowDaemons.insecure(directory, TIME);
        TlsIdentity identity = TlsIdentity.create();
        PrivateFiles.write(files.resolve("certificate.pem"), identity.certificatePem());
        PrivateFiles.write(files.resolve("key.pem"), identity.keyPem());
        Path tokens = Files.writeString(files.resolve("tokens"), "default " + TOKEN + "\n");
        Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
        Security tls = new Security.Tls(files.resolve("certificate.pem"), files.resolve("key.pem"), tokens);
        secured = ArrowDaemons.start(directory, tls, TIME);
    }

    @AfterAll
    static void close() {
        daemon.close();
        secured.close();
        TIME.close();
    }

    private static FlightShuffles shuffles() {
        return FlightShuffles.connect(FlightServer.insecureLoopback(daemon.port()), "default");
    }

    private static FlightClient stock(BufferAllocator allocator) {
        return FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", daemon.port()))
                .build();
    }

    private static String readAll(FlightShuffles shuffles, String shuffle, BufferAllocator allocator)
            throws IOException {
        StringBuilder sums = new StringBuilder();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            RowSums rows = new RowSums();
            try (ArrowReader reader = ArrowPartitions.read(shuffles, shuffle, partition, allocator)) {
                while (reader.loadNextBatch()) {
                    rows.add(reader.getVectorSchemaRoot(), reader);
                }
                assertThat(reader.loadNextBatch()).isFalse();
            }
            sums.append(rows);
        }
        return sums.toString();
    }

    private static String readAll(FlightClient client, String shuffle, CallOption... options) throws Exception {
        StringBuilder sums = new StringBuilder();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            RowSums rows = new RowSums();
            try (FlightStream stream = stream(client, shuffle, partition, options)) {
                while (stream.next()) {
                    rows.add(stream.getRoot(), stream.getDictionaryProvider());
                }
            }
            sums.append(rows);
        }
        return sums.toString();
    }

    private static FlightStream stream(FlightClient client, String shuffle, int partition, CallOption... options) {
        FlightInfo info =
                client.getInfo(FlightDescriptor.path("default", shuffle, Integer.toString(partition)), options);
        return client.getStream(info.getEndpoints().get(0).getTicket(), options);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "zstd"})
    void partitionsOfThePythonPackageAreRead(String codec) throws Exception {
        String written = Python.shuffle("write", directory.toString(), codec, codec);
        CallHeaders headers = new FlightCallHeaders();
        headers.insert("authorization", "Bearer " + TOKEN);
        FlightServer server = FlightServer.secure("localhost", secured.port(), files.resolve("certificate.pem"), TOKEN);

        try (BufferAllocator allocator = new RootAllocator();
                FlightShuffles plain = shuffles();
                FlightShuffles encrypted = FlightShuffles.connect(server, "default");
                FlightClient client = stock(allocator);
                InputStream certificate = Files.newInputStream(files.resolve("certificate.pem"));
                FlightClient secureClient = FlightClient.builder(
                                allocator, Location.forGrpcTls("localhost", secured.port()))
                        .trustedCertificates(certificate)
                        .build()) {
            plain.commit(codec, MAPS);
            assertThat(written.lines()).hasSize(PARTITIONS).anyMatch(line -> line.startsWith("150000 "));
            assertThat(readAll(plain, codec, allocator)).isEqualTo(written);
            assertThat(readAll(encrypted, codec, allocator)).isEqualTo(written);
            assertThat(readAll(client, codec)).isEqualTo(written);
            assertThat(readAll(secureClient, codec, new HeaderCallOption(headers)))
                    .isEqualTo(written);
            assertThatThrownBy(() -> readAll(secureClient, codec))
                    .isInstanceOfSatisfying(
                            FlightRuntimeException.class,
                            failure -> assertThat(failure.status().code()).isEqualTo(FlightStatusCode.UNAUTHENTICATED));
        }
    }

    /** Rows with the partition of their key, batch by batch. */
    private static void fill(VectorSchemaRoot root, int map, int partition) {
        BigIntVector keys = (BigIntVector) root.getVector("k");
        VarCharVector texts = (VarCharVector) root.getVector("text");
        root.allocateNew();
        for (int row = 0; row < 1_000; row++) {
            keys.setSafe(row, row * PARTITIONS + partition);
            texts.setSafe(row, ("map " + map).getBytes(StandardCharsets.UTF_8));
        }
        root.setRowCount(1_000);
    }

    /** Puts a map of 2,000 rows in each partition; returns the daemon's answer. */
    private static String put(FlightClient client, BufferAllocator allocator, String shuffle, int map)
            throws Exception {
        FlightDescriptor descriptor =
                FlightDescriptor.path("default", shuffle, Integer.toString(map), "0", Integer.toString(PARTITIONS));
        try (VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator);
                SyncPutListener answers = new SyncPutListener()) {
            ClientStreamListener writer = client.startPut(descriptor, root, answers);
            long rows = 0;
            for (int batch = 0; batch < 2 * PARTITIONS; batch++) {
                fill(root, map, batch % PARTITIONS);
                writer.putNext(ArrowDaemons.metadata(allocator, Integer.BYTES, batch % PARTITIONS));
                rows += root.getRowCount();
            }
            writer.putMetadata(ArrowDaemons.metadata(allocator, Long.BYTES, rows));
            writer.completed();
            try (PutResult answer = answers.read()) {
                byte[] text = new byte[(int) answer.getApplicationMetadata().readableBytes()];
                answer.getApplicationMetadata().getBytes(0, text);
                writer.getResult();
                return new String(text, StandardCharsets.UTF_8);
            }
        }
    }

    @Test
    void mapsOfTheStockClientAreStored() throws Exception {
        try (BufferAllocator allocator = new RootAllocator();
                FlightShuffles shuffles = shuffles();
                FlightClient client = stock(allocator)) {
            for (int map = 0; map < 2; map++) {
                assertThat(put(client, allocator, "put", map)).contains("\"rows\":6000", "\"map\":" + map);
            }
            shuffles.commit("put", 2);
            for (int partition = 0; partition < PARTITIONS; partition++) {
                List<String> maps = new ArrayList<>();
                long rows = 0;
                try (ArrowReader reader = ArrowPartitions.read(shuffles, "put", partition, allocator)) {
                    while (reader.loadNextBatch()) {
                        VectorSchemaRoot root = reader.getVectorSchemaRoot();
                        maps.add(new String(((VarCharVector) root.getVector("text")).get(0), StandardCharsets.UTF_8));
                        for (int row = 0; row < root.getRowCount(); row++) {
                            assertThat(((BigIntVector) root.getVector("k")).get(row) % PARTITIONS)
                                    .isEqualTo(partition);
                        }
                        rows += root.getRowCount();
                    }
                }
                assertThat(rows).isEqualTo(4_000);
                assertThat(maps).isSorted().contains("map 0", "map 1");
            }
        }
    }

    @Test
    void aMapWithoutItsNumberOfRowsIsNotStored() throws Exception {
        try (BufferAllocator allocator = new RootAllocator();
                FlightClient client = stock(allocator);
                VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator)) {
            ClientStreamListener writer = client.startPut(
                    FlightDescriptor.path("default", "unfinished", "0", "0", "3"), root, new AsyncPutListener());
            fill(root, 0, 0);
            writer.putNext(ArrowDaemons.metadata(allocator, Integer.BYTES, 0));
            writer.completed();

            assertThatThrownBy(writer::getResult).hasMessageContaining("ended without the number of rows");
        }
        assertThat(directory.resolve("shuffles").resolve("unfinished")).doesNotExist();
    }

    /** The Python package's decoder reads what the codecs here write. */
    @ParameterizedTest
    @EnumSource(names = {"LZ4_FRAME", "ZSTD"})
    void pyarrowReadsWhatTheCodecsWrite(CodecType type) throws Exception {
        Path stream = files.resolve(type + ".arrows");
        try (BufferAllocator allocator = new RootAllocator();
                VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator);
                OutputStream out = Files.newOutputStream(stream);
                ArrowStreamWriter writer = new ArrowStreamWriter(
                        root,
                        new MapDictionaryProvider(),
                        Channels.newChannel(out),
                        IpcOption.DEFAULT,
                        ArrowCompression.INSTANCE,
                        type)) {
            for (int batch = 0; batch < PARTITIONS; batch++) {
                fill(root, 7, batch);
                writer.writeBatch();
            }
            writer.end();
        }

        String program = "import sys, pyarrow as pa; t = pa.ipc.open_stream(sys.argv[1]).read_all();"
                + " t.validate(full=True); print(sorted(t['k'].to_pylist()) == list(range(3000)), set(t['text'].to_pylist()))";
        assertThat(Python.run(List.of("-c", program, stream.toString()))).isEqualTo("True {'map 7'}\n");
        assertThat(stream).satisfies(file -> assertThat(Files.size(file)).isLessThan(30_000));
    }

    @Test
    void whatIsLostOrDamagedIsSaid() throws Exception {
        try (BufferAllocator allocator = new RootAllocator();
                FlightShuffles shuffles = shuffles();
                FlightClient client = stock(allocator)) {
            put(client, allocator, "damaged", 0);
            assertThatThrownBy(() -> ArrowPartitions.read(shuffles, "damaged", 0, allocator))
                    .isInstanceOf(InvalidSettingsException.class);
            shuffles.commit("damaged", 1);
            Path blob;
            try (Stream<Path> blobs = Files.list(directory.resolve("shuffles").resolve("damaged"))) {
                blob = blobs.filter(file -> file.toString().endsWith(".blob"))
                        .findFirst()
                        .orElseThrow();
            }
            try (RandomAccessFile file = new RandomAccessFile(blob.toFile(), "rw")) {
                file.seek(5_000);
                int right = file.read();
                file.seek(5_000);
                file.write(~right);
            }
            assertThatThrownBy(() -> {
                        for (int partition = 0; partition < PARTITIONS; partition++) {
                            try (ArrowReader reader = ArrowPartitions.read(shuffles, "damaged", partition, allocator)) {
                                while (reader.loadNextBatch()) {
                                    assertThat(reader.getVectorSchemaRoot().getRowCount())
                                            .isPositive();
                                }
                            }
                        }
                    })
                    .isInstanceOf(BlobCorruptException.class);
            Files.delete(blob);
            assertThatThrownBy(() -> {
                        try (ArrowReader reader = ArrowPartitions.read(shuffles, "damaged", 0, allocator)) {
                            reader.loadNextBatch();
                        }
                    })
                    .isInstanceOf(BlobMissingException.class)
                    .hasMessageContaining("LOST(0)");
        }
    }

    @Test
    void aReaderThatIsClosedEarlyHoldsNothing() throws Exception {
        Python.shuffle("write", directory.toString(), "early", "lz4");
        try (BufferAllocator allocator = new RootAllocator();
                FlightShuffles shuffles = shuffles()) {
            shuffles.commit("early", MAPS);
            for (int i = 0; i < 20; i++) {
                try (ArrowReader reader = ArrowPartitions.read(shuffles, "early", 0, allocator)) {
                    assertThat(reader.loadNextBatch()).isTrue();
                }
            }
        }
    }
}
