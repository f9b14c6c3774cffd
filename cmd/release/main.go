// Command release makes what GoReleaser does not make of a release, the texts of licenses and the statement of
// provenance, and checks a release that was built. .goreleaser.yaml and .ci/release call it at the top of the
// repository.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const usage = `usage:
  release notices                   print the licenses of all that the program contains
  release provenance CHECKSUMS OUT  state how the files that CHECKSUMS lists were built
  release check FOLDER [EXTENSIONS] check what GoReleaser left in FOLDER, and print its sizes
  release start PROGRAM             start a program as people and editors do`

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch {
	case len(args) == 1 && args[0] == "notices":
		return notices(out)
	case len(args) == 3 && args[0] == "provenance":
		return provenance(ctx, args[1], args[2])
	case len(args) == 2 && args[0] == "check":
		return check(args[1], "", out)
	case len(args) == 3 && args[0] == "check":
		return check(args[1], args[2], out)
	case len(args) == 2 && args[0] == "start":
		return start(ctx, args[1], out)
	}
	return errors.New(usage)
}
