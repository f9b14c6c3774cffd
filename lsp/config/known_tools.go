package config

import (
	"slices"

	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/lsp/folders"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
)

// known is what the rules of a file can be about, as far as that is known without starting anything: in the workspace
// of the file, or for the user's own file in all folders of the editor.
func (s *Files) known(file File) policy.Known {
	open := s.Folders.All()
	if file.Kind == configfiles.WorkspacePermissions {
		at, err := s.Folders.Of(file.path)
		if err != nil {
			return policy.Known{}
		}
		open = []folders.Folder{at}
	}
	k := policy.Known{Origins: []string{string(tools.FromUser), string(tools.FromWorkspace)}}
	for _, at := range open {
		for _, spec := range at.Tools.Glance(s.Context) {
			t := policy.KnownTool{Name: spec.Own(), Origin: string(spec.Origin), Effect: spec.Effect}
			if !slices.Contains(k.Tools, t) {
				k.Tools = append(k.Tools, t)
			}
		}
		if at.Servers == nil {
			continue
		}
		declared, _ := at.Servers.Declared(s.Context)
		for _, d := range declared {
			if origin := string(d.Origin()); !slices.Contains(k.Origins, origin) {
				k.Origins = append(k.Origins, origin)
			}
		}
	}
	return k
}
