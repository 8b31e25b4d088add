// Reads a shuffle from a flight daemon with the stock client of Go, over TLS and with a token:
// main HOST:PORT TRUST TOKEN SHUFFLE MAPS PARTITIONS. Prints for each partition what shuffle.py
// prints: rows, and sums over the columns k, word, text with view, and list.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
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
	if len(os.Args) != 7 {
		log.Fatal("Give HOST:PORT TRUST TOKEN SHUFFLE MAPS PARTITIONS.")
	}
	client, err := connect(os.Args[1], os.Args[2], os.Args[3])
	check(err)
	defer client.Close()
	ctx := context.Background()
	check(commit(ctx, client, os.Args[4], number(os.Args[5])))
	for partition := 0; partition < number(os.Args[6]); partition++ {
		found, err := read(ctx, client, os.Args[4], strconv.Itoa(partition))
		check(err)
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

func read(ctx context.Context, client flight.Client, shuffle, partition string) (sums, error) {
	var found sums
	info, err := client.GetFlightInfo(ctx, &flight.FlightDescriptor{
		Type: flight.DescriptorPATH, Path: []string{namespace, shuffle, partition}})
	if err != nil {
		return found, err
	}
	stream, err := client.DoGet(ctx, info.Endpoint[0].Ticket)
	if err != nil {
		return found, err
	}
	reader, err := flight.NewRecordReader(stream)
	if err != nil {
		return found, err
	}
	defer reader.Release()
	for reader.Next() {
		if err := found.add(reader.RecordBatch()); err != nil {
			return found, err
		}
	}
	if err := reader.Err(); err != nil {
		return found, err
	}
	if found.rows != info.TotalRecords {
		return found, fmt.Errorf("%d rows came of %d", found.rows, info.TotalRecords)
	}
	return found, nil
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
