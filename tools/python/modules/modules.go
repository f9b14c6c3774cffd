// Package modules is the one table of the Python modules that a program may import. What the interpreter enforces, what
// is checked before a run, what models are told, the tests and the page come from it.
package modules

import (
	"fmt"
	"slices"
	"strings"
)

// Module is a module that a program may import, and a phrase of what it is for.
type Module struct{ Name, Purpose string }

// Allowed are the modules that a program may import, with all below them (collections.abc, html.parser).
var Allowed = []Module{
	{"math", "functions of numbers"},
	{"json", "reading and writing JSON"},
	{"random", "random numbers and choices"},
	{"re", "regular expressions"},
	{"datetime", "dates and times"},
	{"collections", "Counter, defaultdict, deque, namedtuple"},
	{"itertools", "combining and grouping sequences"},
	{"functools", "reduce, partial, caching"},
	{"operator", "operators as functions, keys for sorting"},
	{"string", "sets of characters, templates"},
	{"textwrap", "wrapping and indenting text"},
	{"copy", "copies of nested values"},
	{"types", "types of built-in objects"},
	{"typing", "annotations, NamedTuple"},
	{"abc", "abstract classes"},
	{"numbers", "kinds of numbers"},
	{"decimal", "decimal arithmetic"},
	{"fractions", "fractions"},
	{"statistics", "means, medians, deviations"},
	{"hashlib", "SHA-256 and other hashes"},
	{"base64", "Base64 and its like"},
	{"binascii", "hexadecimal, CRC-32"},
	{"html", "escaping and parsing HTML"},
}

// hint says what does the job of modules that programs often import and may not.
type hint struct {
	advice  string
	modules []string
}

var hints = []hint{
	{
		"Files are read, listed, searched and changed with read_file, list_directory, search_files, edit_file.",
		[]string{
			"os", "pathlib", "io", "glob", "shutil", "fnmatch", "tempfile", "fileinput", "stat", "filecmp",
			"posix", "nt",
		},
	},
	{
		"Commands are run with the tool run_command.",
		[]string{"subprocess", "pty", "pexpect", "sh", "shlex", "multiprocessing"},
	},
	{
		"Pages of the web are read with the web tools, such as web_fetch.",
		[]string{
			"requests", "urllib", "http", "socket", "ssl", "urllib3", "httpx", "aiohttp", "ftplib", "smtplib", "bs4",
		},
	},
	{
		"Databases are asked with the sql tools, such as sql_select.",
		[]string{"sqlite3", "dbm", "psycopg2", "pymysql", "sqlalchemy"},
	},
	{"Dates and times are in datetime; the tool get_time tells the time.", []string{"time", "calendar", "zoneinfo"}},
	{"Calls run side by side in parallel([...]).", []string{"asyncio", "threading", "concurrent", "queue", "_thread"}},
	{"Use collections.namedtuple or typing.NamedTuple.", []string{"dataclasses"}},
	{"Use a class with constants.", []string{"enum"}},
	{"Use sorted() with a key.", []string{"heapq", "bisect"}},
	{"Use str.split and str.join, or re.", []string{"csv", "difflib"}},
	{"Print what the user should see.", []string{"logging", "pprint", "warnings"}},
	{"Parse text with re or json.", []string{"ast", "yaml", "tomllib", "configparser", "xml"}},
	{"Use lists, statistics and math.", []string{"numpy", "pandas", "array"}},
}

// Sentence refuses a module: its name, and a hint that begins with a space or is empty, go into it. The interpreter
// formats it in Python, in which these verbs mean the same.
var Sentence = "a program cannot import %s; it may import only " + List() + ".%s"

// List names the modules that a program may import, in the order of the table.
func List() string { return strings.Join(Names(), ", ") }

// Names are the names of the allowed modules, in the order of the table.
func Names() []string {
	names := make([]string, len(Allowed))
	for i, m := range Allowed {
		names[i] = m.Name
	}
	return names
}

// May says whether a program may import a module or a name below it, such as collections.abc.
func May(name string) bool {
	top, _, _ := strings.Cut(name, ".")
	return slices.Contains(Names(), top)
}

// Hint says what does the job of a module that is not allowed; empty: there is nothing to say.
func Hint(name string) string {
	top, _, _ := strings.Cut(name, ".")
	for _, h := range hints {
		if slices.Contains(h.modules, top) {
			return h.advice
		}
	}
	return ""
}

// Hints are all hints by module.
func Hints() map[string]string {
	all := map[string]string{}
	for _, h := range hints {
		for _, name := range h.modules {
			all[name] = Hint(name)
		}
	}
	return all
}

// Refusal says that a module cannot be imported, what can be, and what to do instead.
func Refusal(name string) string {
	advice := Hint(name)
	if advice != "" {
		advice = " " + advice
	}
	return fmt.Sprintf(Sentence, name, advice)
}
