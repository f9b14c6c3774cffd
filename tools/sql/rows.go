package sql

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// row is a row of a result, its columns in order. Two may have one name.
type row []cell

// cell is a value and its column.
type cell struct {
	column string
	value  string
	null   bool
}

// of is the value of a column; empty: it is null, or not there.
func (r row) of(column string) string {
	for _, c := range r {
		if strings.EqualFold(c.column, column) {
			return c.value
		}
	}
	return ""
}

// readRows reads what the Toolbox answers: each row is a text that is a JSON object.
func readRows(texts []string) ([]row, error) {
	var rows []row
	for _, text := range texts {
		if trimmed := strings.TrimSpace(text); trimmed == "null" || trimmed == "" || trimmed == "[]" {
			continue
		}
		if strings.HasPrefix(text, "fail to marshal") {
			return nil, errors.New("a value of the result cannot be given: infinity, or not a number; cast it to text")
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		r, err := readRow(d)
		if err == nil {
			if _, after := d.Token(); !errors.Is(after, io.EOF) {
				err = errors.New("something follows it")
			}
		}
		if err != nil {
			return nil, fmt.Errorf("the Toolbox answered with something that is no row: %w", err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func readRow(d *json.Decoder) (row, error) {
	first, err := d.Token()
	if err != nil {
		return nil, err
	}
	if first != json.Delim('{') {
		return nil, errors.New("it is no object")
	}
	r := row{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, err
		}
		c := cell{column: fmt.Sprint(key)}
		switch raw[0] {
		case 'n':
			c.null = true
		case '"':
			if err := json.Unmarshal(raw, &c.value); err != nil {
				return nil, err
			}
		default:
			var compact bytes.Buffer
			if err := json.Compact(&compact, raw); err != nil {
				return nil, err
			}
			c.value = compact.String()
		}
		r = append(r, c)
	}
	_, err = d.Token()
	return r, err
}
