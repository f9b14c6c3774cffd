package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/sql"
	"github.com/assent-ls/assent/tools/web"
	"github.com/assent-ls/assent/tools/workspace"
)

const serversFlag = "mcp-server"

func addServersFlag(flags *pflag.FlagSet) {
	flags.String(
		serversFlag, "", "MCP servers for this launch, as JSON in the form of mcp.json, or @FILE that holds it.",
	)
	flags.Lookup(serversFlag).Annotations = map[string][]string{settings.LaunchMark: {}}
}

// launchedServers are the servers that the flag declares. What is wrong with the flag ends the program: nothing else
// can be meant by it.
func launchedServers(flags *pflag.FlagSet) ([]byte, error) {
	text, err := flags.GetString(serversFlag)
	if err != nil || text == "" {
		return nil, nil //nolint:nilerr // a command without the flag
	}
	data := []byte(text)
	if path, named := strings.CutPrefix(text, "@"); named {
		if data, err = diskfile.ReadSmall(path, jsonc.MaxSize); err != nil {
			return nil, usage.Error("--" + serversFlag + ": " + err.Error())
		}
	}
	servers, problems := mcp.Parse(data)
	switch {
	case len(problems) > 0:
		return nil, usage.Error("--" + serversFlag + ": " + problems[0].Error())
	case len(servers) == 0:
		return nil, usage.Error("--" + serversFlag + ": it declares no server")
	}
	return data, nil
}

// servers are the MCP servers in a workspace.
func (p *parts) servers(ws *workspace.Workspace, now func() settings.Settings) *mcp.Source {
	return mcp.New(mcp.Options{
		File: filepath.Join(p.config, "mcp.json"), Launch: p.launched, Others: func() bool { return now().MCPFiles },
		Workspace: ws, Trust: p.trust, Policy: p.policy, State: p.state, Shell: p.shell(), Network: p.network,
		Taken:   append(builtin.Reserved(), web.Fetch, web.Search, sql.SchemaSearch, sql.Select),
		Version: version(), Models: true,
	})
}
