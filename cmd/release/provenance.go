package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"runtime"
	"strings"

	"github.com/assent-ls/assent/cmd/modules"
)

// repository is where the source is.
const repository = "https://github.com/assent-ls/assent"

// A statement of in-toto (https://in-toto.io/Statement/v1) about how files were built, in the form of SLSA
// (https://slsa.dev/provenance/v1). It is not signed: whoever publishes the release signs it.
type (
	statement struct {
		Type          string     `json:"_type"`
		Subject       []resource `json:"subject"`
		PredicateType string     `json:"predicateType"`
		Predicate     predicate  `json:"predicate"`
	}
	resource struct {
		Name   string            `json:"name,omitempty"`
		URI    string            `json:"uri,omitempty"`
		Digest map[string]string `json:"digest,omitempty"`
	}
	predicate struct {
		BuildDefinition buildDefinition `json:"buildDefinition"`
		RunDetails      runDetails      `json:"runDetails"`
	}
	buildDefinition struct {
		BuildType            string            `json:"buildType"`
		ExternalParameters   map[string]string `json:"externalParameters"`
		InternalParameters   map[string]string `json:"internalParameters"`
		ResolvedDependencies []resource        `json:"resolvedDependencies"`
	}
	runDetails struct {
		Builder builder `json:"builder"`
	}
	builder struct {
		ID string `json:"id"`
	}
)

// provenance writes the statement about the files that a list of checksums names, as `sha256sum` prints them.
func provenance(ctx context.Context, checksums, out string) error {
	data, err := os.ReadFile(checksums)
	if err != nil {
		return err
	}
	subject, err := subjects(data)
	if err != nil {
		return fmt.Errorf("%s: %w", checksums, err)
	}
	commit, err := git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	var all []modules.Module
	for _, system := range systems() {
		some, err := modules.Of(system)
		if err != nil {
			return err
		}
		all = append(all, some...)
	}
	text, err := json.MarshalIndent(statementOf(subject, commit, all), "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(text, '\n'), 0o644) //nolint:gosec // to be published
}

// subjects reads a list of SHA-256 sums and names.
func subjects(checksums []byte) (all []resource, err error) {
	lines := bufio.NewScanner(bytes.NewReader(checksums))
	for lines.Scan() {
		sum, name, found := strings.Cut(lines.Text(), "  ")
		if b, err := hex.DecodeString(sum); err != nil || len(b) != 32 || !found || name == "" {
			return nil, fmt.Errorf("%q is no line of SHA-256 sums", lines.Text())
		}
		all = append(all, resource{Name: name, Digest: map[string]string{"sha256": sum}})
	}
	if len(all) == 0 && lines.Err() == nil {
		return nil, errors.New("it names no file")
	}
	return all, lines.Err()
}

// statementOf says that the subjects were built from a commit and modules. It holds nothing of the machine and of the
// time of the build: two builds of a commit give the same statement.
func statementOf(subject []resource, commit string, all []modules.Module) statement {
	source := resource{URI: "git+" + repository, Digest: map[string]string{"gitCommit": commit}}
	needs, seen := []resource{source}, map[string]bool{}
	for _, m := range all {
		uri := "pkg:golang/" + path.Clean(m.Path) + "@" + m.Version
		if !seen[uri] {
			seen[uri] = true
			needs = append(needs, resource{URI: uri})
		}
	}
	return statement{
		Type: "https://in-toto.io/Statement/v1", Subject: subject, PredicateType: "https://slsa.dev/provenance/v1",
		Predicate: predicate{
			BuildDefinition: buildDefinition{
				BuildType:            repository + "/blob/" + commit + "/.goreleaser.yaml",
				ExternalParameters:   map[string]string{"source": "git+" + repository, "commit": commit},
				InternalParameters:   map[string]string{"go": runtime.Version()},
				ResolvedDependencies: needs,
			},
			RunDetails: runDetails{Builder: builder{ID: repository + "/blob/" + commit + "/.ci/release"}},
		},
	}
}

// git is the first line that git prints.
func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line, nil
}
