package serve

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

// fileTemplate is how clients name a file that they were not told of.
const fileTemplate = "file:///{+path}"

// maxResources is how many files are listed at most.
const maxResources = 10_000

// uriOf names a file to clients.
func (s *Server) uriOf(rel string) string {
	return (&url.URL{Scheme: "file", Path: path.Join("/", filepath.ToSlash(s.options.Workspace.Root()), rel)}).String()
}

// files lists the files of the workspace, a page at a time: what version control ignores and what is protected is left
// out. A cursor is the name of the last file of a page, so that files which come and go meanwhile move no others. Each
// page is a call of list_directory.
func (s *Server) files(ctx context.Context, r *mcp.ListResourcesRequest) (*mcp.ListResourcesResult, error) {
	after := ""
	if r.Params != nil && r.Params.Cursor != "" {
		data, err := base64.RawURLEncoding.DecodeString(r.Params.Cursor)
		if after = string(data); err != nil || after == "" {
			return nil, invalid(
				"This cursor is none that came with a page: list the resources again, without a cursor.",
			)
		}
	}
	result := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}, Cacheable: mcp.Cacheable{CacheScope: "private"}}
	ctx, cancel := s.untilClosed(ctx)
	defer cancel()
	d, _ := s.now()
	spec, has := d.Registry().BuiltIn("list_directory")
	if !has {
		return result, nil
	}
	if _, err := s.use(ctx, d, spec, ".", r.ClientInfo(), "files are listed"); err != nil {
		return nil, err
	}
	rels, err := s.listed(ctx)
	if err != nil {
		return nil, err
	}
	start, found := slices.BinarySearch(rels, after)
	if found {
		start++
	}
	rels = rels[start:]
	for i, rel := range rels {
		if i == pageSize {
			result.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(rels[i-1]))
			break
		}
		result.Resources = append(result.Resources, &mcp.Resource{URI: s.uriOf(rel), Name: rel})
	}
	return result, nil
}

// listed are the files that clients are told of, sorted; of too many it is the first ones that are found.
func (s *Server) listed(ctx context.Context) (rels []string, err error) {
	root, err := s.options.Workspace.Resolve("")
	if err != nil {
		return nil, err
	}
	err = s.options.Workspace.Walk(ctx, root, func(p workspace.Path) error {
		switch {
		case p.Protected != "" && p.Dir:
			return filepath.SkipDir
		case p.Protected != "" || p.Dir:
			return nil
		case len(rels) == maxResources:
			return filepath.SkipAll
		}
		rels = append(rels, p.Rel)
		return nil
	})
	slices.Sort(rels)
	if errors.Is(err, workspace.ErrTooMany) {
		err = nil
	}
	return rels, err
}

// readFile serves resources/read: it is a call of read_file, judged and logged like one, whose result is the whole
// file.
func (s *Server) readFile(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	ctx, cancel := s.untilClosed(ctx)
	defer cancel()
	p, ok := s.place(ctx, r.Params.URI)
	d, _ := s.now()
	spec, has := d.Registry().BuiltIn("read_file")
	if !ok || !has {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	result, err := s.use(ctx, d, spec, p.Rel, r.ClientInfo(), "this file is read")
	if err != nil {
		return nil, err
	}
	f, err := s.options.Workspace.Read(ctx, p)
	if err != nil {
		return nil, invalid(err.Error())
	}
	contents := &mcp.ResourceContents{URI: r.Params.URI, Text: f.Text, MIMEType: "text/plain"}
	if images := content.Images(result.Parts); len(images) > 0 {
		contents = &mcp.ResourceContents{URI: r.Params.URI, Blob: images[0].Data, MIMEType: images[0].Type()}
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
}

// use calls a built-in tool for a client that asks for the same in another way, so that it is judged and logged like a
// call. what is what the user may want to be asked about.
func (s *Server) use(
	ctx context.Context, d *tools.Dispatcher, tool tools.Spec, rel string, client *mcp.Implementation, what string,
) (tools.Result, error) {
	arguments, err := json.Marshal(map[string]string{"path": rel})
	if err != nil {
		return tools.Result{}, err
	}
	call := d.Prepare(ctx, tools.Call{
		Name: tool.Name, Arguments: arguments, Caller: policy.Remote, Client: clientName(client), Mode: s.options.Mode,
	})
	if call.Answered == nil && call.Decision.Verdict != policy.Run {
		d.Unasked(call)
		return tools.Result{}, invalid(
			"The user wants to be asked before " + what + ": call " + tool.Name + ", which asks.",
		)
	}
	result, err := d.Execute(ctx, call, nil)
	if err == nil && result.Failed {
		err = invalid(result.Text())
	}
	return result, err
}

// place finds the file that a URI names, if clients may be told that it is there: it lies in the workspace, no link
// leads to it, and version control does not ignore it.
func (s *Server) place(ctx context.Context, uri string) (workspace.Path, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		u.Path != path.Clean(u.Path) {
		return workspace.Path{}, false
	}
	rel, err := filepath.Rel(s.options.Workspace.Root(), filepath.FromSlash(u.Path))
	if err != nil || !filepath.IsLocal(rel) {
		return workspace.Path{}, false
	}
	rel = filepath.ToSlash(rel)
	p, err := s.options.Workspace.Resolve(rel)
	if err != nil || p.Rel != rel || !p.Exists || p.Dir || p.Protected != "" || s.ignored(ctx, rel) {
		return workspace.Path{}, false
	}
	return p, true
}

// ignored reports whether version control ignores a file or a folder on the way to it, or it cannot be found out.
func (s *Server) ignored(ctx context.Context, rel string) bool {
	folder := ""
	for name := range strings.SplitSeq(rel, "/") {
		dir, err := s.options.Workspace.Resolve(folder)
		if err != nil {
			return true
		}
		entries, err := s.options.Workspace.List(ctx, dir)
		i := slices.IndexFunc(entries, func(e workspace.Entry) bool { return e.Name == name })
		if err != nil || i < 0 || entries[i].Ignored {
			return true
		}
		folder = path.Join(folder, name)
	}
	return false
}

// Prompt is a prompt that clients can take.
type Prompt struct{ Name, Description, Text string }

// addPrompt offers a prompt.
func (s *Server) addPrompt(p Prompt) {
	s.mcp.AddPrompt(&mcp.Prompt{
		Name: p.Name, Description: p.Description,
	}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{
			Description: p.Description,
			Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: p.Text}}},
		}, nil
	})
}
