package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/model"
)

// conversation is what is said in the measured conversation: files are read, menus are completed, and the beginning is
// put into a summary. The texts of the files are of several kinds.
func conversation() []string {
	return []string{
		"Read main.go and tell me in one sentence what it does.",
		"Read prices.json. Which is the dearest? Answer in one sentence.",
		"Read brief.txt and tell me in one English sentence what it is about.",
		"/compact What did I ask about main.go? Answer in one sentence.",
		"Read docs/guide.md and repeat it in one sentence.",
	}
}

// conversationFiles are read in the conversation, besides those of the workspace.
func conversationFiles() map[string]string {
	return map[string]string{
		"prices.json": "{\"currency\": \"EUR\", \"valid\": \"2026-04-01\", \"items\": [\n" +
			"  {\"name\": \"oak table\", \"price\": 420.5, \"stock\": 3},\n" +
			"  {\"name\": \"lamp\", \"price\": 39.9, \"stock\": 17},\n" +
			"  {\"name\": \"bookshelf\", \"price\": 185, \"stock\": 8},\n" +
			"  {\"name\": \"armchair\", \"price\": 310.25, \"stock\": 2}\n]}\n",
		"brief.txt": "Liebe Frau Sørensen,\n\nvielen Dank für Ihre Anfrage vom 3. März. " +
			"Die Bücherregale können wir frühestens in der übernächsten Woche liefern, " +
			"weil unser Schreiner erkrankt ist. Die Rechnung erhalten Sie, wie gewünscht, " +
			"erst nach der Lieferung.\n\nMit freundlichen Grüßen\nÄnne Müßig\n",
	}
}

const (
	againLimit    = 1.0 // percent of the prompts
	estimateLimit = 3.0 // percent of a prompt
)

// measureConversation holds a conversation with the real model through the real program, with a proxy on the way to the
// model server.
func measureConversation(ctx context.Context, l *setup) ([]row, error) {
	if l.host == "" {
		return []row{{what: "a conversation with a real model", got: "not measured: no Ollama at OLLAMA_HOST"}}, nil
	}
	w, err := l.newProject()
	if err != nil {
		return nil, err
	}
	for name, text := range conversationFiles() {
		if err := write(w.dir+"/"+name, text); err != nil {
			return nil, err
		}
	}
	r, err := record(ctx, l.host)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if err := l.unload(ctx); err != nil {
		return nil, err
	}
	e, err := l.startEditor(ctx, w, "--ollama-host", r.address, "--temperature", "0")
	if err != nil {
		return nil, err
	}
	defer e.quit()
	processes, err := l.converse(ctx, e, w.uri("talk.chat.md"))
	if err != nil {
		return nil, err
	}
	loaded := row{
		what: "times that the model is loaded in a conversation with completion and a summary", target: "1", ok: len(
			processes,
		) == 1,
		got: fmt.Sprint(len(processes)), how: fmt.Sprintf(
			"The processes of the llama-server beneath Ollama, looked for after each of %d messages. "+
				"The title of a chat is its first words: no model writes it.",
			len(conversation()),
		),
	}
	return append([]row{again(r.exchanges()), loaded}, estimates(r.exchanges())...), nil
}

