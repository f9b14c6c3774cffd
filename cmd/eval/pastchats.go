package main

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// historySet is searches over generated chats.
const historySet = "history"

// What was said in the chats, in six languages: the part that it is of, as it is said, its words, and other words for
// it. Chats and queries are drawn from it,
// and were so before any of them was searched: queries.txt has the queries.
//
//go:embed testdata/pastchats/*.tsv
var pastTexts embed.FS

const (
	pastChats  = 5_000
	nearChats  = 12 // of each right answer: chats that share three of its five parts
	parts      = 5  // of a chat: what, does, when, why, fix
	askedParts = 3  // of a query
)

// pastLanguage is a language, and how many queries there are in it by words that were said, and by others.
type pastLanguage struct {
	name, file     string
	byWords, other int
}

func pastLanguages() []pastLanguage {
	return []pastLanguage{
		{"English", "en", 40, 30},
		{"German", "de", 16, 10},
		{"French", "fr", 16, 10},
		{"Russian", "ru", 16, 10},
		{"Chinese", "zh", 16, 10},
		{"Japanese", "ja", 16, 10},
	}
}

// saying is one way to fill a part of a chat.
type saying struct{ said, words, other string }

// pastChat is a chat by what fills its parts; the last one is what it was not.
type pastChat [parts + 1]int

// pastQuery is a search for one chat.
type pastQuery struct {
	language, text string
	other          bool // by other words than were said
	right          int  // the chat
}

// past are all chats, and the queries for them.
type past struct {
	sayings map[string][parts][]saying // by language
	chats   []pastChat
	of      []string // the language of each
	queries []pastQuery
}

// newPast draws the same chats and queries each time.
func newPast() (*past, error) {
	p := &past{sayings: map[string][parts][]saying{}}
	random := rand.New(rand.NewPCG(29, 2026)) //nolint:gosec // the same each time
	for i, l := range pastLanguages() {
		if err := p.read(l.file); err != nil {
			return nil, err
		}
		p.draw(random, l, pastChats*(i+1)/len(pastLanguages()))
	}
	return p, nil
}

func (p *past) read(language string) error {
	lines, err := readCells(pastTexts, "testdata/pastchats/"+language+".tsv", 4)
	if err != nil {
		return err
	}
	var all [parts][]saying
	for _, cells := range lines {
		part := slices.Index([]string{"what", "does", "when", "why", "fix"}, cells[0])
		if part < 0 {
			return fmt.Errorf("%s: %q is no saying", language, cells)
		}
		all[part] = append(all[part], saying{cells[1], cells[2], cells[3]})
	}
	p.sayings[language] = all
	return nil
}

// draw draws the chats of a language, until there are so many in all, and the queries for some of them.
func (p *past) draw(random *rand.Rand, l pastLanguage, until int) {
	first := len(p.chats)
	type target struct {
		chat  pastChat
		asked []int // parts
	}
	var targets []target
	// only the right one may have all that is asked for
	taken := func(c pastChat) bool {
		return slices.ContainsFunc(targets, func(t target) bool { return c.has(t.chat, t.asked) })
	}
	add := func(c pastChat) {
		p.chats, p.of = append(p.chats, c), append(p.of, l.file)
	}
	for len(targets) < l.byWords+l.other {
		t := target{p.chat(random, l.file), random.Perm(parts)[:askedParts]}
		others := slices.ContainsFunc(p.chats[first:], func(c pastChat) bool { return c.has(t.chat, t.asked) })
		if others || taken(t.chat) {
			continue
		}
		p.queries = append(p.queries, p.query(l, t.chat, t.asked, len(targets) >= l.byWords))
		targets = append(targets, t)
		add(t.chat)
		for near := 0; near < nearChats; {
			c := p.chat(random, l.file)
			for _, part := range random.Perm(parts)[:3] {
				c[part] = t.chat[part]
			}
			if !taken(c) {
				add(c)
				near++
			}
		}
	}
	for len(p.chats) < until {
		if c := p.chat(random, l.file); !taken(c) {
			add(c)
		}
	}
}

// chat draws a chat.
func (p *past) chat(random *rand.Rand, language string) (c pastChat) {
	for part := range c {
		c[part] = random.IntN(len(p.sayings[language][min(part, 3)]))
		if part == 4 {
			c[part] = random.IntN(len(p.sayings[language][4]))
		}
	}
	return c
}

// has reports whether a chat says what another one says in some parts.
func (c pastChat) has(other pastChat, asked []int) bool {
	return !slices.ContainsFunc(asked, func(part int) bool {
		return c[part] != other[part] && (part != 3 || c[parts] != other[part])
	})
}

// query asks for the last chat that will be added.
func (p *past) query(l pastLanguage, c pastChat, asked []int, other bool) pastQuery {
	var words []string
	for _, part := range asked {
		s := p.sayings[l.file][part][c[part]]
		if other {
			words = append(words, s.other)
		} else {
			words = append(words, s.words)
		}
	}
	return pastQuery{language: l.file, text: strings.Join(words, " "), other: other, right: len(p.chats)}
}

// text is a chat as it is kept.
func (p *past) text(chat int) string {
	s, c := p.sayings[p.of[chat]], p.chats[chat]
	return fmt.Sprintf(
		"## You\n\n%s %s %s?\n\n## Assistant\n\n%s. %s.\n\n(≠ %s)\n",
		s[0][c[0]].said, s[1][c[1]].said, s[2][c[2]].said, s[3][c[3]].said, s[4][c[4]].said, s[3][c[parts]].said,
	)
}

// write writes all chats into a folder, one an hour.
func (p *past) write(root string) error {
	when := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	order := rand.New(rand.NewPCG(5, 6)).Perm(len(p.chats)) //nolint:gosec // the same each time
	for i, chat := range order {
		path := filepath.Join(root, p.of[chat], strconv.Itoa(chat)+".chat.md")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(p.text(chat)), 0o600); err != nil {
			return err
		}
		at := when.Add(time.Duration(i) * time.Hour)
		if err := os.Chtimes(path, at, at); err != nil {
			return err
		}
	}
	return nil
}

// list is the queries as they are kept with the code.
func (p *past) list() string {
	var b strings.Builder
	for _, q := range p.queries {
		kind := "said"
		if q.other {
			kind = "other"
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\t%d\n", q.language, kind, q.text, q.right)
	}
	return b.String()
}
