package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestABuildWithoutTheMakefileSaysItsRevision(t *testing.T) {
	at := func(module, revision, modified string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: module}, Settings: []debug.BuildSetting{
			{Key: "-compiler", Value: "gc"}, {Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified},
		}}
	}
	const revision = "0123456789abcdef0123456789abcdef01234567"
	for want, build := range map[string]struct {
		linked string
		info   *debug.BuildInfo
	}{
		"v1.2.3-4-g0123456":  {"v1.2.3-4-g0123456", at("(devel)", revision, "true")},
		"0123456789ab":       {"", at("(devel)", revision, "false")},
		"0123456789ab-dirty": {"", at("v0.0.0-20260131120000-0123456789ab+dirty", revision, "true")},
		"v1.2.3":             {"", &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}},
		"dev":                {"", at("(devel)", "", "")},
	} {
		if got := versionOf(build.linked, build.info); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// VS Code's walkthrough and package managers ask with the flag, people with either.
func TestVersionIsOneLine(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--version"}, {"-v"}} {
		out, notes, status := newUser(t, "").run(args...)
		if status != 0 || notes != "" || out != "assent "+version()+"\n" || strings.Count(out, "\n") != 1 {
			t.Errorf("%q: status %d: %q %q", args, status, out, notes)
		}
	}
}
