package tasks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/mcp/mcptest"
)

// serverTools are tasks for the tools of five servers, two hundred in all: the right one has to be found. How tools are
// brought was worked out on them.
func serverTools() []Task {
	return []Task{
		tells("issue-state", "What is the state of issue 103 in the tracker?", "issue", "closed"),
		tells("meeting-room", "In which room is my interview with Una Vale?", "event", "maple"),
		serverTask(
			"reminder", "Remind me on 2026-12-01 to call the plumber.",
			makes("create_reminder", "text", "plumber", "day", "2026-12-01"),
		),
		serverTask(
			"lamp", "Switch off the lamp in the kitchen.", makes("update_light", "id", "kitchen", "state", "off"),
		),
		tells("garage", "Is the garage locked?", "lock", "unlocked|not locked|isn't locked|no"),
		tells("stock", "How many wine glasses do we have in stock?", "product", "84"),
		serverTask(
			"new-issue", "File an issue: the search finds nothing on Sundays. It should go to jon.",
			makes("create_issue", "title", "sunday", "assignee", "jon"),
		),
		tells("invoice-paid", "Has invoice 8002 been paid?", "invoice", "no|unpaid"),
		tells("deployment", "Did the deployment d-91 work?", "deployment", "fail|not work|no"),
		tells(
			"backup", "When was the last backup of the orders database taken?",
			"backup", "2026-11-21|november 21|21 november|21st",
		),
		tells("phone", "What is Hugo Iron's phone number?", "contact", "5550172"),
		tells(
			"certificate", "On which day does the certificate of shop.example run out?",
			"certificate", "2026-12-09|december 9|9 december|9th",
		),
	}
}

// serverTask is a task in a folder that has nothing to do with it.
func serverTask(name, request string, checks ...check) Task {
	files := folder{
		"README.md": "# Notes\n\nWhat is to be done this week.\n", "week.txt": "monday: budget\nfriday: parcel\n",
	}
	return Task{name: name, request: request, files: files, servers: true, check: all(append(checks, untouched())...)}
}

// tells is a task for the tools that get and list a kind of things.
func tells(name, request, kind, answer string) Task {
	return serverTask(name, request, uses(kind, "get", "list"), answers(answer))
}

// freshServerTasks are twenty more, written by somebody who knew the servers alone, and only ever run for the table.
func freshServerTasks() []Task {
	return []Task{
		tells("fresh-language", "What programming language is our phone app written in?", "project", "kotlin"),
		tells(
			"fresh-iteration", "The team's iteration is called Otter, isn't it? What's its final day?",
			"sprint", "2026-11-27|november 27|nov 27|nov. 27|27 nov|27. nov|27th nov|27th of nov|11/27|27.11.",
		),
		serverTask(
			"fresh-assigned", "Could you check the issue tracker and tell me what has been assigned to Ola?",
			uses("issue", "list"), answers("typo|welcome page"),
		),
		tells("fresh-seats", "how many people can sit in Birch?", "room", "12|twelve"),
		tells(
			"fresh-phone", "I need to ring Hugo Iron. What's his number?",
			"contact", "5550172|555 0172|555-0172|555 01 72",
		),
		tells(
			"fresh-wifi", "My sister is visiting and wants to get online. "+
				"I wrote the guest wifi password down somewhere, what was it?",
			"note", "tall-green-tree",
		),
		tells("fresh-stock", "How many wine glasses have we still got in stock?", "product", "84|eighty-four"),
		tells("fresh-vendor", "Our vendor Amber Imports - which country are they in again?", "supplier", "india"),
		tells(
			"fresh-bedroom", "It feels chilly up here. What temperature is it really in the bedroom, "+
				"not what the heating is set to?",
			"thermostat", "17.5|17,5",
		),
		tells("fresh-stereo", "What's the stereo in the lounge playing?", "speaker", "radio two|radio 2"),
		serverTask(
			"fresh-down", "Which of the computers in our rack are down at the moment?", uses("host", "list"),
			answers("rack1-b|h2"),
		),
		tells(
			"fresh-certificate", "When does the certificate for shop.example run out?",
			"certificate", "2026-12-09|december 9|december 09|dec 9|dec. 9|9 dec|9. "+
				"dec|09 dec|9th dec|9th of dec|12/9|12/09|9.12.",
		),

		serverTask(
			"fresh-comment", "Please add a comment to issue 104: already corrected in the draft.",
			makes("create_comment", "text", "corrected", "issue", "104"),
		),
		serverTask("fresh-dentist", "Put the dentist in my calendar for 2026-12-03, starting at 09:00.",
			makes("create_event", "title", "dentist", "day", "2026-12-03", "begins", "9:00")),
		serverTask(
			"fresh-voucher", "We need a new voucher, SPRING20, that takes 20 percent off and is good until 2027-03-31.",
			makes("create_coupon", "code", "spring20", "percent", "20", "ends", "2027-03-31"),
		),
		serverTask(
			"fresh-shipped", "Order 7002 has just left the warehouse, so mark it as shipped please.",
			makes("update_order", "id", "7002", "state", "shipped"),
		),
		serverTask(
			"fresh-hall", "It's so dark in the hall. Switch the lamp on for me, at 40 percent.",
			makes("update_light", "id", "hall", "state", "on", "brightness", "40"),
		),
		serverTask(
			"fresh-bread", "Bread's in the oven! Set a timer called bread for 25 minutes.",
			makes("create_timer", "name", "bread", "minutes", "25"),
		),
		serverTask(
			"fresh-nightly", "The nightly report should run at 03:30 from now on instead of two o'clock.",
			makes("update_job", "id", "nightly", "schedule", "3:30"),
		),
		serverTask(
			"fresh-graphs",
			"Nobody looks at the dashboard with the checkout errors any more. Delete it for good, I'm sure.",
			makes("delete_dashboard", "id", "g1"),
		),
	}
}

