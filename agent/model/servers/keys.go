package servers

import "maps"

// field is a key that a server may have in the file.
type field struct {
	name, doc string
	schema    map[string]any
}

// fields are all of them, in the order in which people read them.
func fields() []field {
	text := map[string]any{"type": "string"}
	texts := map[string]any{"type": "array", "items": text}
	const refs = " `${env:NAME}` stands for a variable of your environment, `${file:PATH}` for the text of a file."
	send := map[string]any{
		"enum": []string{SendAsk, SendAnything}, "items": text, // a list has items, a word is one of these
	}
	return []field{
		{"name", "What the server is called: its models are `NAME/MODEL`.", text},
		{"url", "Where the server answers: `http://HOST:PORT`, with the path of the protocol if it has one.", text},
		{"socket", "The Unix socket of a server on this machine, in the place of `url`.", text},
		{"kind", "What the server is. `auto` takes the server's own answers.", map[string]any{
			"type": "string", "enum": kindNames(),
		}},
		{"key", "The key that the server wants, by reference." + refs, text},
		{"keyCommand", "A program that prints the key, and its arguments, each a word of its own: " +
			"`[\"pass\", \"show\", \"box\"]`. No shell reads them.", texts},
		{"headers", "What each request carries besides." + refs, map[string]any{
			"type": "object", "additionalProperties": text,
		}},
		{"ca", "A file of certificates that are trusted for this server, and no others.", text},
		{"certificate", "The file of the certificate that the server is shown.", text},
		{"certificateKey", "The file of the key of that certificate.", text},
		{"context", "How many tokens of context a request has, where the server does not tell.", map[string]any{
			"type": "integer", "minimum": 0, "maximum": maxContext,
		}},
		{"slots", "How many requests the server answers at once, where it does not tell.", map[string]any{
			"type": "integer", "minimum": 0, "maximum": maxSlots,
		}},
		{"send", "What may be sent to a server that is not this machine: `ask` (each chat is asked about), " +
			"`anything`, or a list of folders whose chats alone may be sent.", send},
	}
}

func keyNames() []string {
	var names []string
	for _, f := range fields() {
		names = append(names, f.name)
	}
	return names
}

// Schema is the JSON schema of the file, with what people want to know of each key.
func Schema() map[string]any {
	properties := map[string]any{}
	for _, f := range fields() {
		described := map[string]any{"description": f.doc}
		maps.Copy(described, f.schema)
		properties[f.name] = described
	}
	server := map[string]any{
		"type": "object", "description": "A model server.", "properties": properties,
		"required": []string{"name"}, "additionalProperties": false,
	}
	return map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{
		"servers": map[string]any{
			"type": "array", "description": "The servers, in the order in which a model is looked up.", "items": server,
		},
	}}
}
