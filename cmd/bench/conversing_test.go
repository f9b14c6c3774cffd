package main

import "testing"

// What is read of a prompt beyond what is new was read before. A summary and what follows it have a new beginning.
func TestAgain(t *testing.T) {
	read := func(all, read int) reading { return reading{All: all, Read: read} }
	talk := []exchange{
		{prompt: 1000, output: 50, reading: read(1000, 1000)},
		{prompt: 1200, output: 20, reading: read(1200, 151)},
		{prompt: 1300, output: 20, reading: read(1300, 101), summary: true},
		{prompt: 900, output: 20, reading: read(900, 500)},
		{prompt: 1000, output: 20}, // the server was not asked in time
	}
	if r := again(talk); !r.ok || r.got != "0.00 % (0 of 1200, 1 requests)" {
		t.Errorf("%+v", r)
	}
	talk[1].reading = read(1200, 300)
	if r := again(talk); r.ok || r.got != "12.42 % (149 of 1200, 1 requests)" {
		t.Errorf("%+v", r)
	}
	if r := again(talk[:1]); r.ok || r.target != "" {
		t.Errorf("nothing was measured: %+v", r)
	}
}
