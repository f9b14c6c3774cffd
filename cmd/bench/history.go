package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/session/history"
)

const (
	fewChats      = 10_000
	manyChats     = 100_000
	chatTurns     = 4
	turnWords     = 40
	vocabulary    = 50_000
	searchRuns    = 200
	searchLimit   = 100 * time.Millisecond
	indexLimit    = time.Minute
	savedLimit    = time.Second
	bytesPerChat  = 1_000
	commonest     = "w0" // the word that nearly every turn has
	chatsInFolder = 1_000
)

// chatsOf makes the measurement that indexes so many generated chats, and searches them.
func chatsOf(n int) func(context.Context, *setup) ([]row, error) {
	return func(ctx context.Context, l *setup) ([]row, error) { return measureChats(ctx, l, n) }
}

func measureChats(ctx context.Context, l *setup, n int) (rows []row, err error) {
	dir, state, err := l.state(fmt.Sprint("history-", n))
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // hundreds of megabytes, which are in nobody's way
	root := filepath.Join(dir, "work")
	words, err := writeChats(root, n)
	if err != nil {
		return nil, err
	}
	h := history.New(state, nil)
	defer func() { err = errors.Join(err, h.Close()) }()
	begin := time.Now()
	if _, err := h.Refresh(ctx, root); err != nil {
		return nil, err
	}
	took := time.Since(begin)
	if _, err := h.Refresh(ctx, root); err != nil { // the log is written back
		return nil, err
	}
	size, err := sizeOf(filepath.Join(state.Dir(), "history"))
	if err != nil {
		return nil, err
	}
	beside := (size - words) / int64(n)
	indexed := row{
		what: fmt.Sprintf("indexing %d chats", n), got: fmt.Sprintf("%.1f s", took.Seconds()),
		how: fmt.Sprintf("Chats of %d turns of %d words, in one workspace, by one process.", chatTurns, turnWords),
	}
	if n == fewChats {
		indexed.target, indexed.ok = "≤ 60 s", took <= indexLimit
	}
	rows = append(rows, indexed, row{
		what: fmt.Sprintf("size of their index beside the words, of %d chats", n), target: "≤ 1 kB per chat",
		got: fmt.Sprintf("%d bytes per chat; %d MB in all", beside, size>>20), ok: beside <= bytesPerChat,
		how: "The files of the index, less the bytes of all words in the chats.",
	})
	searched, err := timeSearches(ctx, h, root, n)
	rows = append(rows, searched...)
	if err != nil {
		return rows, err
	}
	saved, err := timeSave(ctx, h, root)
	return append(rows, row{
		what: fmt.Sprintf("a saved turn is found, among %d chats", n), target: "≤ 1 s", got: ms(saved),
		ok:  saved <= savedLimit,
		how: "From the save to the end of the search that finds it.",
	}), err
}

// timeSearches times searches for words of each kind.
func timeSearches(ctx context.Context, h *history.History, root string, n int) (rows []row, err error) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same chats each time
	word := func() string { return fmt.Sprint("w", 100+random.IntN(vocabulary/50)) }
	for _, c := range []struct {
		what string
		next func() history.Query
	}{
		{"the most common word", func() history.Query { return history.Query{Text: commonest} }},
		{"a rare word", func() history.Query { return history.Query{Text: fmt.Sprint("w", random.IntN(vocabulary))} }},
		{"two words", func() history.Query { return history.Query{Text: word() + " " + word()} }},
		{"the beginning of a word", func() history.Query { return history.Query{Text: word()[:3] + "*"} }},
		{"the most common word in one folder", func() history.Query {
			return history.Query{Text: commonest, Workspace: root, Since: time.Unix(1_700_000_000, 0)}
		}},
	} {
		took, err := times(searchRuns, func() error {
			_, err := h.Search(ctx, c.next())
			return err
		})
		if err != nil {
			return rows, err
		}
		p99 := quantile(took, 0.99)
		rows = append(rows, row{
			what: fmt.Sprintf("search for %s in %d chats", c.what, n), target: "p99 ≤ 100 ms",
			got: fmt.Sprintf("p50 %s, p99 %s", ms(median(took)), ms(p99)), ok: p99 <= searchLimit,
			how: fmt.Sprintf("%d searches for 20 hits with excerpts, in a process that searched before.", searchRuns),
		})
	}
	return rows, nil
}

// timeSave times how long it takes until a turn is found.
func timeSave(ctx context.Context, h *history.History, root string) (time.Duration, error) {
	path := filepath.Join(root, "0", "0.chat.md")
	begin := time.Now()
	if err := os.WriteFile(path, []byte("## You\n\nquetzalcoatl\n"), 0o600); err != nil {
		return 0, err
	}
	if err := h.Saved(ctx, root, path); err != nil {
		return 0, err
	}
	hits, err := h.Search(ctx, history.Query{Text: "quetzalcoatl"})
	if err == nil && len(hits) != 1 {
		err = fmt.Errorf("it is found %d times", len(hits))
	}
	return time.Since(begin), err
}

// writeChats writes chats whose words are as common as those of a language (Zipf), and counts the bytes of the words.
func writeChats(root string, n int) (bytes int64, err error) {
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same chats each time
	zipf := rand.NewZipf(random, 1.07, 1, vocabulary-1)
	for i := range n {
		var b strings.Builder
		for turn := range chatTurns {
			b.WriteString([]string{"## You\n\n", "## Assistant\n\n"}[turn%2])
			for range turnWords {
				word := fmt.Sprint("w", zipf.Uint64())
				bytes += int64(len(word)) + 1
				b.WriteString(word + " ")
			}
			b.WriteString("\n\n")
		}
		name := filepath.Join(root, fmt.Sprint(i/chatsInFolder), fmt.Sprintf("%d.chat.md", i%chatsInFolder))
		if err := write(name, b.String()); err != nil {
			return 0, err
		}
	}
	return bytes, nil
}

// sizeOf adds up the files in a folder.
func sizeOf(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
