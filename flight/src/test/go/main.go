// Reads a partition from a flight daemon with the stock Flight client of Go, and prints its rows and
// the sum of a column: main ADDRESS SHUFFLE PARTITION COLUMN.
package main

import (
	"context"
	"fmt"
	"math"
	"os"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(address, shuffle, partition, column string) error {
	client, err := flight.NewClientWithMiddleware(address, nil, nil,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		// Frames have 4 MiB and more; gRPC's default for Go is 4 MiB.
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))
	if err != nil {
		return err
	}
	defer client.Close()
	ctx := context.Background()
	info, err := client.GetFlightInfo(ctx, &flight.FlightDescriptor{
		Type: flight.DescriptorPATH, Path: []string{"default", shuffle, partition}})
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
	var rows, sum int64
	for reader.Next() {
		record := reader.Record()
		at := reader.Schema().FieldIndices(column)[0]
		for _, value := range record.Column(at).(*array.Int64).Int64Values() {
			sum += value
		}
		rows += record.NumRows()
	}
	if err := reader.Err(); err != nil {
		return err
	}
	if rows != info.TotalRecords {
		return fmt.Errorf("got %d rows of %d", rows, info.TotalRecords)
	}
	fmt.Println(rows, sum)
	return nil
}
