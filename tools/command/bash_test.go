package command

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// everyLine is the environment variable that asks for the whole of S12.
const everyLine = "ASSENT_ALL_LINES"

// S12: bash runs exactly the programs with exactly the arguments that are read from a line, and redirects to the same
// files: 500 random lines that are understood, 20,000 if ASSENT_ALL_LINES is set. One bash evaluates them all; its
// functions stand for the programs, and write down the words that they get.
// Promise 4. Invariant 24.
func TestBashRunsWhatIsRead(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash to compare with")
	}
	want := 500
	if os.Getenv(everyLine) != "" {
		want = 20_000
	}
	lines, tried := randomLines(want)
	dir := t.TempDir()
	var script, expected bytes.Buffer
	script.WriteString(functions)
	for i, l := range lines {
		fmt.Fprintf(&script, "line %d %s\n", i, "'"+strings.ReplaceAll(l.Text, "'", `'\''`)+"'")
		expected.WriteString(effects(i, l))
	}
	name := filepath.Join(dir, "script")
	if err := os.WriteFile(name, script.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), bash, "--noprofile", "--norc", name)
	cmd.Dir, cmd.Env = work, []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=/home/x"}
	cmd.Stderr = os.Stderr
	got, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	have, should := byLine(string(got)), byLine(expected.String())
	for i, l := range lines {
		if n := strconv.Itoa(i); have[n] != should[n] {
			t.Errorf("%q\nbash:\n%swe:\n%s", l.Text, have[n], should[n])
		}
	}
	t.Logf("%d lines compared, of %d made", len(lines), tried)
}

// byLine groups what is told of lines by their numbers, in an order that side by side programs do not change.
func byLine(told string) map[string]string {
	all := strings.Split(told, "\n")
	slices.Sort(all)
	lines := map[string]string{}
	for _, text := range all {
		n, rest, _ := strings.Cut(text, " ")
		lines[n] += rest + "\n"
	}
	return lines
}

// functions are the programs ok0, ok1, ... and no0, no1, ...: each writes its own words down, and prints its name to
// both streams. After a line, all that it wrote is shown in order, with the files that it made.
const functions = `
exec 7>&1
trap '' PIPE # a program whose reader is gone writes its other stream all the same
note() { local words; printf -v words ' <%s>' "${@:2}"; printf '%s\n' "$n $1$words" >> ../calls; }
for i in 0 1 2 3 4 5; do
	eval "ok$i() { note ok$i \"\$@\"; echo out$i 2>/dev/null; echo err$i >&2; return 0; }"
	eval "no$i() { note no$i \"\$@\"; echo out$i 2>/dev/null; echo err$i >&2; return 1; }"
done
shopt -s dotglob nullglob
line() {
	: > ../calls
	n=$1
	(eval "$2") < /dev/null > ../out 2> ../err
	status=$?
	mapfile -t told < ../calls
	files=(*)
	for f in "${files[@]}"; do
		told+=("$n file <$f>")
		mapfile -t text < "./$f"
		for x in "${text[@]}"; do told+=("$n text <$f> $x"); done
	done
	printf '%s\n' "${told[@]}" "$n status $status" >&7
	[ ${#files[@]} = 0 ] || rm -f -- "${files[@]}"
}
`

// effects is what functions prints for a line, as we read the line.
func effects(n int, l Line) string {
	var calls []string
	files := map[string][]string{}
	status := 0
	for i := 0; i < len(l.Parts); {
		end := i + 1
		for end < len(l.Parts) && l.Parts[end].Joint == Pipe {
			end++
		}
		if l.Parts[i].Joint == And && status != 0 || l.Parts[i].Joint == Or && status == 0 {
			i = end
			continue
		}
		for _, p := range l.Parts[i:end] {
			call := fmt.Sprintf("%d %s", n, p.Argv[0])
			for _, w := range p.Argv[1:] {
				call += " <" + w + ">"
			}
			if len(p.Argv) == 1 {
				call += " <>" // printf takes no words for an empty one
			}
			calls = append(calls, call+"\n")
			status = 0
			if strings.HasPrefix(p.Argv[0], "no") {
				status = 1
			}
			write(files, p)
		}
		i = end
	}
	for name, texts := range files {
		calls = append(calls, fmt.Sprintf("%d file <%s>\n", n, name))
		for _, text := range texts {
			calls = append(calls, fmt.Sprintf("%d text <%s> %s\n", n, name, text))
		}
	}
	return strings.Join(calls, "") + fmt.Sprintf("%d status %d\n", n, status)
}

