package settings

// Group is a titled part of the settings, as pages show them.
type Group struct {
	Name  string // in the tags of [Settings]
	Title string // for people
}

// Groups lists the groups in the order in which pages show them.
func Groups() []Group {
	return []Group{
		{"model", "Models"},
		{"server", "Model servers"},
		{"sampling", "Sampling"},
		{"prompt", "System prompt"},
		{"runs", "Runs and approval"},
		{"commands", "Commands and the sandbox"},
		{"tools", "Tools and calls"},
		{"reach", "Web, MCP and databases"},
		{"editor", "Editor"},
		{"log", "Log and traces"},
	}
}

// groupNamed finds a group; the zero value: there is none of this name.
func groupNamed(name string) Group {
	for _, g := range Groups() {
		if g.Name == name {
			return g
		}
	}
	return Group{}
}

// In lists the settings of a group, in the order of the struct.
func (g Group) In() []Field {
	var in []Field
	for _, f := range fields() {
		if f.Group == g {
			in = append(in, f)
		}
	}
	return in
}
