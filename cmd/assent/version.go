package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/listing"
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
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return listing.Print(cmd.OutOrStdout(), listing.Version{
					Version: version(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
				})
			}
			fmt.Fprintln(cmd.OutOrStdout(), "assent "+version())
			return nil
		},
	}
	listing.AddFlag(cmd, &asJSON, "version")
	return cmd
}
