package main

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/guidance/intent"
	"github.com/assent-ls/assent/agent/model"
)

// intentsSet compares ways to find out what a message wants, on messages in seven languages whose author knew none of
// them. The embedding model is the one that install/embedder.sh brings.
const (
	intentsSet = "intents"
	embedder   = "all-minilm"
	neighbours = 7 // labelled messages that a vote by vectors counts
)

//go:embed testdata/messages.tsv testdata/fresh/messages.tsv
var messages embed.FS

// labelled is a message with what its author wants: change, answer, run, talk or forbid.
type labelled struct{ language, label, text string }

// readLabelled reads testdata/fresh/messages.tsv: language, label and message.
func readLabelled() (list []labelled, err error) {
	lines, err := readCells(messages, "testdata/fresh/messages.tsv", 3)
	for _, cells := range lines {
		list = append(list, labelled{cells[0], cells[1], strings.ReplaceAll(cells[2], `\n`, "\n")})
	}
	return list, err
}

// readCells reads a file whose lines are n cells with tabs between them. Lines that begin with "#" are comments.
func readCells(files embed.FS, name string, n int) (lines [][]string, err error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case len(cells) != n:
			return nil, fmt.Errorf("%s: %q has not %d cells", name, line, n)
		default:
			lines = append(lines, cells)
		}
	}
	return lines, nil
}

// classifier says what it takes a message for: change, question, unclear or forbid.
type classifier struct {
	name string
	of   func(ctx context.Context, message string) (string, error)
}

// byWords is how a guided run classifiers.
func byWords() classifier {
	return classifier{"word lists", func(_ context.Context, message string) (string, error) {
		if intent.Forbids(message) {
			return "forbid", nil
		}
		return intent.Of(message).String(), nil
	}}
}

// byChoice has the model itself choose, in one short request.
func byChoice(backend model.Backend, name string) classifier {
	const ask = "What does the user want? answer: to be told something, and no file changes. look: to be told " +
		"something that is in the files. change: files to be changed or made. run: a command to be run."
	schema := json.RawMessage(`{"type":"object","properties":{"wants":{"enum":["answer","look","change","run"]}},"required":["wants"]}`)
	return classifier{"the model's choice", func(ctx context.Context, message string) (string, error) {
		var reply strings.Builder
		cold := 0.0
		info, err := backend.Describe(ctx, name)
		if err != nil {
			return "", err
		}
		err = backend.Chat(ctx, model.Request{
			Model: info.Name, Server: info.Server, Format: schema, ContextSize: 4096, MaxTokens: 20, Temperature: &cold,
			KeepAlive: 5 * time.Minute,
			Messages: []model.Message{
				{Role: model.RoleSystem, Text: ask},
				{Role: model.RoleUser, Text: message},
			},
		}, func(c model.Chunk) error {
			reply.WriteString(c.Text)
			return nil
		})
		var chosen struct{ Wants string }
		if err := cmp.Or(err, json.Unmarshal([]byte(reply.String()), &chosen)); err != nil {
			return "", err
		}
		return map[string]string{
			"change": "change", "run": "unclear", "answer": "question", "look": "question",
		}[chosen.Wants], nil
	}}
}

// byVectors has the nearest of the older messages vote, which are in English.
func byVectors(ctx context.Context, backend model.Embedder) (classifier, error) {
	lines, err := readCells(messages, "testdata/messages.tsv", 3)
	if err != nil {
		return classifier{}, err
	}
	var texts, labels []string
	for _, cells := range lines {
		labels, texts = append(labels, cells[1]), append(texts, strings.ReplaceAll(cells[2], `\n`, "\n"))
	}
	embed := func(ctx context.Context, texts []string) ([][]float32, error) {
		return backend.Embed(ctx, model.Embedding{
			Model: embedder, Texts: texts, ContextSize: 256, KeepAlive: 5 * time.Minute,
		})
	}
	known, err := embed(ctx, texts)
	if err != nil {
		return classifier{}, err
	}
	return classifier{embedder, func(ctx context.Context, message string) (string, error) {
		asked, err := embed(ctx, []string{message})
		if err != nil || len(asked) != 1 {
			return "", cmp.Or(err, errors.New("no vector"))
		}
		order := make([]int, len(known))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Compare(dot(asked[0], known[b]), dot(asked[0], known[a]))
		})
		changes := 0
		for _, i := range order[:neighbours] {
			if labels[i] == "change" {
				changes++
			}
		}
		if 2*changes > neighbours {
			return "change", nil
		}
		return "question", nil
	}}, nil
}

// dot compares two vectors of length 1.
func dot(a, b []float32) (sum float32) {
	for i := range min(len(a), len(b)) {
		sum += a[i] * b[i]
	}
	return sum
}

// intentsAll prints, for each classifier and language, what changes and what other messages are taken for.
func intentsAll(ctx context.Context, o options, backend model.Backend) error {
	list, err := readLabelled()
	if err != nil {
		return err
	}
	classifiers := []classifier{byWords()}
	if e, ok := backend.(model.Embedder); ok {
		vectors, err := byVectors(ctx, e)
		if err != nil {
			return err
		}
		classifiers = append(classifiers, vectors)
	}
	for _, name := range o.models {
		choice := byChoice(backend, name)
		choice.name += ", " + name
		classifiers = append(classifiers, choice)
	}
	fmt.Println("| classifier | language | changes: as change | unclear | as question | other messages: as change | forbidden changes seen |\n|---|---|---|---|---|---|---|")
	for _, j := range classifiers {
		count := map[string]map[string]int{}
		for _, m := range list {
			got, err := j.of(ctx, m.text)
			if err != nil {
				return fmt.Errorf("%s: %w", j.name, err)
			}
			for _, language := range []string{m.language, "all"} {
				if count[language] == nil {
					count[language] = map[string]int{}
				}
				count[language][m.label]++
				count[language][m.label+" as "+got]++
			}
		}
		for _, language := range slices.Sorted(maps.Keys(count)) {
			n := count[language]
			others, wrong := 0, 0
			for _, label := range []string{"answer", "run", "talk", "forbid"} {
				others, wrong = others+n[label], wrong+n[label+" as change"]
			}
			fmt.Printf(
				"| %s | %s | %d of %d | %d | %d | %d of %d | %d of %d |\n", j.name, language, n["change as change"], n["change"],
				n["change as unclear"], n["change as question"]+n["change as forbid"], wrong, others, n["forbid as forbid"], n["forbid"],
			)
		}
	}
	return nil
}
