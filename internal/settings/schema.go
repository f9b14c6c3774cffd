package settings

// object is one of JSON.
type object = map[string]any

// Schema is the JSON schema of one setting, as editors' manifests use it too. "enumDescriptions" is a key of VS Code.
func (f Field) Schema() object {
	schema := object{"description": f.Plain()}
	switch f.Kind {
	case Text:
		schema["type"] = "string"
	case Time:
		schema["type"], schema["pattern"] = "string", `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	case Integer, Number:
		schema["type"] = string(f.Kind)
		limit(schema, "minimum", f.Min)
		limit(schema, "maximum", f.Max)
	case Boolean:
		schema["type"] = "boolean"
	case List:
		items := object{"type": "string"}
		if f.ports {
			items["pattern"] = "^[0-9]+$"
		}
		schema["type"], schema["items"], schema["uniqueItems"] = "array", items, true
	case Map:
		schema["type"], schema["additionalProperties"] = "object", object{"type": "string"}
	}
	if f.Choices != nil {
		var docs []string
		for _, c := range f.Choices {
			docs = append(docs, c.Doc)
		}
		schema["enum"], schema["enumDescriptions"] = f.Names(), docs
	}
	if f.Default != nil {
		schema["default"] = f.Default
	} else {
		schema["type"], schema["default"] = []any{schema["type"], "null"}, nil
	}
	return schema
}

func limit(schema object, key string, value any) {
	if value != nil {
		schema[key] = value
	}
}

// Schema is the JSON schema of a settings file.
func Schema() object {
	properties := object{}
	for _, f := range fields() {
		if f.Scope != Extension {
			properties[f.Name] = f.Schema()
		}
	}
	return object{
		"$schema":              "http://json-schema.org/draft-07/schema#",
		"title":                "Settings of Assent",
		"type":                 "object",
		"properties":           properties,
		"additionalProperties": false,
	}
}
