package sql

import "slices"

// key is a key that a database may have in a file of databases.
type key struct {
	name, doc string
	values    []string // all that it may be; nil: any text
}

// keys are all of them, in the order in which people read them.
func keys() []key {
	tls := []string{"verify", "require", "prefer", "off"}
	return []key{
		{
			"kind", "What the database is; `mysql` is MariaDB, too.",
			[]string{string(SQLite), string(Postgres), string(MySQL), string(BigQuery), string(Spanner)},
		},
		{"path", "The file of a `sqlite` database, from / or ~/ on. It is opened to be read only.", nil},
		{"host", "The machine of a `postgres` or `mysql` server. Without it this one.", nil},
		{"port", "The port of the server. Without it the usual one.", nil},
		{"database", "The database on the server; of `bigquery` the data set.", nil},
		{"user", "The role that reads. One that may do more than read is not used.", nil},
		{
			"password",
			"Its password, by reference: `${env:NAME}` stands for a variable of your environment, " +
				"`${file:PATH}` for the text of a file.",
			nil,
		},
		{"tls", "Whether the connection is encrypted; `verify` checks whom it leads to, too.", tls},
		{"project", "The project of `bigquery` or `spanner`.", nil},
		{"instance", "The instance of `spanner`.", nil},
		{
			"write", "Whether models can ask you to change rows. Each statement is asked about, whatever you allowed.",
			nil,
		},
		{"writeUser", "The role that changes rows: another one than `user`, which only reads.", nil},
		{"writePassword", "Its password, by reference.", nil},
		{
			"folders",
			"The workspaces in which the database may be used, with all folders below them. Without it everywhere.",
			nil,
		},
	}
}

// Schema is the JSON schema of a file of databases, with what people want to know of each key.
func Schema() map[string]any {
	properties := map[string]any{}
	for _, k := range keys() {
		of := map[string]any{"type": "string", "description": k.doc}
		switch {
		case k.name == "port":
			of["type"] = "integer"
		case k.name == "folders":
			of["type"], of["items"] = "array", map[string]any{"type": "string"}
		case k.name == "write":
			of["type"] = "boolean"
		case k.values != nil:
			of["enum"] = slices.Clone(k.values)
		}
		properties[k.name] = of
	}
	database := map[string]any{
		"type":        "object",
		"description": "A database that models can read, once it refuses to be written to by who reads.",
		"properties":  properties, "required": []string{"kind"}, "additionalProperties": false,
	}
	return map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{
		"databases": map[string]any{
			"type": "object", "description": "The databases, by their names.", "additionalProperties": database,
		},
	}}
}
