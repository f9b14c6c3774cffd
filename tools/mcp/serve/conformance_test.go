package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/mcp/serve"
)

// TestConformance runs the official suite against this server: the suite's tools are in our registry and pass our
// handler, dispatcher and policy. `.ci/mcp` installs the suite and runs this. What is not passed is in
// testdata/conformance.yml, and why in docs/mcp-server.md.
func TestConformance(t *testing.T) {
	t.Parallel()
	suite := os.Getenv("ASSENT_CONFORMANCE") // the folder where npm installed it
	if suite == "" {
		t.Skip("NOT TESTED: the official suite of the Model Context Protocol, which .ci/mcp installs and runs")
	}
	w := newWorld(t)
	w.more.set(suiteTools(t)...)
	addSuiteResources(w.server.SDK())
	l, err := serve.Listen(t.Context(), ":0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.server.ServeWithoutToken(ctx, l) }()
	modules := filepath.Join(suite, "node_modules")
	cmd := exec.CommandContext(ctx, filepath.Join(modules, "node", "bin", "node"), filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js"),
		"server", "--suite", "all", "--url", "http://"+l.Addr().String()+serve.Path, "--expected-failures", "testdata/conformance.yml", "-o", t.TempDir())
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("the suite ended with %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// suiteTool is a tool as the suite wants it.
type suiteTool struct {
	spec tools.Spec
	form json.RawMessage // what it asks the person; nil: it asks nothing
	run  func(context.Context, tools.Reporter) tools.Result
}

func (s suiteTool) Spec() tools.Spec { return s.spec }

func (s suiteTool) Plan(_ context.Context, c tools.Call) (tools.Plan, error) {
	if s.form != nil {
		return tools.Plan{Target: "May I know more of you?", Binding: s.spec.Name, Form: s.form}, nil
	}
	return tools.Plan{Target: s.spec.Name, Binding: s.spec.Name, Run: func(ctx context.Context, r tools.Reporter) tools.Result {
		if s.run == nil {
			return tools.Text(string(c.Arguments))
		}
		return s.run(ctx, r)
	}}, nil
}

func suiteTools(t *testing.T) []tools.Tool {
	picture, err := os.ReadFile("testdata/dot.png")
	if err != nil {
		t.Fatal(err)
	}
	image, err := content.NewImage(picture)
	if err != nil {
		t.Fatal(err)
	}
	resource := func(uri string) content.Part {
		return content.Resource{Link: content.Link{URI: uri, Type: "text/plain"}, Text: "This is an embedded resource content."}
	}
	parts := func(parts ...content.Part) func(context.Context, tools.Reporter) tools.Result {
		return func(context.Context, tools.Reporter) tools.Result { return tools.Result{Parts: parts} }
	}
	var list []tools.Tool
	add := func(name string, run func(context.Context, tools.Reporter) tools.Result) {
		list = append(list, suiteTool{spec: suiteSpec(name, `{"type":"object"}`, effect.Computes), run: run})
	}
	add("test_simple_text", parts(content.Text("This is a simple text response for testing.")))
	add("test_image_content", parts(image))
	add("test_audio_content", parts(content.Audio{Type: "audio/wav", Data: []byte("RIFF&\x00\x00\x00WAVEfmt ")}))
	add("test_embedded_resource", parts(resource("test://embedded-resource")))
	add("test_multiple_content_types", parts(content.Text("Multiple content types test:"), image, resource("test://mixed-content-resource")))
	add("test_error_handling", func(context.Context, tools.Reporter) tools.Result {
		return tools.Failed("This tool intentionally returns an error for testing")
	})
	add("test_tool_with_logging", func(_ context.Context, r tools.Reporter) tools.Result {
		for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			r.Output(line)
		}
		return tools.Text("Tool with logging executed successfully")
	})
	add("test_tool_with_progress", func(_ context.Context, r tools.Reporter) tools.Result {
		for _, done := range []float64{0, 50, 100} {
			r.Progress(done, 100, fmt.Sprintf("Completed step %.0f of 100", done))
		}
		return tools.Text("done")
	})
	list = append(list, suiteTool{spec: suiteSpec("json_schema_2020_12_tool", schema2020, effect.Computes)})
	for name, form := range forms {
		list = append(list, suiteTool{spec: suiteSpec(name, `{"type":"object","properties":{"message":{"type":"string"}}}`, effect.Asks), form: json.RawMessage(form)})
	}
	return list
}

func suiteSpec(name, schema string, does effect.Effect) tools.Spec {
	return tools.Spec{Name: name, Description: "A tool of the official suite.", Parameters: json.RawMessage(schema), Effect: does, Origin: tools.FromServer("suite")}
}

const schema2020 = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
	"$defs":{"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
	"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"}},"additionalProperties":false}`

// forms are what the suite wants the person to be asked, by the tool that asks.
var forms = map[string]string{
	"test_elicitation": `{"type":"object","properties":{"username":{"type":"string","description":"User's response"},
		"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}`,
	"test_elicitation_sep1034_defaults": `{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},
		"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
		"verified":{"type":"boolean","default":true}},"required":[]}`,
	"test_elicitation_sep1330_enums": `{"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}},"required":[]}`,
}

// addSuiteResources adds what the suite wants beside tools: it goes through no code of ours but the middleware.
func addSuiteResources(s *mcp.Server) {
	read := func(text string, blob []byte) mcp.ResourceHandler {
		return func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: text, Blob: blob}}}, nil
		}
	}
	s.AddResource(&mcp.Resource{Name: "static-text", URI: "test://static-text", MIMEType: "text/plain"}, read("This is the content of the static text resource.", nil))
	s.AddResource(&mcp.Resource{Name: "static-binary", URI: "test://static-binary", MIMEType: "image/png"}, read("", []byte("\x89PNG")))
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "template", URITemplate: "test://template/{id}/data", MIMEType: "application/json"},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			id := strings.Split(r.Params.URI, "/")[3]
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: `{"id":"` + id + `","templateTest":true,"data":"Data for ID: ` + id + `"}`}}}, nil
		})
	prompt := func(of func(arguments map[string]string) []mcp.Content) mcp.PromptHandler {
		return func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			result := &mcp.GetPromptResult{}
			for _, part := range of(r.Params.Arguments) {
				result.Messages = append(result.Messages, &mcp.PromptMessage{Role: "user", Content: part})
			}
			return result, nil
		}
	}
	text := func(s string) mcp.Content { return &mcp.TextContent{Text: s} }
	s.AddPrompt(&mcp.Prompt{Name: "test_simple_prompt", Description: "A simple prompt."}, prompt(func(map[string]string) []mcp.Content {
		return []mcp.Content{text("This is a simple prompt for testing.")}
	}))
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_arguments", Description: "A prompt with arguments.", Arguments: []*mcp.PromptArgument{{Name: "arg1", Required: true}, {Name: "arg2", Required: true}}},
		prompt(func(a map[string]string) []mcp.Content {
			return []mcp.Content{text("Prompt with arguments: arg1='" + a["arg1"] + "', arg2='" + a["arg2"] + "'")}
		}))
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_embedded_resource", Description: "A prompt with a resource.", Arguments: []*mcp.PromptArgument{{Name: "resourceUri", Required: true}}},
		prompt(func(a map[string]string) []mcp.Content {
			return []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: a["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}}, text("Please process the embedded resource above.")}
		}))
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_image", Description: "A prompt with an image."}, prompt(func(map[string]string) []mcp.Content {
		return []mcp.Content{&mcp.ImageContent{Data: []byte("\x89PNG"), MIMEType: "image/png"}, text("Please analyze the image above.")}
	}))
}
