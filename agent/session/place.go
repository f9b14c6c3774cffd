package session

import (
	"context"
	"encoding/json"
	"path"
	"slices"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/guidance/schema"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

// maxKnown is how many bytes a file has at most whose lines a model is given to choose from.
const maxKnown = 64_000

// maxLikely is how many files a message is likely about at most, of those that it does not name.
const maxLikely = 10

// mayRead reports whether the model of a job may read a file without a question. What is shown to it unasked is judged like a call of
// read_file, so that rules which ask, and tools that are switched off, hold there, too.
func mayRead(ctx context.Context, job *agent.Job, file string) bool {
	if job.Tools == nil {
		return false
	}
	reader, ok := job.Tools.Registry().BuiltIn("read_file")
	if !ok {
		return false
	}
	arguments, err := json.Marshal(map[string]string{"path": file})
	if err != nil {
		return false
	}
	mode := func() policy.Mode { return agent.ModeOf(job.Document, job.Options) }
	call := job.Tools.Prepare(ctx, tools.Call{Name: reader.Name, Arguments: arguments, Chat: job.Chat, Reads: job.Reads.Clone(), Caller: policy.Model, Mode: mode})
	return call.Answered == nil && call.Decision.Verdict == policy.Run
}

// about is what a message has to do with the workspace, with files that its model may read.
func (e Environment) about(job *agent.Job) func(context.Context, string, attach.Bringing) attach.About {
	return func(ctx context.Context, request string, bring attach.Bringing) attach.About {
		about := e.Words.Look(ctx, e.Workspace, request, bring)
		about.Files = slices.DeleteFunc(about.Files, func(file string) bool { return !mayRead(ctx, job, file) })
		if !slices.Contains(about.Files, about.Meant) {
			about.Meant = ""
		}
		about.Bring = slices.DeleteFunc(about.Bring, func(b attach.Brought) bool { return !mayRead(ctx, job, b.Path) })
		return about
	}
}

// show is the text of a file that the model may read, which counts as read from then on.
func (e Environment) show(job *agent.Job, reads *tools.ReadSet) func(context.Context, string) (text string, exists, ok bool) {
	return func(ctx context.Context, name string) (string, bool, bool) {
		p, err := e.Workspace.Resolve(name)
		switch {
		case err != nil || p.Dir || p.Protected != "" || p.Exists && !mayRead(ctx, job, p.Rel):
			return "", false, false
		case !p.Exists:
			return "", false, true
		}
		file, err := e.Workspace.Read(ctx, p)
		if err != nil || file.Binary || len(file.Text) > schema.MaxShort {
			return "", true, false
		}
		reads.MarkRead(p.Abs, file.Text)
		return file.Text, true, true
	}
}

// place is what the calls of a chat would find. looked is called after the first time.
func (e Environment) place(reads *tools.ReadSet, looked func()) func(ctx context.Context, request string) schema.Place {
	return func(ctx context.Context, request string) schema.Place {
		defer looked()
		place := schema.Place{Request: request, Read: e.read(ctx, reads)}
		root, err := e.Workspace.Resolve(".")
		if err != nil {
			return place
		}
		files, folders := []string{}, []string{"."}
		err = e.Workspace.Walk(ctx, root, func(p workspace.Path) error {
			switch {
			case p.Dir:
				folders = append(folders, p.Rel)
			case p.Protected == "":
				files = append(files, p.Rel)
			}
			return nil
		})
		if err != nil { // more than anybody could choose from
			return place
		}
		place.Files, place.Folders = files, folders
		if len(files) <= schema.MaxPaths {
			e.addUnlisted(ctx, &place)
		}
		mentioned := e.Workspace.Mentioned(ctx, request)
		for _, p := range mentioned {
			if !slices.Contains(place.Files, p.Rel) {
				place.Files = append(place.Files, p.Rel)
			}
		}
		for _, file := range e.mayBeShort(place, mentioned) {
			if p, err := e.Workspace.Resolve(file); err == nil {
				if info, err := e.Workspace.Stat(p); err == nil && info.Size() <= schema.MaxShort {
					place.Short = append(place.Short, file)
				}
			}
		}
		return place
	}
}

// addUnlisted adds what no walk lists: what a .gitignore excludes, and links. It can be named all the same.
func (e Environment) addUnlisted(ctx context.Context, place *schema.Place) {
	for _, folder := range place.Folders {
		dir, err := e.Workspace.Resolve(folder)
		if err != nil {
			continue
		}
		entries, err := e.Workspace.List(ctx, dir)
		if err != nil {
			continue // it is gone by now
		}
		for _, entry := range entries {
			rel := path.Join(folder, entry.Name)
			switch link := entry.Link != "" && entry.Link != "outside"; {
			case entry.Protected != "" || !entry.Ignored && !link:
			case entry.Dir:
				place.Unlisted = append(place.Unlisted, rel)
			case !slices.Contains(place.Files, rel):
				place.Files = append(place.Files, rel)
			}
		}
	}
}

// read are the files that the model has read and that are as it knows them.
func (e Environment) read(ctx context.Context, reads *tools.ReadSet) (read []schema.File) {
	for _, abs := range reads.Paths() {
		p, err := e.Workspace.Resolve(abs)
		if err != nil {
			continue
		}
		if info, err := e.Workspace.Stat(p); err != nil || info.Size() > maxKnown {
			continue
		}
		if file, err := e.Workspace.Read(ctx, p); err == nil {
			if _, current := reads.Knows(p.Abs, file.Text); current {
				read = append(read, schema.File{Path: p.Rel, Text: file.Text})
			}
		}
	}
	return read
}

// mayBeShort lists the files whose sizes count for a call: of a large workspace only those that it is likely about, since all of them take long.
func (e Environment) mayBeShort(place schema.Place, mentioned []workspace.Path) []string {
	if len(place.Files) <= schema.MaxPaths {
		return place.Files
	}
	var files []string
	add := func(file string) {
		if !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	for _, f := range place.Read {
		add(f.Path)
	}
	for _, p := range mentioned {
		add(p.Rel)
	}
	for _, file := range e.Words.Rank(place.Request, maxLikely) {
		add(file)
	}
	return files
}
