package main

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// linked is what the Makefile has the linker set; empty in other builds.
var linked string //nolint:gochecknoglobals // the linker can set nothing else

// version names this build for people.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionOf(linked, info)
}

// versionOf is what was linked in, else the revision of the checkout that was built, else the version of the module
// that was installed.
func versionOf(linked string, info *debug.BuildInfo) string {
	said := map[string]string{}
	for _, s := range info.Settings {
		said[s.Key] = s.Value
	}
	const length = 12 // of a revision, for people
	revision := said["vcs.revision"][:min(length, len(said["vcs.revision"]))]
	if revision != "" && said["vcs.modified"] == "true" {
		revision += "-dirty"
	}
	module := info.Main.Version
	if module == "(devel)" {
		module = ""
	}
	return cmp.Or(linked, revision, module, "dev")
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) { fmt.Fprintln(cmd.OutOrStdout(), "assent "+version()) },
	}
}