// write does to files what the redirections of a part do, and its two outputs.
func write(files map[string][]string, p Part) {
	to := [3]string{}
	for _, r := range p.Redirects {
		switch r.Op {
		case ">&":
			to[r.From] = to[r.To]
		case ">":
			files[r.Path], to[r.From] = nil, r.Path
		case ">>":
			files[r.Path], to[r.From] = append([]string{}, files[r.Path]...), r.Path
		}
	}
	for fd, text := range map[int]string{1: "out", 2: "err"} {
		if to[fd] != "" && to[fd] != Null {
			files[to[fd]] = append(files[to[fd]], text+p.Argv[0][2:])
		}
	}
	delete(files, Null)
}

// randomLines makes random lines of which every one is understood, and counts how many it took.
func randomLines(n int) (lines []Line, tried int) {
	r := rand.New(rand.NewPCG(12, 12)) //nolint:gosec // the same lines each time
	for len(lines) < n {
		tried++
		text := randomLine(r)
		l, err := Parse(text)
		known := err == nil && l.Dir == "" && !slices.ContainsFunc(l.Parts, func(p Part) bool {
			return len(p.Argv[0]) != 3 || p.Argv[0][:2] != "ok" && p.Argv[0][:2] != "no" || p.Argv[0][2] > '5' || p.Argv[0][2] < '0' ||
				slices.ContainsFunc(p.Redirects, func(r Redirect) bool {
					return r.Op == "<" || r.Path == "." || strings.Contains(r.Path, "/") && r.Path != Null // what is missing, or outside of the folder
				})
		})
		paths := map[string]bool{}
		for _, path := range l.Written() {
			known = known && !paths[path] // two programs that write one file write over each other
			paths[path] = true
		}
		if known {
			lines = append(lines, l)
		}
	}
	return lines, tried
}

// pieces are what words are made of: every character that means something to a shell somewhere, in and out of quotes.
var pieces = []string{
	"a", "b", "Z", "0", "-", "--", "=", ":", ",", ".", "..", "/", "%", "+", "@", "^", "_", "x y", "#", "!", "~", "*", "?", "[", "]", "{", "}", "{}",
	"$", "$x", "${x}", "$(x)", "`", "(", ")", "&", "|", ";", "<", ">", "\\", "\\\\", "\\n", "\\'", "\\\"", "\\$", "\\ ", "\\*", "\\~", "\\#", "\\!",
	"'", "\"", "''", "\"\"", "'a b'", "\"a b\"", "'$x'", "\"\\$x\"", "\"\\\"\"", "\"\\a\"", "\"\\\\\"", "'\\'", "\"!\"", "'*'", "\"~\"", "$'a'", "a=~", "a~1",
	"if", "then", "done", "[[", "in", "1", "2", "a#b", "'#'", "\"'\"", "'\"'",
}

func randomLine(r *rand.Rand) string {
	var b strings.Builder
	for i, n := 0, 1+r.IntN(4); i < n; i++ {
		if i > 0 {
			b.WriteString(pick(r, []string{" && ", " || ", " | ", "; ", "&&", "||", "|", ";", " ;", " |& ", " & "}))
		}
		program := pick(r, []string{"ok", "no"}) + strconv.Itoa(i)
		if r.IntN(20) == 0 {
			program = pick(r, []string{"'" + program + "'", `"` + program + `"`, program[:1] + "''" + program[1:], `\` + program})
		}
		redirects := ""
		for r.IntN(4) == 0 {
			redirects += pick(r, []string{" >", " >>", " 2>", "2>>", " 1>", " &>", " &>>", " > ", " 2> "}) + pick(r, []string{"f", "'g h'", "2", ".", Null}) + strconv.Itoa(i)
			if r.IntN(2) == 0 {
				redirects = strings.TrimSuffix(redirects, Null+strconv.Itoa(i)) + pick(r, []string{" 2>&1", " >&2", " 1>&2"})
			}
		}
		redirects = strings.ReplaceAll(redirects, Null+strconv.Itoa(i), Null)
		if r.IntN(6) == 0 {
			b.WriteString(redirects + " ")
			redirects = ""
		}
		b.WriteString(program)
		for range r.IntN(4) {
			b.WriteString(" ")
			for range 1 + r.IntN(4) {
				b.WriteString(pick(r, pieces))
			}
		}
		b.WriteString(redirects)
	}
	return b.String()
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }
