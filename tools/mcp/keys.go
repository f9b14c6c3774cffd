package mcp

import "maps"

// object is one of JSON.
type object = map[string]any

// Key is a key that a server may have in a file of servers.
type Key struct {
	Name, Doc string
	schema    object
}

// Keys are all of them, in the order in which people read them.
func Keys() []Key {
	text := object{"type": "string"}
	texts := object{"type": "array", "items": text}
	named := object{"type": "object", "additionalProperties": text}
	kinds := object{"type": "string", "enum": []Kind{Stdio, HTTP, SSE, WebSocket}}
	const secrets = " `${env:NAME}` stands for a variable of your environment, `${file:PATH}` for the text of a file."
	return []Key{
		{"command", "The program: a name on PATH, or its path. No shell reads it.", text},
		{"args", "Its arguments, each a word of its own." + secrets, texts},
		{
			"env",
			"Variables for the program. It gets nothing else of your environment but PATH, HOME, LANG and TERM." +
				secrets,
			named,
		},
		{"cwd", "The folder in which the program starts. `${workspaceFolder}` stands for the workspace.", text},
		{"url", "The address of a server elsewhere, as it is sent: no reference is resolved in it.", text},
		{"headers", "What each request to a server elsewhere carries." + secrets, named},
		{
			"type",
			"How the server is spoken with. It may be left out for a command, " +
				"and for a url that is asked by Streamable HTTP or WebSocket.",
			kinds,
		},
		{
			"oauth",
			"The login at a server elsewhere, if it wants one: a client of your own there, the rights to ask for." +
				secrets,
			object{"type": "object", "properties": oauthKeys(), "additionalProperties": false},
		},
		{"disabled", "Whether the server is not used.", object{"type": "boolean"}},
	}
}

func keyNames() (names []string) {
	for _, k := range Keys() {
		names = append(names, k.Name)
	}
	return names
}

// Schema is the JSON schema of a file of servers, with what people want to know of each key.
func Schema() object {
	properties := object{}
	for _, k := range Keys() {
		described := object{"description": k.Doc}
		maps.Copy(described, k.schema)
		properties[k.Name] = described
	}
	const doc = "An MCP server: a program that Assent starts, or an address that it asks."
	server := object{
		"type": "object", "description": doc, "properties": properties, "additionalProperties": false,
	}
	list := func(doc string) object {
		return object{"type": "object", "description": doc, "additionalProperties": server}
	}
	return object{"type": "object", "additionalProperties": server, "properties": object{
		"mcpServers": list("The servers, by their names."),
		"servers":    list("The servers, by their names: the same as mcpServers, as some programs write it."),
	}}
}
