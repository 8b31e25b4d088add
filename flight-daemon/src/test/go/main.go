// Reads a shuffle from a flight daemon with the stock client of Go, over TLS and with a token:
// main HOST:PORT TRUST TOKEN SHUFFLE MAPS PARTITIONS [TARGET [KEYS ...]]. Prints for each partition
// what shuffle.py prints: rows, and sums over the columns k, word, text with view, and list. With a
// target, it puts the rows there first, as one map, and reads them from there. With keys, columns
// separated by commas, it only puts: for the keys number n it makes the shuffle TARGET-n, with each
// row in the partition of its key.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

const namespace = "default"

// token sends the daemon's token with every call.
type token string

func (t token) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(t)}, nil
}

func (t token) RequireTransportSecurity() bool { return true }

type sums struct {
	rows, k, word, length, list int64
}

func main() {
	if len(os.Args) < 7 {
		log.Fatal("Give HOST:PORT TRUST TOKEN SHUFFLE MAPS PARTITIONS [TARGET [KEYS ...]].")
	}
	client, err := connect(os.Args[1], os.Args[2], os.Args[3])
	check(err)
	defer client.Close()
	ctx := context.Background()
	shuffle, partitions := os.Args[4], number(os.Args[6])
	check(commit(ctx, client, shuffle, number(os.Args[5])))
	if len(os.Args) > 8 {
		for n, keys := range os.Args[8:] {
			target := fmt.Sprintf("%s-%d", os.Args[7], n)
			check(put(ctx, client, shuffle, target, partitions, strings.Split(keys, ",")))
			check(commit(ctx, client, target, 1))
		}
		return
	}
	if len(os.Args) == 8 {
		check(put(ctx, client, shuffle, os.Args[7], partitions, nil))
		shuffle = os.Args[7]
		check(commit(ctx, client, shuffle, 1))
	}
	for partition := 0; partition < partitions; partition++ {
		var found sums
		check(read(ctx, client, shuffle, partition, found.add))
		fmt.Println(found.rows, found.k, found.word, found.length, found.list)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	check(err)
	return value
}

func connect(address, trust, secret string) (flight.Client, error) {
	pem, err := os.ReadFile(trust)
	if err != nil {
		return nil, err
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate", trust)
	}
	return flight.NewClientWithMiddleware(address, nil, nil,
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: authorities})),
		grpc.WithPerRPCCredentials(token(secret)),
		// Frames may have a little more than gRPC's 4 MiB.
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
}

func commit(ctx context.Context, client flight.Client, shuffle string, maps int) error {
	body, err := json.Marshal(map[string]any{"namespace": namespace, "shuffle": shuffle, "maps": maps})
	if err != nil {
		return err
	}
	results, err := client.DoAction(ctx, &flight.Action{Type: "commit", Body: body})
	if err != nil {
		return err
	}
	_, err = results.Recv()
	return err
}

// read hands each batch of a partition to take.
func read(ctx context.Context, client flight.Client, shuffle string, partition int,
	take func(arrow.RecordBatch) error) error {
	info, err := client.GetFlightInfo(ctx, &flight.FlightDescriptor{
		Type: flight.DescriptorPATH, Path: []string{namespace, shuffle, strconv.Itoa(partition)}})
	if err != nil {
		return err
	}
	stream, err := client.DoGet(ctx, info.Endpoint[0].Ticket)
	if err != nil {
		return err
	}
	reader, err := flight.NewRecordReader(stream)
	if err != nil {
		return err
	}
	defer reader.Release()
	var rows int64
	for reader.Next() {
		rows += reader.RecordBatch().NumRows()
		if err := take(reader.RecordBatch()); err != nil {
			return err
		}
	}
	if err := reader.Err(); err != nil {
		return err
	}
	if rows != info.TotalRecords {
		return fmt.Errorf("%d rows came of %d", rows, info.TotalRecords)
	}
	return nil
}

// put writes all rows of a shuffle as the only map of another one: in their partitions, or in those
// of their keys.
func put(ctx context.Context, client flight.Client, shuffle, target string, partitions int, keys []string) error {
	stream, err := client.DoPut(ctx)
	if err != nil {
		return err
	}
	var writer *flight.Writer
	var rows int64
	for partition := 0; partition < partitions; partition++ {
		err := read(ctx, client, shuffle, partition, func(batch arrow.RecordBatch) error {
			if writer == nil {
				writer = flight.NewRecordWriter(stream, ipc.WithSchema(batch.Schema()))
				writer.SetFlightDescriptor(&flight.FlightDescriptor{Type: flight.DescriptorPATH,
					Path: []string{namespace, target, "0", "0", strconv.Itoa(partitions)}})
			}
			rows += batch.NumRows()
			if keys == nil {
				return write(writer, batch, uint32(partition))
			}
			return writeByKey(writer, batch, keys, partitions)
		})
		if errors.Is(err, io.EOF) {
			// The daemon has ended the stream, and says why in its answer.
			_, err = stream.Recv()
		}
		if err != nil {
			return err
		}
	}
	if writer == nil {
		return fmt.Errorf("%s has no rows to put", shuffle)
	}
	// Without the number of rows the daemon would store nothing.
	if err := stream.Send(&flight.FlightData{AppMetadata: binary.LittleEndian.AppendUint64(nil, uint64(rows))}); err != nil {
		return err
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	answer, err := stream.Recv()
	if err != nil {
		return err
	}
	var ref struct{ Rows int64 }
	if err := json.Unmarshal(answer.AppMetadata, &ref); err != nil {
		return err
	}
	if ref.Rows != rows {
		return fmt.Errorf("%d rows were stored of %d", ref.Rows, rows)
	}
	return nil
}

func write(writer *flight.Writer, batch arrow.RecordBatch, partition uint32) error {
	return writer.WriteWithAppMetadata(batch, binary.LittleEndian.AppendUint32(nil, partition))
}

// writeByKey writes each run of rows of one partition as a batch.
func writeByKey(writer *flight.Writer, batch arrow.RecordBatch, keys []string, partitions int) error {
	found, err := partitionsOf(batch, keys, partitions)
	if err != nil {
		return err
	}
	for start := 0; start < len(found); {
		end := start + 1
		for end < len(found) && found[end] == found[start] {
			end++
		}
		run := batch.NewSlice(int64(start), int64(end))
		err := write(writer, run, found[start])
		run.Release()
		if err != nil {
			return err
		}
		start = end
	}
	return nil
}

func (s *sums) add(batch arrow.RecordBatch) error {
	s.rows += batch.NumRows()
	keys := batch.Column(0).(*array.Int64)
	texts := batch.Column(1).(*array.String)
	views := batch.Column(2).(*array.StringView)
	lists := batch.Column(3).(*array.List)
	words := batch.Column(4).(*array.Dictionary)
	dictionary := words.Dictionary().(*array.String)
	for row := 0; row < int(batch.NumRows()); row++ {
		s.k += keys.Value(row)
		s.length += int64(len(texts.Value(row)) + len(views.Value(row)))
		word := dictionary.Value(words.GetValueIndex(row))
		var writer, value int64
		if _, err := fmt.Sscanf(word, "%d-%d", &writer, &value); err != nil {
			return err
		}
		s.word += writer + value
		start, end := lists.ValueOffsets(row)
		for _, one := range lists.ListValues().(*array.Int32).Int32Values()[start:end] {
			s.list += int64(one)
		}
	}
	return nil
}
