package main

// attack is what tests try against the promises, or a class of faults. They carry its number in their comments.
type attack struct{ number, tried, inputs string }

// attacks are all of them. Inputs are distinct and hostile unless noted.
var attacks = []attack{
	{"S01", "a hostile folder is opened and left alone, seen from inside and outside the process", "25 files"},
	{
		"S02",
		"a workspace, `.env` or an editor loosens something",
		"every setting × source, 4 states of a rules file, 10 of modes",
	},
	{
		"S03",
		"protected names, through every tool and mode, after every offer",
		"every name × tool × mode; every name that only writing asks for × tool that writes",
	},
	{"S04", "what was allowed covers something else", "19"},
	{"S05", "something allowed beats a denial", "160 decisions, 240 calls, 7 mentions"},
	{"S06", "what was approved is changed before it runs", "46"},
	{
		"S07",
		"a workspace server starts, connects or reads a secret before it is trusted, or after it changed",
		"12 changes",
	},
	{"S08", "a file's tool changes after trust, a server's tool definition after it was allowed", "every byte"},
	{"S09", "a tool without a rule", "10 effects × 3 origins"},
	{"S10", "paths that leave the workspace, through every tool", "127 forms × every tool with a path"},
	{"S11", "commands that must not run by themselves", "some 400"},
	{"S11b", "ordinary reading commands, which do", "174"},
	{"S12", "lines that bash would read differently", "20,000 generated (500 in each run of the tests), 110 by hand"},
	{"S13", "helpers that a repository configures for git", "13 commands"},
	{"S14", "a command reaches files, secrets, processes or a network outside", "128"},
	{"S15", "there is no sandbox", "5 ways"},
	{
		"S16",
		"processes outlive their command, or begin after its stop",
		"8 leavers × 3 endings × with and without a shell; 72 stops",
	},
	{
		"S17",
		"a socket is listened on, except as promise 9 says",
		"5 moments of a session; 26 requests on 2 wires, 13 addresses",
	},
	{
		"S18",
		"`web_fetch` reaches what is not public",
		"51 addresses × 4 forms, 35 odd ones, 15 redirects, 7 answers; 18 messages",
	},
	{"S19", "invisible and control characters", "every ignorable character, also in what is attached"},
	{"S20", "a question that shows less than what runs", "10 kB of padding, links, places"},
	{"S21", "secrets in children, logs, states", "18 tools × 2 callers, 8 secrets of a whole run"},
	{
		"S22",
		"a statement that writes (CTE, second statement, after COMMIT, PRAGMA, function); a role that may " +
			"write; a database asked before a yes; a change without a person, of other rows, or reported as none; " +
			"a statement that forges a line of its question",
		"14 to each of 3 databases, with and without the parser; some 60 to the parser alone; 9 rights; 100 " +
			"statements that are no plain change; 5 rules × 4 modes",
	},
	{
		"S23",
		"a model's words make a preview of the chat load, run or offer something",
		"some 100 forms, in three renderings",
	},
	{"S24", "a trusted file changes on disk", "141 variants"},
	{"S25", "nobody is there to answer", ""},
	{"S26", "lenient reading of what decides", "some 75 texts"},
	{"S27", "state files that others may read or plant", ""},
	{"S28", "old parts with known defects, licences", "40 modules"},
	{"R02", "edits against a simple model of text", "100,000"},
	{"R03", "Stop at every barrier", "24, within 250 ms"},
	{
		"R05",
		"24 and 25: MCP servers that never start, answer, end or read, die in a call, close their pipes, send " +
			"100 MB, 10,000 tools, a schema that leads to itself, bytes that are no text, or answers and changes " +
			"without end",
		"23 kinds",
	},
	{
		"R05",
		"26: servers elsewhere that answer with 401, a redirect, half a stream, a page, or know no session",
		"15 kinds",
	},
	{
		"R05",
		"a Toolbox of another version, that hangs, dies or floods; a database that is gone, slow, in another " +
			"encoding, or has 10,000 tables; a result of gigabytes",
		"17 kinds",
	},
	{
		"rows",
		"12 killed around an approved edit; 27 endless files and processes; 29 editors that never answer; 30 " +
			"swaps during a preview; 32 broken files while running",
		"16 moments; 2; 16; 27; 6",
	},
	{"F01", "one of several makers of a path forgets a mark", ""},
	{"F02", "a file that others may have planted is opened as a regular one", ""},
	{"F03", `an error during an examination counts as "nothing there"`, ""},
	{"F04", "a guard of names that a name, a race or a program evades", ""},
	{"F05", "a program starts another one that a file of the workspace names", ""},
	{"F06", "an approval outlives what was approved", ""},
	{"F07", "third-party text passes for ours", ""},
	{"F08", "text that two readers divide differently", ""},
	{"F09", "text of a page that people do not see", ""},
	{"F10", "a call that is only shown runs, because the decoder knows a part of its envelope", ""},
	{"F11", "one bad message hides the rest", ""},
	{"F12", "a dry run decides by other code", ""},
	{"F13", "a rule or a key silently does nothing", ""},
	{"F14", "a message holds up the editor", ""},
	{"F15", "a guess takes something away", ""},
}
