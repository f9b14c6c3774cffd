package sql

// object is one of JSON.
type object = map[string]any

// key is a key that a database may have in a file of databases.
type key struct {
	name, doc string
}

// keys are all of them, in the order in which people read them.
func keys() []key {
	return []key{
		{"kind", "What the database is; `mysql` is MariaDB, too."},
		{"path", "The file of a `sqlite` database, from / or ~/ on. It is opened to be read only."},
		{"host", "The machine of a `postgres` or `mysql` server. Without it this one."},
		{"port", "The port of the server. Without it the usual one."},
		{"database", "The database on the server; of `bigquery` the data set."},
		{"user", "The role that reads. One that may do more than read is not used."},
		{
			"password",
			"Its password, by reference: `${env:NAME}` stands for a variable of your environment, " +
				"`${file:PATH}` for the text of a file.",
		},
		{"tls", "Whether the connection is encrypted; `verify` checks whom it leads to, too."},
		{"project", "The project of `bigquery` or `spanner`."},
		{"instance", "The instance of `spanner`."},
		{"write", "Whether models can ask you to change rows. Each statement is asked about, whatever you allowed."},
		{"writeUser", "The role that changes rows: another one than `user`, which only reads."},
		{"writePassword", "Its password, by reference."},
		{
			"folders",
			"The workspaces in which the database may be used, with all folders below them. Without it everywhere.",
		},
	}
}

// Schema is the JSON schema of a file of databases, with what people want to know of each key.
func Schema() object {
	properties := object{}
	for _, k := range keys() {
		of := object{"type": "string", "description": k.doc}
		switch k.name {
		case "kind":
			of["enum"] = []Kind{SQLite, Postgres, MySQL, BigQuery, Spanner}
		case "tls":
			of["enum"] = []string{"verify", "require", "prefer", "off"}
		case "port":
			of["type"] = "integer"
		case "folders":
			of["type"], of["items"] = "array", object{"type": "string"}
		case "write":
			of["type"] = "boolean"
		}
		properties[k.name] = of
	}
	database := object{
		"type":        "object",
		"description": "A database that models can read, once it refuses to be written to by who reads.",
		"properties":  properties, "required": []string{"kind"}, "additionalProperties": false,
	}
	return object{"type": "object", "additionalProperties": false, "properties": object{
		"databases": object{
			"type": "object", "description": "The databases, by their names.", "additionalProperties": database,
		},
	}}
}
