package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// The constants of the hash of keys: docs/format.md, "Partitions of keys".
const (
	seed     uint64 = 0x9e3779b97f4a7c15
	first    uint64 = 0xbf58476d1ce4e5b9
	second   uint64 = 0x94d049bb133111eb
	nullHash uint64 = 0x632be59bd9b4e019
)

var (
	leastInteger = new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 63))
	endOfInteger = new(big.Int).Lsh(big.NewInt(1), 64)
	ten          = big.NewInt(10)
)

// partitionsOf returns the partition of each row, as the Python package places it.
func partitionsOf(batch arrow.RecordBatch, keys []string, count int) ([]uint32, error) {
	hashes := make([]uint64, batch.NumRows())
	for row := range hashes {
		hashes[row] = seed
	}
	for _, key := range keys {
		found := batch.Schema().FieldIndices(key)
		if len(found) != 1 {
			return nil, fmt.Errorf("%d columns are named %q", len(found), key)
		}
		name, _ := batch.Schema().Field(found[0]).Metadata.GetValue("ARROW:extension:name")
		hash, err := hashOf(batch.Column(found[0]), name == "arrow.bool8")
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", key, err)
		}
		for row := range hashes {
			hashes[row] = mix(hashes[row] ^ hash(row))
		}
	}
	partitions := make([]uint32, len(hashes))
	for row, hash := range hashes {
		partitions[row] = uint32((hash >> 32) * uint64(count) >> 32)
	}
	return partitions, nil
}

// hashOf returns the hash of each row of a column. Integers may stand for booleans.
func hashOf(column arrow.Array, isTruth bool) (func(row int) uint64, error) {
	switch typed := column.(type) {
	case *array.Null:
		return func(int) uint64 { return nullHash }, nil
	case array.ExtensionArray:
		return hashOf(typed.Storage(), typed.ExtensionType().ExtensionName() == "arrow.bool8")
	case *array.Dictionary:
		values, err := hashOf(typed.Dictionary(), false)
		return ifValid(column, func(row int) uint64 { return values(typed.GetValueIndex(row)) }), err
	case *array.RunEndEncoded:
		values, err := hashOf(typed.Values(), false)
		return func(row int) uint64 { return values(typed.GetPhysicalIndex(row)) }, err
	}
	if bytes := bytesOf(column); bytes != nil {
		return ifValid(column, func(row int) uint64 { return hashBytes(bytes(row)) }), nil
	}
	if float := floatOf(column); float != nil {
		return ifValid(column, func(row int) uint64 { return hashFloat(float(row)) }), nil
	}
	if decimal := decimalOf(column); decimal != nil {
		scale := column.DataType().(arrow.DecimalType).GetScale()
		return ifValid(column, func(row int) uint64 { return hashDecimal(decimal(row), scale) }), nil
	}
	word := wordOf(column)
	if word == nil {
		return nil, fmt.Errorf("%s has no hash", column.DataType())
	}
	if isTruth {
		return ifValid(column, func(row int) uint64 { return mix(truth(word(row) != 0)) }), nil
	}
	return ifValid(column, func(row int) uint64 { return mix(word(row)) }), nil
}

func ifValid(column arrow.Array, hash func(row int) uint64) func(row int) uint64 {
	return func(row int) uint64 {
		if column.IsNull(row) {
			return nullHash
		}
		return hash(row)
	}
}

func mix(word uint64) uint64 {
	word += seed
	word = (word ^ word>>30) * first
	word = (word ^ word>>27) * second
	return word ^ word>>31
}

func hashBytes(value []byte) uint64 {
	hash := mix(uint64(len(value)))
	for len(value) > 0 {
		var word [8]byte
		value = value[copy(word[:], value):]
		hash = mix(hash ^ binary.LittleEndian.Uint64(word[:]))
	}
	return hash
}

func hashFloat(value float64) uint64 {
	whole := math.Trunc(value) == value
	switch {
	case math.IsNaN(value):
		return nullHash
	case whole && value >= -0x1p63 && value < 0x1p63:
		return mix(uint64(int64(value)))
	case whole && value >= 0x1p63 && value < 0x1p64:
		return mix(uint64(value))
	}
	return mix(math.Float64bits(value))
}

