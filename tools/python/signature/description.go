package signature

import "strings"

// Search is the tool that finds functions which a program was not told of.
const Search = "tool_search"

// Description describes the tool that runs programs to a model. modules are the names of those that a program may
// import. calls says that programs can call tools, search that they can look for others.
func Description(modules []string, calls, search bool) string {
	parts := []string{
		"Runs one Python program, for what takes many steps. The result is its last expression, or what it prints.",
	}
	switch {
	case !calls:
		parts = append(parts, "It only computes: no tool, file or network.")
	case search:
		parts = append(parts, "Tools are functions in it; "+Search+"(query) finds more.")
	default:
		parts = append(parts, "Tools are functions in it.")
	}
	if calls {
		parts = append(parts, Parallel+"([lambda: f(1), lambda: g(2)]) makes calls side by side.")
	}
	return strings.Join(append(parts, "Modules: "+strings.Join(modules, " ")+"."), " ")
}
