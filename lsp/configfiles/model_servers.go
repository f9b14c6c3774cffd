package configfiles

import "github.com/assent-ls/assent/agent/model/servers"

// DiagnoseModelServers says what is wrong in a file of model servers.
func DiagnoseModelServers(text string) []Diagnostic {
	_, problems := servers.Parse([]byte(text))
	var out []Diagnostic
	for _, p := range problems {
		severity := Error
		if p.Warning {
			severity = Warning
		}
		out = append(out, Diagnostic{Span{p.Offset, p.Offset + p.Length}, severity, upper(p.Reason) + "."})
	}
	return out
}
