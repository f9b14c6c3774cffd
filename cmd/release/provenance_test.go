package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/cmd/modules"
)

const sum = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

func TestSubjectsAreTheFilesOfTheChecksums(t *testing.T) {
	got, err := subjects([]byte(sum + "  assent_1.0.0_linux_amd64.tar.gz\n" + sum + "  assent linux.vsix\n"))
	want := []resource{
		{Name: "assent_1.0.0_linux_amd64.tar.gz", Digest: map[string]string{"sha256": sum}},
		{Name: "assent linux.vsix", Digest: map[string]string{"sha256": sum}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, bad := range []string{"", sum + "\n", sum + "  \n", "abc  file\n", strings.Repeat("x", 64) + "  file\n"} {
		if got, err := subjects([]byte(bad)); err == nil {
			t.Errorf("%q names %v", bad, got)
		}
	}
}

// The form is what verifiers of in-toto and SLSA read.
func TestTheStatementNamesSourceAndModules(t *testing.T) {
	subject := []resource{{Name: "a", Digest: map[string]string{"sha256": sum}}}
	twice := []modules.Module{{Path: "example.org/m", Version: "v1.2.3", Dir: "/x"}, {Path: "example.org/m", Version: "v1.2.3", Dir: "/x"}}
	text, err := json.Marshal(statementOf(subject, "abc", twice))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	at := func(path string) any {
		var v any = got
		for key := range strings.SplitSeq(path, ".") {
			v = v.(map[string]any)[key]
		}
		return v
	}
	if at("_type") != "https://in-toto.io/Statement/v1" || at("predicateType") != "https://slsa.dev/provenance/v1" {
		t.Errorf("%s is no statement of provenance", text)
	}
	needs := []any{
		map[string]any{"uri": "git+https://github.com/assent-ls/assent", "digest": map[string]any{"gitCommit": "abc"}},
		map[string]any{"uri": "pkg:golang/example.org/m@v1.2.3"},
	}
	if diff := cmp.Diff(needs, at("predicate.buildDefinition.resolvedDependencies")); diff != "" {
		t.Error(diff)
	}
	for _, path := range []string{"predicate.buildDefinition.buildType", "predicate.runDetails.builder.id"} {
		if uri, _ := at(path).(string); !strings.HasPrefix(uri, "https://") || !strings.Contains(uri, "/abc/") {
			t.Errorf("%s is %q: it names no file of the commit", path, uri)
		}
	}
	if strings.Contains(string(text), "/x") {
		t.Errorf("%s names a folder of this machine", text)
	}
}

func TestNoticesHaveEveryLicense(t *testing.T) {
	var out strings.Builder
	if err := notices(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nGo's standard library: LICENSE\n", "\ngithub.com/spf13/cobra v", "Redistribution and use in source and binary forms",
		"Permission is hereby granted, free of charge", "github.com/inconshreveable/mousetrap", // on Windows alone
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the notices lack %q", want)
		}
	}
	if err := noticesOf(&out, "none", t.TempDir()); err == nil {
		t.Error("a module without a license passes")
	}
}
