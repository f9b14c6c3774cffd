package tasks

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// rewrites requires that every file of a folder is its former text, rewritten, and that all others are as before; blank
// lines do not count. An empty folder is the workspace.
func rewrites(folder string, rewrite func(text string) string) check {
	return func(_ context.Context, o Outcome) error {
		want := map[string]string{}
		for name, text := range o.Before {
			if want[name] = text; strings.HasPrefix(name, folder) {
				want[name] = rewrite(text)
			}
		}
		return sameFiles(want, o.After, sameLines)
	}
}

// phoneList requires headings for villages, and below each the lines of its people in order, each a first name, a last
// name and the end of a number.
func phoneList(name string, want map[string][]string) check {
	phone := regexp.MustCompile(`\b0481[ /-]?(\d{5})\b`)
	return func(_ context.Context, o Outcome) error {
		got := map[string][]string{}
		village := ""
		for _, line := range textLines(o.After[name]) {
			number := phone.FindStringSubmatch(line)
			if number == nil {
				for _, v := range slices.Sorted(maps.Keys(want)) {
					if strings.Trim(line, "#*_: ") == v || strings.HasPrefix(line, "#") && strings.Contains(line, v) {
						village = v
					}
				}
				continue
			}
			got[village] = append(got[village], number[1]+" "+line)
		}
		for v, people := range got {
			if len(people) != len(want[v]) {
				return fmt.Errorf("%s has %d people below %q: %s", name, len(people), v, Short(o.After[name]))
			}
			for i, person := range want[v] {
				for part := range strings.FieldsSeq(person) {
					if !strings.Contains(people[i], part) {
						return fmt.Errorf("%s has no %s as number %d of %s: %s", name, person, i+1, v, Short(people[i]))
					}
				}
			}
		}
		if len(got) != len(want) {
			return fmt.Errorf("%s has %d villages: %s", name, len(got), Short(o.After[name]))
		}
		return nil
	}
}

// places requires a line for each place in code: its file, the number of its line, and a text. There are no more lines
// that match a pattern, except headings.
func places(name, pattern string, want ...string) check {
	counts := regexp.MustCompile(pattern)
	return func(_ context.Context, o Outcome) error {
		lines := slices.DeleteFunc(textLines(o.After[name]), func(line string) bool {
			return strings.HasPrefix(line, "#") || !counts.MatchString(line)
		})
		if len(lines) != len(want) {
			return fmt.Errorf("%s has %d lines instead of %d: %s", name, len(lines), len(want), Short(o.After[name]))
		}
		for _, w := range want {
			parts := strings.SplitN(w, " ", 3)
			base := parts[0][strings.LastIndex(parts[0], "/")+1:]
			place := regexp.MustCompile(`(^|[^\w])` + regexp.QuoteMeta(base) + `\b.*?(^|\D)` + parts[1] + `(\D|$)`)
			if !slices.ContainsFunc(lines, func(line string) bool {
				return place.MatchString(line) && strings.Contains(strings.ToLower(line), strings.ToLower(parts[2]))
			}) {
				return fmt.Errorf("%s lacks %s: %s", name, w, Short(o.After[name]))
			}
		}
		return nil
	}
}

// releases requires that every package.json of a folder has a version, and asks for it with "^" where it depends on a
// package of the family; all else is as before. How the JSON is laid out does not count.
func releases(folder, version, family string) check {
	return func(_ context.Context, o Outcome) error {
		for name, text := range o.Before {
			if !strings.HasPrefix(name, folder) {
				continue
			}
			var want, got map[string]any
			if err := json.Unmarshal([]byte(text), &want); err != nil {
				return err
			}
			if err := json.Unmarshal([]byte(o.After[name]), &got); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			want["version"] = version
			for _, part := range want {
				wanted, _ := part.(map[string]any)
				for other := range wanted {
					if strings.HasPrefix(other, family) {
						wanted[other] = "^" + version
					}
				}
			}
			if !reflect.DeepEqual(want, got) {
				return fmt.Errorf("%s is %s", name, Short(o.After[name]))
			}
		}
		return nil
	}
}

// lastLines requires that files got one line at their end, which begins as the pattern says and has these names of
// pages in this order; nothing else changed.
func lastLines(begin string, want map[string]string) check {
	page := regexp.MustCompile(`[\w-]+\.md`)
	return func(_ context.Context, o Outcome) error {
		for name, pages := range want {
			before, after := textLines(o.Before[name]), textLines(o.After[name])
			if len(after) != len(before)+1 || !slices.Equal(before, after[:len(before)]) {
				return fmt.Errorf("%s is not as before with one more line: %s", name, Short(o.After[name]))
			}
			line := after[len(before)]
			names := slices.Compact(page.FindAllString(line, -1))
			if !regexp.MustCompile(begin).MatchString(line) || strings.Join(names, " ") != pages {
				return fmt.Errorf("%s ends with %s", name, Short(line))
			}
		}
		return nil
	}
}