// hashDecimal hashes unscaled / 10^scale as the integer or the float that it equals, or as text.
func hashDecimal(unscaled *big.Int, scale int32) uint64 {
	power := new(big.Int).Exp(ten, big.NewInt(int64(max(scale, -scale))), nil)
	number := new(big.Rat)
	if scale >= 0 {
		number.SetFrac(unscaled, power)
	} else {
		number.SetInt(new(big.Int).Mul(unscaled, power))
	}
	if number.IsInt() && number.Num().Cmp(leastInteger) >= 0 && number.Num().Cmp(endOfInteger) < 0 {
		if number.Sign() < 0 {
			return mix(uint64(number.Num().Int64()))
		}
		return mix(number.Num().Uint64())
	}
	if near, isExact := number.Float64(); isExact {
		return mix(math.Float64bits(near))
	}
	text := number.FloatString(int(max(scale, 0)))
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return hashBytes([]byte(text))
}

func truth(value bool) uint64 {
	if value {
		return 1
	}
	return 0
}

func bytesOf(column arrow.Array) func(row int) []byte {
	switch typed := column.(type) {
	case *array.Binary:
		return typed.Value
	case *array.LargeBinary:
		return typed.Value
	case *array.BinaryView:
		return typed.Value
	case *array.FixedSizeBinary:
		return typed.Value
	case *array.String:
		return func(row int) []byte { return []byte(typed.Value(row)) }
	case *array.LargeString:
		return func(row int) []byte { return []byte(typed.Value(row)) }
	case *array.StringView:
		return func(row int) []byte { return []byte(typed.Value(row)) }
	}
	return nil
}

func floatOf(column arrow.Array) func(row int) float64 {
	switch typed := column.(type) {
	case *array.Float16:
		return func(row int) float64 { return float64(typed.Value(row).Float32()) }
	case *array.Float32:
		return func(row int) float64 { return float64(typed.Value(row)) }
	case *array.Float64:
		return typed.Value
	}
	return nil
}

func decimalOf(column arrow.Array) func(row int) *big.Int {
	switch typed := column.(type) {
	case *array.Decimal32:
		return func(row int) *big.Int { return big.NewInt(int64(typed.Value(row))) }
	case *array.Decimal64:
		return func(row int) *big.Int { return big.NewInt(int64(typed.Value(row))) }
	case *array.Decimal128:
		return func(row int) *big.Int { return typed.Value(row).BigInt() }
	case *array.Decimal256:
		return func(row int) *big.Int { return typed.Value(row).BigInt() }
	}
	return nil
}

// wordOf returns integers, booleans, and times in nanoseconds, as 64 bits.
func wordOf(column arrow.Array) func(row int) uint64 {
	switch typed := column.(type) {
	case *array.Boolean:
		return func(row int) uint64 { return truth(typed.Value(row)) }
	case *array.Int8:
		return words(typed.Value, 1)
	case *array.Int16:
		return words(typed.Value, 1)
	case *array.Int32:
		return words(typed.Value, 1)
	case *array.Int64:
		return words(typed.Value, 1)
	case *array.Uint8:
		return words(typed.Value, 1)
	case *array.Uint16:
		return words(typed.Value, 1)
	case *array.Uint32:
		return words(typed.Value, 1)
	case *array.Uint64:
		return words(typed.Value, 1)
	case *array.Date32:
		return words(typed.Value, 86_400_000_000_000)
	case *array.Date64:
		return words(typed.Value, 1_000_000)
	case *array.Time32:
		return words(typed.Value, nanoseconds(typed.DataType()))
	case *array.Time64:
		return words(typed.Value, nanoseconds(typed.DataType()))
	case *array.Timestamp:
		return words(typed.Value, nanoseconds(typed.DataType()))
	case *array.Duration:
		return words(typed.Value, nanoseconds(typed.DataType()))
	}
	return nil
}

// words returns values times a factor, modulo 2^64. A conversion keeps the sign of a narrower value.
func words[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](
	value func(row int) T, factor uint64) func(row int) uint64 {
	return func(row int) uint64 { return uint64(value(row)) * factor }
}

func nanoseconds(timed arrow.DataType) uint64 {
	return uint64(timed.(arrow.TemporalWithUnit).TimeUnit().Multiplier().Nanoseconds())
}
