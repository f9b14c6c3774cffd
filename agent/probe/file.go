package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall/formats"
)

// Profiles are the built-in ones with those in the user's folder over them.
func Profiles(folder string) (*model.Profiles, error) {
	return load(folder, func(files []string) []string { return files })
}

// load reads the files of profiles in a folder, or what choose makes of these, and checks what formats they declare.
func load(folder string, choose func(files []string) []string) (*model.Profiles, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.toml"))
	if err != nil {
		return nil, err
	}
	profiles, err := model.LoadProfileFiles(choose(files)...)
	if err == nil {
		err = formats.CheckDeclared(profiles.Declared())
	}
	if err != nil {
		return nil, err
	}
	return profiles, nil
}

// before are the profiles without what an earlier probe of this model found: what did badly then is tried again.
func before(folder, name string) (*model.Profiles, error) {
	own := pathOf(folder, name)
	return load(folder, func(files []string) []string {
		return slices.DeleteFunc(files, func(file string) bool { return file == own })
	})
}

// keep writes a profile into the user's folder and returns the profiles as they are then. It writes nothing if the
// profile would not be the one that the model gets: each reader takes all files or none.
func keep(
	ctx context.Context, folder string, info model.Info, text []byte, best string,
) (path string, after *model.Profiles, err error) {
	path = pathOf(folder, info.Name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", nil, err
	}
	temporary, err := os.CreateTemp(folder, FileName(info.Name)+".*.new")
	if err != nil {
		return "", nil, err
	}
	_, err = temporary.Write(text)
	if err = errors.Join(err, temporary.Close()); err == nil {
		after, err = tried(folder, path, temporary.Name())
	}
	if err == nil {
		if got, why := after.For(info); got.Formats[0] != best {
			err = fmt.Errorf(
				"nothing was written, since another profile than the one found would apply (%s, %s): "+
					"remove that one from %s",
				got.Name, why, folder,
			)
		}
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return "", nil, errors.Join(err, os.Remove(temporary.Name()))
	}
	return path, after, nil
}

// tried are the profiles with a new file in the place of path.
func tried(folder, path, fresh string) (*model.Profiles, error) {
	return load(folder, func(files []string) []string {
		if !slices.Contains(files, path) {
			files = append(files, path)
			slices.Sort(files)
		}
		files[slices.Index(files, path)] = fresh
		return files
	})
}

// File writes a profile in the form that model.LoadProfileFiles reads.
func File(profile model.Profile, engine string, when time.Time) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Found out by `assent doctor --probe` on %s with %s. "+
		"Delete this file to use the built-in profile again.\n\n",
		when.Format(time.DateOnly), strings.Join(strings.Fields(engine), " "))
	err := toml.NewEncoder(&out).Encode(struct {
		Profile []model.Profile `toml:"profile"`
	}{[]model.Profile{profile}})
	return out.Bytes(), err
}

// FileName is the name of the file for a model, the same for every probe of it.
func FileName(name string) string { return baseName(name) + ".toml" }

func baseName(name string) string {
	return "probed-" + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
}

// changes says in sentences what a new profile does differently.
func changes(before, after model.Profile) (said []string) {
	was, is := strings.Join(before.Formats, ", "), strings.Join(after.Formats, ", ")
	switch {
	case before.Formats[0] != after.Formats[0]:
		said = append(
			said, fmt.Sprintf("tool calls: %s instead of %s", after.Formats[0], before.Formats[0]),
			"understood, too: "+strings.Join(after.Formats[1:], ", "),
		)
	case was != is:
		said = append(said, fmt.Sprintf("formats in order: %s (before: %s)", is, was))
	}
	switch {
	case after.Code && !before.Code:
		said = append(said, "where pythonExecution is on: programs instead of calls")
	case before.Code && !after.Code:
		said = append(said, "no programs instead of calls any more")
	}
	return said
}

func pathOf(folder, name string) string { return filepath.Join(folder, FileName(name)) }
