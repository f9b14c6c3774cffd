package main

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/ollama/ollama/api"

	"github.com/assent-ls/assent/agent/toolcall/formats"
)

func BenchmarkOurs(b *testing.B) {
	for _, p := range pairs() {
		f, err := formats.ByName(p.ours)
		if err != nil {
			b.Fatal(err)
		}
		for _, size := range []int{4300, 64 << 10, 1 << 20} {
			pieces := chunks(p.written(f, prose(size)), false)
			b.Run(fmt.Sprintf("%s/%d", f.Name(), size), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(size))
				for b.Loop() {
					if _, err := decode(f, ourTools(), pieces); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkOllama(b *testing.B) {
	var tool api.Tool
	if err := json.Unmarshal([]byte(`{"type":"function","function":{"name":"write_file","parameters":`+schema+`}}`), &tool); err != nil {
		b.Fatal(err)
	}
	for _, p := range pairs() {
		f, err := formats.ByName(p.ours)
		if err != nil {
			b.Fatal(err)
		}
		pieces := chunks(p.written(f, prose(4300)), true)
		b.Run(p.theirs+"/4300", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(4300)
			for b.Loop() {
				if _, err := parse(p.theirs, []api.Tool{tool}, pieces); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
