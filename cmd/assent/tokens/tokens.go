// Package tokens adds up the tokens of replies, by chat and model.
package tokens

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/tools/usagelog"
)

// Total has the tokens of the replies of one model in one chat.
type Total struct {
	Chat    string    `json:"chat"`
	Model   string    `json:"model"`
	Replies int       `json:"replies"`
	Prompt  int       `json:"prompt"`
	Output  int       `json:"output"`
	Told    int       `json:"told"`   // of Prompt, in the replies whose server tells what it reused
	Cached  int       `json:"cached"` // of Told, what was not read again
	Last    time.Time `json:"last"`
}

// reused says which share of the prompts was not read again.
func (t Total) reused() string {
	if t.Told == 0 {
		return "not told"
	}
	return fmt.Sprintf("%d %%", (t.Cached*100+t.Told/2)/t.Told)
}

// addUp adds up replies by chat and model; the newest chat is last.
func addUp(replies []usagelog.Reply) []Total {
	var all []Total
	for _, r := range replies {
		i := slices.IndexFunc(all, func(t Total) bool { return t.Chat == r.Chat && t.Model == r.Model })
		if i < 0 {
			i = len(all)
			all = append(all, Total{Chat: r.Chat, Model: r.Model})
		}
		t := &all[i]
		t.Replies, t.Prompt, t.Output, t.Last = t.Replies+1, t.Prompt+r.Prompt, t.Output+r.Output, r.Time
		if r.Cached != nil {
			t.Told, t.Cached = t.Told+r.Prompt, t.Cached+*r.Cached
		}
	}
	slices.SortStableFunc(all, func(a, b Total) int {
		return cmp.Or(a.Last.Compare(b.Last), cmp.Compare(a.Chat, b.Chat))
	})
	return all
}

// Print prints a row, or a JSON object, for each chat and model.
func Print(out io.Writer, replies []usagelog.Reply, asJSON bool) error {
	all := addUp(replies)
	if asJSON {
		enc := json.NewEncoder(terminal.JSON(out))
		for _, t := range all {
			if err := enc.Encode(t); err != nil {
				return err
			}
		}
		return nil
	}
	var rows [][]string
	if len(all) > 0 {
		rows = [][]string{{"LAST", "REPLIES", "READ", "REUSED", "WRITTEN", "MODEL", "CHAT"}}
	}
	for _, t := range all {
		rows = append(rows, []string{
			t.Last.Local().Format("2006-01-02 15:04"), fmt.Sprint(t.Replies), fmt.Sprint(t.Prompt), t.reused(),
			fmt.Sprint(t.Output), t.Model, t.Chat,
		})
	}
	return terminal.PlainTable(out, rows)
}
