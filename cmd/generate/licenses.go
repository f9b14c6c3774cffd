package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// program is whose parts are listed.
const program = "github.com/assent-ls/assent/cmd/assent"

// licensesPage is docs/licenses.md: the modules that the program is made of, with the licenses that lie in them. It
// needs no network where the program can be built.
func licensesPage([]byte) ([]byte, error) {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", program) //nolint:noctx // it ends by itself
	// the same list on every machine
	list.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0")
	out, err := list.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = errors.New(string(exit.Stderr))
	}
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	var b bytes.Buffer
	b.WriteString("# Licenses\n\n" + notice)
	b.WriteString(
		"What the program is made of besides the Go standard library, on Linux, " +
			"and the license of each module as its own files have it.\n\n| module | version | license |\n" +
			"|---|---|---|\n",
	)
	for _, line := range slices.Compact(lines) {
		module := strings.Split(line, "\t")
		if len(module) != 3 {
			continue // of the standard library, or our own
		}
		found, err := licensesIn(module[2])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", module[0], err)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", module[0], module[1], found)
	}
	return b.Bytes(), nil
}

// licensesIn names the licenses whose texts lie in the folder of a module.
func licensesIn(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var found []string
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if !strings.HasPrefix(name, "license") && !strings.HasPrefix(name, "licence") &&
			!strings.HasPrefix(name, "copying") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		kind := licenseOf(string(text))
		if kind == "" {
			return "", fmt.Errorf(
				"%s is a license that the generator does not know: read it, and add it if it can be used", e.Name(),
			)
		}
		found = append(found, kind)
	}
	if len(found) == 0 {
		return "", errors.New("there is no license in it")
	}
	slices.Sort(found)
	return strings.Join(slices.Compact(found), ", "), nil
}

// licenseOf names the license, or the licenses, of a text by the sentences that only they have; empty: another one.
func licenseOf(text string) string {
	words := strings.Join(strings.Fields(text), " ")
	has := func(sentence string) bool { return strings.Contains(words, sentence) }
	var found []string
	for name, is := range map[string]bool{
		"Apache-2.0": has("Apache License Version 2.0") || has("Licensed under the Apache License, Version 2.0"),
		"MIT":        has("Permission is hereby granted, free of charge, to any person obtaining a copy"),
		"ISC": has(
			"Permission to use, copy, modify, and distribute this software for any purpose with or without fee is " +
				"hereby granted, provided",
		),
		"BSD-3-Clause": has("Redistributions in binary form") && has("endorse or promote products"),
		"BSD-2-Clause": has("Redistributions in binary form") && !has("endorse or promote products"),
	} {
		if is {
			found = append(found, name)
		}
	}
	if has("GNU GENERAL PUBLIC LICENSE") || has("GNU LESSER GENERAL PUBLIC LICENSE") || has("GNU AFFERO") {
		return ""
	}
	slices.Sort(found)
	return strings.Join(found, ", ")
}
