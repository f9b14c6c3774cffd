package sql

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/sql/statement"
)

//go:embed sql_change.md
var changeText string

// Change is the own name of the tool that changes rows.
const Change = "sql_change"

type changeInput struct {
	Source    string `json:"source,omitempty" jsonschema:"the database"`
	Statement string `json:"statement" jsonschema:"one INSERT, UPDATE or DELETE"`
}

// changeTool is the tool sql_change, for the databases that are declared to be written to; false: there are none.
func (s *Source) changeTool(list []*database) (tools.Tool, bool) {
	list = slices.DeleteFunc(slices.Clone(list), func(d *database) bool { return !d.Write })
	if len(list) == 0 {
		return nil, false
	}
	spec := tools.Spec{
		Name: Change, Description: changeText, Verb: "change", Effect: effect.Calls, Timeout: tools.Unlimited,
		PerMinute: 20,
	}
	return naming(list, spec, func(_ context.Context, _ tools.Call, in changeInput) (tools.Plan, error) {
		name := in.Source
		if name == "" && len(list) == 1 {
			name = list[0].Name
		}
		d, err := s.find(name)
		switch {
		case err != nil:
			return tools.Plan{}, err
		case !d.Write:
			return tools.Plan{}, fmt.Errorf(
				"the database %s is only read: its rows can be changed once the user's file of databases says "+
					"\"write\": true for it",
				d.Name,
			)
		}
		return d.planChange(in.Statement)
	}), true
}

// planChange looks at the text of a statement alone, as plan does. That the call is protected keeps every rule, mode
// and --approve from answering for the person.
func (d *database) planChange(text string) (tools.Plan, error) {
	c, err := statement.ReadChange(text, d.dialect())
	if err != nil {
		return tools.Plan{}, err
	}
	w := d.writer()
	plan := d.planOf(c.Text, w.Place())
	plan.Binding = policy.Bind(d.Name, d.Place(), w.Place(), c.Text)
	plan.Protected = "It changes rows of a database, which cannot be taken back: each statement is asked about."
	plan.Preview += "\n"
	if c.All {
		plan.Preview += "It has no WHERE: it is about all rows of the table.\n"
	}
	if c.Count == "" {
		plan.Preview += fmt.Sprintf("It adds %s.\n", plural(c.Rows, "row"))
	} else {
		plan.Preview += "How many rows it touches is counted once you say yes. " +
			"Then you are asked again, before anything changes.\n"
	}
	plan.Run = func(ctx context.Context, reporter tools.Reporter) tools.Result { return d.change(ctx, c, reporter) }
	return plan, nil
}

// change runs a statement that a person said yes to. If its words do not say how many rows it touches they are counted,
// by the account that only reads, and the person is asked once more.
func (d *database) change(ctx context.Context, c statement.Change, reporter tools.Reporter) tools.Result {
	agreed := c.Rows
	if c.Count != "" {
		n, err := d.count(ctx, c.Count)
		if err != nil {
			return d.failedCount(ctx, c, err)
		}
		if n == 0 {
			return tools.Text("It would touch no row, so it was not run.")
		}
		if yes, err := d.confirmed(ctx, c, n, reporter); err != nil {
			return tools.Failed(tools.FailedBy(err).Text() + " Nothing was changed.")
		} else if !yes {
			return tools.Failed(
				fmt.Sprintf("It would touch %s, and the user said no. Nothing was changed.", plural(n, "row")),
			)
		}
		agreed = n
	}
	n, err := d.apply(ctx, c, agreed)
	if err != nil {
		return tools.FailedBy(err)
	}
	return tools.Text(fmt.Sprintf("Done: it touched %s of %s.", plural(n, "row"), visible.Line(c.Table)))
}

// count asks how many rows a statement would touch.
func (d *database) count(ctx context.Context, query string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	rows, err := d.run(ctx, query)
	if err != nil {
		return 0, err
	}
	if len(rows) != 1 {
		return 0, errors.New("the rows cannot be counted")
	}
	return strconv.Atoi(rows[0].of("n"))
}

// failedCount is the result of a statement whose rows could not be counted: it most likely names something that does
// not exist.
func (d *database) failedCount(ctx context.Context, c statement.Change, err error) tools.Result {
	result := tools.FailedBy(err)
	if q, wrong := statement.Read(c.Count, d.dialect()); wrong == nil {
		result = d.failure(ctx, q, err)
	}
	text := "How many rows it touches could not be counted, so nothing was changed. " + result.Text()
	if said, ok := isSaid(err); ok && d.Kind == MySQL && strings.Contains(said, "Error 1060") {
		text += " Give each column a name of its own: SELECT a AS c1, b AS c2."
	}
	return tools.Failed(text)
}

// confirmed asks the person who said yes to the statement whether so many rows are meant.
func (d *database) confirmed(ctx context.Context, c statement.Change, n int, reporter tools.Reporter) (bool, error) {
	asker, ok := reporter.(tools.Asker)
	if !ok {
		return false, tools.ErrNobody
	}
	reply, err := asker.Ask(ctx, tools.Inquiry{
		From:   "the database " + d.Name,
		Target: fmt.Sprintf("Change %s of %s in %s", plural(n, "row"), visible.Line(c.Table), d.Name),
		Text: fmt.Sprintf(
			"This touches %s of %s in %s:\n\n%s\n\nRows that the database changes by itself then, by a trigger, "+
				"a foreign key or a function, are not counted.\n",
			plural(n, "row"), visible.Line(c.Table), d.Name, quoted(c.Text),
		),
		Notice: "It cannot be taken back.",
		Yes:    "Change " + plural(n, "row"),
	})
	return reply.Yes, err
}
