package interpreter_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/python/modules"
)

// typical is for each module something that programs do with it, and what that is.
var typical = map[string]struct{ source, shows string }{
	"math":        {"math.isqrt(17), math.comb(5, 2), round(math.pi, 2)", "(4, 10, 3.14)"},
	"json":        {"json.dumps(json.loads('{\"a\": [1, null, \"ü\"]}'), ensure_ascii=False, indent=1)", "{\n \"a\": [\n  1,\n  null,\n  \"ü\"\n ]\n}"},
	"random":      {"random.seed(7)\nsorted(random.sample(range(5), 5)), 0 <= random.random() < 1", "([0, 1, 2, 3, 4], True)"},
	"re":          {"re.sub(r'(\\w+)@(\\w+)', r'\\2 \\1', 'a@b'), re.findall(r'(?i)x\\d', 'x1 X2')", "('b a', ['x1', 'X2'])"},
	"datetime":    {"d = datetime.date(2024, 2, 28) + datetime.timedelta(days=2)\nd.strftime('%d %b %Y'), datetime.datetime.strptime('3 Mar 2024', '%d %b %Y').weekday()", "('01 Mar 2024', 6)"},
	"collections": {"d = collections.defaultdict(list)\nd['a'].append(1)\ncollections.Counter('abca').most_common(1), dict(d), collections.deque([1, 2], 1)", "([('a', 2)], {'a': [1]}, deque([2], maxlen=1))"},
	"itertools":   {"[(k, len(list(g))) for k, g in itertools.groupby('aab')], list(itertools.chain([1], [2]))", "([('a', 2), ('b', 1)], [1, 2])"},
	"functools":   {"f = functools.lru_cache(lambda n: n if n < 2 else f(n - 1) + f(n - 2))\nf(50), functools.reduce(lambda a, b: a * b, [1, 2, 3])", "(12586269025, 6)"},
	"operator":    {"sorted([{'n': 2}, {'n': 1}], key=operator.itemgetter('n'))", "[{'n': 1}, {'n': 2}]"},
	"string":      {"string.ascii_lowercase[:3], string.Template('$a!').substitute(a=1)", "('abc', '1!')"},
	"textwrap":    {"textwrap.dedent('  a\\n   b'), textwrap.fill('a b c', 3)", "('a\\n b', 'a b\\nc')"},
	"copy":        {"a = [[1]]\nb = copy.deepcopy(a)\nb[0].append(2)\na, b", "([[1]], [[1, 2]])"},
	"types":       {"types.SimpleNamespace(a=1), isinstance(len, types.BuiltinFunctionType)", "(namespace(a=1), True)"},
	"typing":      {"class P(typing.NamedTuple):\n  x: int\n  y: int = 2\nP(1), typing.get_type_hints(P)", "(P(x=1, y=2), {'x': <class 'int'>, 'y': <class 'int'>})"},
	"abc":         {"class A(abc.ABC):\n  @abc.abstractmethod\n  def f(self): ...\ntry: A()\nexcept TypeError as e: s = str(e)\ns", "Can't instantiate abstract class A with abstract method f"},
	"numbers":     {"isinstance(1, numbers.Integral), isinstance(1.5, numbers.Integral)", "(True, False)"},
	"decimal":     {"decimal.Decimal('0.1') + decimal.Decimal('0.2')", "Decimal('0.3')"},
	"fractions":   {"fractions.Fraction(1, 3) + fractions.Fraction('1/6')", "Fraction(1, 2)"},
	"statistics":  {"statistics.median([3, 1, 2]), statistics.stdev([1, 2, 3])", "(2, 1.0)"},
	"hashlib":     {"hashlib.sha256(b'abc').hexdigest()[:8], hashlib.md5(b'').hexdigest()[:8], hashlib.blake2b(b'', digest_size=4).hexdigest(), hashlib.sha3_256(b'').hexdigest()[:8]", "('ba7816bf', 'd41d8cd9', '1271cf25', 'a7ffc6f8')"},
	"base64":      {"base64.b64encode(b'a\\xff'), base64.b32decode('ME======'), base64.urlsafe_b64encode(b'\\xff\\xfe')", "(b'Yf8=', b'a', b'__4=')"},
	"binascii":    {"binascii.hexlify(b'ab'), binascii.crc32(b'abc')", "(b'6162', 891568578)"},
	"html":        {"from html.parser import HTMLParser\nfound = []\nclass P(HTMLParser):\n  def handle_starttag(self, tag, attrs): found.append((tag, attrs))\nP().feed('<a href=\"x\">b</a>')\nhtml.escape('<'), html.unescape('&eacute;'), found", "('&lt;', 'é', [('a', [('href', 'x')])])"},
}

// TestEachModule: every allowed module does something typical, and every other one of the standard library is refused.
func TestEachModule(t *testing.T) {
	i := own(t)
	for _, name := range modules.Names() {
		t.Run(name, func(t *testing.T) {
			source := "import " + name + "\n" + typical[name].source
			problem, err := i.Check(t.Context(), source)
			if problem != "" || err != nil {
				t.Errorf("%s %v", problem, err)
			}
			if result := run(t, source, nil); result.Output != typical[name].shows+"\n" || result.Error != "" {
				t.Errorf("%+v", result)
			}
		})
	}
	if len(typical) != len(modules.Allowed) {
		t.Errorf("%d programs for %d modules", len(typical), len(modules.Allowed))
	}
	result := run(t, reach+"print(*sorted(sys.stdlib_module_names))", nil)
	var others []string
	for name := range strings.FieldsSeq(result.Output) {
		if !modules.May(name) {
			others = append(others, name)
		}
	}
	if len(others) < 250 {
		t.Fatalf("%d modules: %+v", len(others), result)
	}
	others = append(others, "requests", "numpy", "os.path", "urllib.request")
	var source strings.Builder
	for _, name := range others {
		source.WriteString("try:\n  import " + name + "\nexcept ImportError as e: print(e)\n")
	}
	p := interpreter.Program{Source: source.String(), Limits: interpreter.Limits{Output: 1 << 20}}
	result, err := i.Run(t.Context(), p, nil)
	want := make([]string, len(others))
	for n, name := range others {
		want[n] = modules.Refusal(name)
		if !strings.Contains(want[n], modules.List()) {
			t.Errorf("%s does not name the allowed modules", want[n])
		}
	}
	if got := strings.Split(strings.TrimSpace(result.Output), "\n"); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %s: %d refusals instead of %d: %.500s", err, result.Error, len(got), len(want), result.Output)
	}
}
