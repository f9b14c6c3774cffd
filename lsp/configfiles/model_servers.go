package configfiles

import "github.com/assent-ls/assent/agent/model/servers"

// DiagnoseModelServers says what is wrong in a file of model servers.
func DiagnoseModelServers(text string) []Diagnostic {
	_, problems := servers.Parse([]byte(text))
	var out []Diagnostic
	for _, p := range problems {
		out = append(out, problemAt(p.Offset, p.Length, p.Warning, p.Reason))
	}
	return out
}
