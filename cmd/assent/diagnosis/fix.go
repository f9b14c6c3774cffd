package diagnosis

import (
	"fmt"
	"path/filepath"

	"github.com/assent-ls/assent/tools/diskfile"
)

// Fix is something that can be mended without harm.
type Fix struct {
	What []string // for people, before it is done
	Do   func() (done []string, err error)
}

// Fixes are those that would change something now, in a state folder and a configuration folder.
func Fixes(state, config string) (all []Fix, err error) {
	f, err := State(state)
	if err != nil {
		return nil, err
	}
	if len(f.Open)+len(f.Left) > 0 {
		one := Fix{Do: f.Mend}
		for _, name := range f.Open {
			one.What = append(one.What, "make private: "+filepath.Join(f.Path, name))
		}
		for _, name := range f.Left {
			one.What = append(one.What, "remove, since nobody holds the lock: "+filepath.Join(f.Path, name))
		}
		all = append(all, one)
	}
	file := filepath.Join(config, "settings.json")
	if list := misspelt(file); len(list) > 0 {
		one := Fix{Do: func() ([]string, error) { return mendKeys(file) }}
		for _, m := range list {
			one.What = append(one.What, fmt.Sprintf("write %s in place of %s: %s", m.Meant, m.Key, file))
		}
		all = append(all, one)
	}
	return all, nil
}

// mendKeys corrects the misspelt keys of a settings file: all of it is written, or nothing.
func mendKeys(file string) (done []string, err error) {
	f, err := diskfile.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // what was written is there
	list := MisspeltKeys(f.Text())
	mended, err := MendKeys(f.Text(), list)
	if err == nil {
		err = f.Replace(mended)
	}
	if err != nil {
		return nil, fmt.Errorf("%s stays as it is: %w", file, err)
	}
	for _, m := range list {
		done = append(done, fmt.Sprintf("wrote %s in place of %s: %s", m.Meant, m.Key, file))
	}
	return done, nil
}
