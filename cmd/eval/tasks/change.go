package tasks

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// folder is what files hold, by their paths.
type folder = map[string]string

// change is something done to files: in an editor before a task, or as an outcome.
type change func(files folder) error

// changed returns a copy of files with changes made one after the other.
func changed(files folder, changes ...change) (folder, error) {
	out := folder{}
	maps.Copy(out, files)
	for _, c := range changes {
		if err := c(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// edit replaces a text that occurs once in a file.
func edit(name, from, to string) change {
	return func(files folder) error {
		if n := strings.Count(files[name], from); n != 1 {
			return fmt.Errorf("%s has %q %d times", name, from, n)
		}
		files[name] = strings.Replace(files[name], from, to, 1)
		return nil
	}
}

// everywhere replaces a text wherever it occurs in a file.
func everywhere(name, from, to string) change {
	return func(files folder) error {
		if !strings.Contains(files[name], from) {
			return fmt.Errorf("%s does not have %q", name, from)
		}
		files[name] = strings.ReplaceAll(files[name], from, to)
		return nil
	}
}

// write gives a file its whole text, whether it is there or not.
func write(name, text string) change {
	return func(files folder) error {
		files[name] = text
		return nil
	}
}

// add puts a text at the end of a file.
func add(name, text string) change {
	return func(files folder) error {
		files[name] += text
		return nil
	}
}

// remove deletes a file.
func remove(name string) change {
	return func(files folder) error {
		if _, ok := files[name]; !ok {
			return fmt.Errorf("%s is not there", name)
		}
		delete(files, name)
		return nil
	}
}

// move gives a file another path.
func move(from, to string) change {
	return func(files folder) error {
		if _, ok := files[to]; ok {
			return fmt.Errorf("%s is there already", to)
		}
		files[to] = files[from]
		return remove(from)(files)
	}
}

// differing are the files that changed, appeared or are gone, in order.
func differing(before, after folder) []string {
	var out []string
	for name, text := range before {
		if got, there := after[name]; !there || got != text {
			out = append(out, name)
		}
	}
	for name := range after {
		if _, there := before[name]; !there {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