// besideServers are tasks as they are where two hundred tools of others are there, too, and of no use.
func besideServers(tasks []Task) []Task {
	for i, t := range tasks {
		tasks[i].servers = true
		tasks[i].check = all(t.check, func(_ context.Context, o Outcome) error {
			if len(o.Served) > 0 {
				return fmt.Errorf("tools of others were called: %s", toolsOf(o.Served))
			}
			return nil
		})
	}
	return tasks
}

// changes tells the tools that change something.
func changes(c mcptest.Call) bool {
	return slices.ContainsFunc(
		[]string{"create_", "update_", "delete_"}, func(verb string) bool { return strings.HasPrefix(c.Tool, verb) },
	)
}

// uses requires a call that went well of one of the tools for a kind of things that only read, and none that changes
// anything.
func uses(kind string, verbs ...string) check {
	return func(_ context.Context, o Outcome) error {
		used := false
		for _, c := range o.Served {
			verb, of, _ := strings.Cut(c.Tool, "_")
			used = used || !c.Failed && slices.Contains(verbs, verb) && strings.TrimSuffix(of, "s") == kind
			if changes(c) && !c.Failed {
				return fmt.Errorf("%s changed something", c.Tool)
			}
		}
		if !used {
			return fmt.Errorf("no tool for a %s was called; called: %s", kind, toolsOf(o.Served))
		}
		return nil
	}
}

// makes requires that one call changed something, by a tool with arguments that contain the texts given after their
// names.
func makes(tool string, arguments ...string) check {
	return func(_ context.Context, o Outcome) error {
		done := slices.DeleteFunc(slices.Clone(o.Served), func(c mcptest.Call) bool { return c.Failed || !changes(c) })
		if len(done) != 1 || done[0].Tool != tool {
			return fmt.Errorf("what was changed: %s; called: %s", toolsOf(done), toolsOf(o.Served))
		}
		for i := 0; i < len(arguments); i += 2 {
			if got := fmt.Sprint(done[0].Arguments[arguments[i]]); !strings.Contains(
				strings.ToLower(got), arguments[i+1],
			) {
				return fmt.Errorf("%s of %s is %s", arguments[i], tool, Short(got))
			}
		}
		return nil
	}
}

func toolsOf(calls []mcptest.Call) string {
	var names []string
	for _, c := range calls {
		names = append(names, c.Tool)
	}
	return strings.Join(names, ", ")
}
