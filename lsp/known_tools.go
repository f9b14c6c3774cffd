package lsp

import (
	"slices"

	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
)

// known is what the rules of a file can be about, as far as that is known without starting anything: in the workspace
// of the file, or for the user's own file in all folders of the editor.
func (s *Server) known(file configFile) policy.Known {
	folders := s.folders.all()
	if file.Kind == configfiles.WorkspacePermissions {
		at, err := s.folders.of(file.path)
		if err != nil {
			return policy.Known{}
		}
		folders = []openFolder{at}
	}
	k := policy.Known{Origins: []string{string(tools.FromUser), string(tools.FromWorkspace)}}
	for _, at := range folders {
		for _, spec := range at.tools.Glance(s.ctx) {
			t := policy.KnownTool{Name: spec.Own(), Origin: string(spec.Origin), Effect: spec.Effect}
			if !slices.Contains(k.Tools, t) {
				k.Tools = append(k.Tools, t)
			}
		}
		if at.servers == nil {
			continue
		}
		declared, _ := at.servers.Declared(s.ctx)
		for _, d := range declared {
			if origin := string(d.Origin()); !slices.Contains(k.Origins, origin) {
				k.Origins = append(k.Origins, origin)
			}
		}
	}
	return k
}
