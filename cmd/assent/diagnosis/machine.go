package diagnosis

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/policy"
)

const (
	littleSpace = 1 << 30   // bytes on the disk of the state folder, below which a person is told
	noSpace     = 100 << 20 // below which it is a fault
)

// Folder says how the state folder is. It is called before anything is kept there.
func (r *Report) Folder(path string) {
	f, err := State(path)
	if err != nil {
		r.Miss("%s", "state folder: "+err.Error())
		return
	}
	free := Size(int64(f.Free)) //nolint:gosec // a disk is smaller
	switch {
	case f.Unwanted != nil:
		r.Miss(
			"state folder: %v: grants, trust and logs are not kept; set XDG_STATE_HOME to a folder that you may write",
			f.Unwanted,
		)
	case f.Missing:
		r.OK("state folder: %s, made when something is kept; %s free", path, free)
	default:
		r.OK("state folder: %s, %.1f MB; %s free", path, float64(f.Bytes)/1e6, free)
	}
	if f.Free < noSpace {
		r.Miss("disk: almost nothing is free where the state folder is: remove something")
	} else if f.Free < littleSpace {
		r.Note("disk: little is free where the state folder is: remove something soon")
	}
	if len(f.Open) > 0 {
		r.Note("others may read %s there: `assent doctor --fix` makes it private", someOf(f.Open))
	}
	if len(f.Left) > 0 {
		r.Note("locks that nobody holds are there with a name: `assent doctor --fix` removes %d of them", len(f.Left))
	}
}

// someOf names the first of some files.
func someOf(names []string) string {
	if names[0] == "." {
		names = slices.Concat([]string{"the folder"}, names[1:])
	}
	return excerpt.Names(names, 1)
}

// rules says whether the user's rules count.
func (r *Report) rules(file string) {
	data, err := diskfile.ReadSmall(file, jsonc.MaxSize)
	if err != nil {
		r.Miss("rules: %v: none of yours counts; correct the file", err)
		return
	}
	read, problems := policy.Parse(filepath.Base(file), data)
	for _, p := range problems {
		if p.Severity == policy.Error {
			r.Miss("rules: %s: %s", jsonc.Place(data, p.Offset), p.Message)
		}
	}
	if n := len(read.Rules); len(data) > 0 && len(problems) == 0 {
		r.OK("rules: %d in %s", n, file)
	}
}

// keys says which keys of the user's settings file are misspelt. What is wrong there is told by all commands.
func (r *Report) keys(file string) {
	if list := misspelt(file); len(list) > 0 {
		r.Note("settings: %s: `assent doctor --fix` corrects it", list[0])
	}
}

func misspelt(file string) []Misspelt {
	data, err := diskfile.ReadSmall(file, jsonc.MaxSize)
	if err != nil {
		return nil
	}
	return MisspeltKeys(data)
}

// editors says which editors start this Assent.
func (r *Report) editors() {
	here := Here()
	var well, without []string
	for _, e := range here.Editors() {
		switch wrong := here.Wrong(e.Starts); {
		case e.Starts == "":
			without = append(without, e.Name)
		case wrong != "":
			r.Note("editors: %s: %s (see %s, and editors/%s)", e.Name, wrong, e.File, e.Page)
		default:
			well = append(well, e.Name)
		}
	}
	if len(well) > 0 {
		r.OK("editors: this Assent is started by %s", strings.Join(well, ", "))
	}
	if len(without) > 0 {
		r.Note(
			"editors: nothing is configured for %s, as far as can be seen; the pages in editors/ say how",
			strings.Join(without, ", "),
		)
	}
}

// vulnerable says what is known to be wrong with a version of Ollama.
func (r *Report) vulnerable(version string) {
	found, day := Vulnerable(version)
	if len(found) > 0 {
		r.Miss(
			"  update Ollama: version %s has %s. The table of these is of %s.", version, strings.Join(found, ", "), day,
		)
	}
}

// Machine says how all is that is no model server. config is the user's configuration folder.
func (r *Report) Machine(config string, n *network.Network) {
	r.rules(filepath.Join(config, "permissions.json"))
	r.keys(filepath.Join(config, "settings.json"))
	r.editors()
	if n.Offline() {
		r.OK("offline: nothing but this machine is reached (docs/offline.md)")
	}
	if _, err := os.UserHomeDir(); err != nil {
		r.Note("there is no home folder: %v; set HOME", err)
	}
}
