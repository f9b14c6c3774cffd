package main

import "testing"

func TestSourcing(t *testing.T) {
	log := "000.010  000.010: --- NVIM STARTING ---\n003.107  000.320  000.320: sourcing /x/plugin/man.lua\n004.2  000.412  000.400: sourcing /y/plugin/assent.lua\n005.000: done\n"
	if got, err := sourcing([]byte(log), "plugin/assent.lua"); err != nil || got != 0.412 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := sourcing([]byte(log), "plugin/other.lua"); err == nil {
		t.Error("a file that was not sourced has a time")
	}
}
