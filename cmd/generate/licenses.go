package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-ls/assent/cmd/modules"
)

// licensesPage is docs/licenses.md: the modules that the program is made of, with the licenses that lie in them. It
// needs no network where the program can be built.
func licensesPage([]byte) ([]byte, error) {
	all, err := modules.Of("linux")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("# Licenses\n\n" + notice)
	b.WriteString(
		"What the program is made of besides the Go standard library, on Linux, " +
			"and the license of each module as its own files have it.\n\n| module | version | license |\n" +
			"|---|---|---|\n",
	)
	for _, m := range all {
		found, err := licensesIn(m.Dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path, err)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", m.Path, m.Version, found)
	}
	b.WriteString(
		"\nBeside the program, in `python/`, is CPython for WebAssembly (PSF-2.0, with parts under MIT, BSD-2-Clause " +
			"and others), linked with wasi-libc (MIT, Apache-2.0 with the LLVM exception) and LLVM's compiler-rt " +
			"(the latter). Their texts are in `python/LICENSE`.\n",
	)
	return b.Bytes(), nil
}

// logoLicense says where a picture comes from that lies in a module and is no part of the program.
const logoLicense = "LICENSE-LOGO"

// licensesIn names the licenses whose texts lie in the folder of a module.
func licensesIn(dir string) (string, error) {
	names, err := modules.LicenseFiles(dir)
	if err != nil {
		return "", err
	}
	var found []string
	for _, name := range names {
		if name == logoLicense {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		kind := licenseOf(string(text))
		if kind == "" {
			return "", fmt.Errorf(
				"%s is a license that the generator does not know: read it, and add it if it can be used", name,
			)
		}
		found = append(found, strings.Split(kind, ", ")...)
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
		"public domain": has("has been dedicated to the public domain by the authors"),
		"BSD-3-Clause":  has("Redistributions in binary form") && has("endorse or promote products"),
		"BSD-2-Clause":  has("Redistributions in binary form") && !has("endorse or promote products"),
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