// unload takes the model out of memory, so that the conversation begins by loading it.
func (l *setup) unload(ctx context.Context) error {
	body, err := json.Marshal(map[string]any{"model": l.model, "keep_alive": 0})
	if err != nil {
		return err
	}
	response, err := ask(ctx, http.MethodPost, l.host+"/api/generate", body)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// converse sends all messages and returns the processes that answered.
func (l *setup) converse(ctx context.Context, e *editor, uri string) (processes map[string]bool, err error) {
	processes = map[string]bool{}
	if err := e.open(uri, "---\nmodel: "+l.model+"\n---\n\n## You\n"); err != nil {
		return nil, err
	}
	for _, says := range conversation() {
		if err := e.append(uri, "\n"+says+"\n"); err != nil {
			return nil, err
		}
		if _, err := e.call("textDocument/completion", map[string]any{ // the models of the server, in the head
			"textDocument": map[string]string{"uri": uri}, "position": position{Line: 1, Character: len("model: ")},
		}); err != nil {
			return nil, err
		}
		if _, err := e.sendUntil(uri, e.nextEnd()); err != nil {
			return nil, fmt.Errorf("%q: %w", says, err)
		}
		if server, err := beneath(l.host); err == nil {
			processes[server.process] = true
		}
		pause()
	}
	if len(processes) == 0 {
		return nil, errNothingBeneath
	}
	return processes, nil
}

// again says how much of the prompts was read though it had been read before: what of the prompt before and its reply
// was not taken from the cache.
func again(exchanges []exchange) row {
	all, twice, measured := 0, 0, 0
	for i, x := range exchanges {
		if i == 0 || x.prompt == 0 || x.reading.All == 0 || x.summary || exchanges[i-1].summary {
			continue // a summary takes the place of what was read before
		}
		before := exchanges[i-1]
		fresh := max(x.prompt-before.prompt-before.output, 0)
		measured++
		all += x.prompt
		twice += max(x.reading.Read-fresh-1, 0) // the last token of a reply is in no cache
	}
	if measured == 0 {
		return row{
			what: "tokens read again", got: "could not be measured: the llama-server beneath Ollama did not tell",
		}
	}
	percent := 100 * float64(twice) / float64(all)
	return row{
		what: "tokens that are read again, though they were read before", target: "≤ 1 %", ok: percent <= againLimit,
		got: fmt.Sprintf("%.2f %% (%d of %d, %d requests)", percent, twice, all, measured),
		how: "What the llama-server beneath Ollama has read of each prompt (its slots tell, " +
			"as cache_n of its timings does), less what is new: the prompt without the one before and its reply. " +
			"The summary and the request after it are left out: there the beginning of the chat is another one.",
	}
}

// estimates compares what Assent expects of each request with what the server counts, as the meter of a process does
// that knows nothing at first.
func estimates(exchanges []exchange) []row {
	meter := model.NewMeter()
	var wrong []float64
	for i, x := range exchanges {
		if x.prompt == 0 {
			continue
		}
		e := meter.Estimate(x.request)
		if i > 0 {
			wrong = append(wrong, 100*math.Abs(float64(e.Tokens-x.prompt))/float64(x.prompt))
		}
		meter.Learn(x.request, x.prompt)
	}
	if len(wrong) == 0 {
		return nil
	}
	return []row{{
		what: "estimated tokens against the server's count, after the first reply", target: "≤ 3 %", ok: slices.Max(
			wrong,
		) <= estimateLimit,
		got: fmt.Sprintf(
			"%.1f %% at worst (median %.1f %%, %d requests)", slices.Max(wrong), median(wrong), len(wrong),
		),
		how: "The same conversation, whose files are Go, JSON, German and Markdown.",
	}}
}

// exchange is a request with what was said about it.
type exchange struct {
	request        model.Request
	summary        bool // it asks for a summary
	prompt, output int  // tokens, as the server counts them
	reading        reading
}

// requestOf reads back what went over the wire, as far as tokens are counted of it.
func requestOf(body []byte) (model.Request, error) {
	var wire struct {
		Model    string
		Messages []struct {
			Role      model.Role
			Content   string
			ToolCalls []struct {
				Function struct {
					Name      string
					Arguments json.RawMessage
				}
			} `json:"tool_calls"`
		}
		Tools []struct {
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return model.Request{}, err
	}
	r := model.Request{Model: wire.Model}
	for _, m := range wire.Messages {
		message := model.Message{Role: m.Role, Text: m.Content}
		for _, c := range m.ToolCalls {
			message.Calls = append(message.Calls, model.Call{Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		r.Messages = append(r.Messages, message)
	}
	for _, t := range wire.Tools {
		r.Tools = append(
			r.Tools,
			model.Tool{Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters},
		)
	}
	return r, nil
}

// asksForSummary reports whether a request ends with the words that ask for one.
func asksForSummary(r model.Request, words string) bool {
	return len(r.Messages) > 0 && strings.HasPrefix(r.Messages[len(r.Messages)-1].Text, words)
}
