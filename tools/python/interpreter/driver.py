# The driver runs one program inside the interpreter. It speaks lines of JSON with the helper process: descriptor 0 brings a
# program and the answers to its calls, descriptor 1 takes output, calls and the end. It protects nobody: a program may change
# it and write lines of its own, which are at worst calls that the other side judges like any other.
import _ast, _io, _json, builtins, sys
import _assent

FILE = "<program>"
MODULES = sys.argv[1]  # JSON: what may be imported, and what to say of all else
ONLY_AST = 0x400  # ast.PyCF_ONLY_AST

_in = _io.open(0, "rb", closefd=False)
_out = _io.FileIO(1, "w", closefd=False)


class _Context:
    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float
    memo = {}


_scan = _json.make_scanner(_Context)


def _decode(text):
    return _scan(text, 0)[0]


def _no_form(value):
    raise TypeError("a value of the type %s has no JSON form" % type(value).__name__)


def _encode(value):
    encoder = _json.make_encoder({}, _no_form, _json.encode_basestring_ascii, None, ":", ",", False, False, False)
    return "".join(encoder(value, 0))


def _send(text):
    _out.write(text.encode("ascii") + b"\n")


class TimeLimit(BaseException):
    "The program computed for too long."


class OutputLimit(BaseException):
    "The program printed too much."


class CallLimit(BaseException):
    "The program called tools too often."


class ToolError(Exception):
    "A tool failed, was denied or cannot be used like that; the text says what to do."


class _Pending(BaseException):
    "Leaves a function of parallel() at a call that has no answer yet."


for _limit in (TimeLimit, OutputLimit, CallLimit, ToolError):
    _limit.__module__ = "builtins"
_kept = [TimeLimit] * 100  # the helper raises it without counting the reference


class _Output:
    "What print writes to: lines go out as they are complete."

    encoding, errors, closed, newlines = "utf-8", "backslashreplace", False, None

    def __init__(self):
        self.left, self.passed, self.over, self.line, self.held = 0, 0, False, [], None

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError("write() argument must be str, not " + type(text).__name__)
        if self.held is not None:
            self.held.append(text)
            return len(text)
        size = len(text.encode("utf-8", "backslashreplace"))
        if size > self.left:
            self.line.append(text[: self.left])
            self.flush()
            self.left = 0
            sentence = "the program may print %d bytes" % self.passed
            if self.over:
                _finish("OutputLimit: " + sentence, "output")
            self.over = True
            raise OutputLimit(sentence)
        self.left -= size
        self.line.append(text)
        if "\n" in text:
            self.flush()
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        if self.line:
            text, self.line = "".join(self.line), []
            _send('{"out":%s}' % _json.encode_basestring_ascii(text))
            self.begun = not text.endswith("\n")

    begun = False  # a line that has no end yet

    def isatty(self):
        return False

    def writable(self):
        return True

    def readable(self):
        return False

    seekable = readable


_output = _Output()


class _Function:
    "The calls of one function of parallel(): those answered, and the first that is not."

    def __init__(self, run):
        self.run, self.answered, self.next, self.wanted, self.done, self.value = run, [], 0, None, False, None


class _State:
    limit = made = 0
    over = False
    function = None


def _finish(error="", limit=""):
    "Ends the program from the inside; the other side ends the interpreter."
    quote = _json.encode_basestring_ascii
    _send('{"end":{"error":%s,"limit":%s}}' % (quote(error), quote(limit)))
    while True:
        _in.read(1 << 16) or _exit()


def _exit():
    import posix

    posix._exit(0)


def _line():
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != FILE:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else 0


def _ask(calls):
    "Sends calls (their JSON) and returns their answers."
    if _State.made + len(calls) > _State.limit:
        sentence = "the program may call tools %d times" % _State.limit
        if _State.over:
            _finish("CallLimit: " + sentence, "calls")
        _State.over = True
        raise CallLimit(sentence)
    _State.made += len(calls)
    _output.flush()
    _send('{"calls":[%s]}' % ",".join(calls))
    line = _in.readline()
    if not line:
        _exit()
    return _decode(line.decode())["answers"]


def _result(answer):
    if answer.get("error"):
        raise ToolError(answer["error"])
    return answer.get("value")


def _call(tool, arguments):
    quote = _json.encode_basestring_ascii
    call = '{"tool":%s,"arguments":%s,"line":%d}' % (quote(tool), arguments, _line())
    function = _State.function
    if function is None:
        return _result(_ask([call])[0])
    if function.next == len(function.answered):
        function.wanted = call
        raise _Pending
    made, answer = function.answered[function.next]
    if made != call:
        raise RuntimeError("parallel() runs a function again: it has to make the same calls each time")
    function.next += 1
    return _result(answer)


def _attempt(function):
    "Runs a function until it ends or makes a call that has no answer."
    function.next, function.wanted = 0, None
    _State.function, _output.held = function, []
    try:
        function.value = function.run()
    except _Pending:
        pass
    except ToolError as failed:
        function.value = failed
    finally:
        _State.function, held, _output.held = None, _output.held, None
    if function.wanted is None:
        function.done = True
        for text in held:
            _output.write(text)


def parallel(calls):
    """Makes calls together and returns their results in order: parallel([lambda: f(1), (g, "a", 2)]).

    Takes functions without parameters, and tuples of a function and its arguments. Where a call failed, its place holds
    the ToolError. A function may be run several times, so it should only call tools and return. Anything else in the list
    is returned as it is.
    """
    calls = list(calls)
    functions = []
    for call in calls:
        if isinstance(call, tuple) and call and callable(call[0]):
            functions.append(_Function(lambda call=call: call[0](*call[1:])))
        elif callable(call):
            functions.append(_Function(call))
        else:
            plain = _Function(None)
            plain.value, plain.done = call, True
            functions.append(plain)
    if _State.function is not None:  # inside a function of parallel(): one after the other
        for function in functions:
            if not function.done:
                try:
                    function.value = function.run()
                except ToolError as failed:
                    function.value = failed
        return [function.value for function in functions]
    while True:
        open_ones = [f for f in functions if not f.done]
        for function in open_ones:
            _attempt(function)
        open_ones = [f for f in open_ones if not f.done]
        if not open_ones:
            return [function.value for function in functions]
        answers = _ask([f.wanted for f in open_ones])
        for function, answer in zip(open_ones, answers):
            function.answered.append((function.wanted, answer))


parallel.__module__ = "builtins"


def _signature(name, parameters):
    shown = ["%s: %s%s" % (p["name"], p["type"], "" if p["required"] else " = None") for p in parameters]
    return "%s(%s)" % (name, ", ".join(shown))


def _tool(spec):
    "The function by which a program calls a tool."
    name, tool, parameters = spec["name"], spec["tool"], spec["parameters"]
    signature = _signature(name, parameters)
    places = {p["name"]: p for p in parameters}
    for p in parameters:
        places.setdefault(p["sent"], p)

    def function(*args, **named):
        def wrong(problem):
            return TypeError("%s() %s; call it as %s" % (name, problem, signature))

        given = {}
        if len(args) > len(parameters):
            raise wrong("takes %d arguments and got %d" % (len(parameters), len(args)))
        for parameter, value in zip(parameters, args):
            given[parameter["sent"]] = value
        for key, value in named.items():
            if key not in places:
                raise wrong("has no parameter %s" % key)
            key = places[key]["sent"]
            if key in given:
                raise wrong("got %s twice" % key)
            given[key] = value
        missing = [p["name"] for p in parameters if p["required"] and p["sent"] not in given]
        if missing:
            raise wrong("needs " + ", ".join(missing))
        parts = []
        for p in parameters:
            value = given.get(p["sent"])
            if value is None and not p["required"]:
                continue
            try:
                parts.append("%s:%s" % (_json.encode_basestring_ascii(p["sent"]), _encode(value)))
            except (TypeError, ValueError, RecursionError) as problem:
                raise wrong("cannot take this %s: %s" % (p["name"], problem)) from None
        return _call(tool, "{%s}" % ",".join(parts))

    function.__name__ = function.__qualname__ = name
    function.__module__ = "tools"
    function.__doc__ = signature + "\n\n" + spec["doc"]
    function.__annotations__ = {p["name"]: p["type"] for p in parameters}
    return function


def _refusal(name):
    top = name.partition(".")[0]
    hint = _modules["hints"].get(top, "")
    return _modules["refusal"] % (name, hint and " " + hint)


def _import(name, globals=None, locals=None, fromlist=(), level=0):
    # Code in C imports from the frame of whoever called it, with an empty list: datetime.strptime does.
    if type(fromlist) is not list:
        if level:
            raise ImportError("a program has no package to import from")
        if name.partition(".")[0] not in _modules["allowed"]:
            raise ImportError(_refusal(name))
    return __import__(name, globals, locals, fromlist, level)


def _open(*args, **named):
    raise OSError("a program has no files of its own: the functions for files, such as read_file(path), do that")


def _input(*args):
    raise EOFError("a program has no input")


def _quit(code=None):
    raise SystemExit(code)


def _space(functions):
    "The names that a program begins with."
    own = dict(vars(builtins))
    for name, value in (("__import__", _import), ("open", _open), ("input", _input), ("exit", _quit), ("quit", _quit)):
        own[name] = value
    own["ToolError"], own["parallel"] = ToolError, parallel
    for function in functions:
        own[function["name"]] = _tool(function)
    return {"__name__": "__main__", "__builtins__": own, "__doc__": None}


def _imports(node):
    "The modules that a tree imports, with their lines."
    found, open_ones = [], [node]
    while open_ones:
        node = open_ones.pop()
        if isinstance(node, _ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, _ast.ImportFrom):
            found.append((node.lineno, "." * node.level + (node.module or "")))
        for field in node._fields:
            child = getattr(node, field, None)
            children = child if isinstance(child, list) else [child]
            open_ones += [c for c in children if isinstance(c, _ast.AST)]
    return sorted(found)


def _syntax(problem, source):
    "A mistake in the source as one sentence, with the line."
    if isinstance(problem, SyntaxError):
        number = problem.lineno or 1
        text = "line %d: %s: %s" % (number, type(problem).__name__, problem.msg)
        line = (problem.text or source.split("\n")[number - 1 : number][0]).strip()
        return text + (" in `%s`" % line[:200] if line else "")
    if isinstance(problem, RecursionError) or isinstance(problem, MemoryError):
        return "line 1: the program is nested too deeply"
    return "line 1: " + str(problem)


def _check(source):
    try:
        tree = compile(source, FILE, "exec", ONLY_AST, True, 0)
        compile(tree, FILE, "exec", 0, True, 0)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        return _syntax(problem, source)
    for line, name in _imports(tree):
        if name.partition(".")[0] not in _modules["allowed"]:
            return "line %d: %s" % (line, _refusal(name))
    return ""


def _describe(problem, source):
    "How a program failed: the traceback of its own lines, and the exception."
    lines, places, trace = source.split("\n"), [], problem.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == FILE:
            where = "" if code.co_name == "<module>" else ", in " + code.co_name
            line = lines[trace.tb_lineno - 1].strip() if 0 < trace.tb_lineno <= len(lines) else ""
            places.append("  line %d%s\n    %s\n" % (trace.tb_lineno, where, line[:200]))
        trace = trace.tb_next
    if len(places) > 12:
        places[6:-6] = ["  ... %d more ...\n" % (len(places) - 12)]
    kind = type(problem)
    name = kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else kind.__module__ + "." + kind.__qualname__
    try:
        text = str(problem)[:4000]
    except Exception:
        text = "(its text cannot be shown)"
    return "Traceback (most recent call last):\n" + "".join(places) + name + (": " + text if text else "")


def _execute(source, space):
    tree = compile(source, FILE, "exec", ONLY_AST, True, 0)
    last = None
    if tree.body and isinstance(tree.body[-1], _ast.Expr):
        last = compile(_ast.Expression(tree.body.pop().value), FILE, "eval", 0, True, 0)
    exec(compile(tree, FILE, "exec", 0, True, 0), space)
    value = eval(last, space) if last is not None else None
    if value is not None:
        text = value if type(value) is str else repr(value)
        _output.flush()
        _output.write(("\n" if _output.begun else "") + text + "\n")


def _run(program):
    source, limits = program["source"], program["limits"]
    _State.limit = limits["calls"]
    _output.left = _output.passed = limits["output"]
    sys.setrecursionlimit(limits["recursion"])
    space = _space(program["functions"])
    error = limit = ""
    try:
        _execute(source, space)
    except SystemExit as ended:
        if ended.code not in (None, 0):
            error = "SystemExit: %s" % (ended.code,)
    except SyntaxError as problem:
        error = _describe(problem, source) if problem.filename != FILE else _syntax(problem, source)
    except BaseException as problem:
        sys.setrecursionlimit(limits["recursion"] + 100)
        kinds = {TimeLimit: "time", OutputLimit: "output", CallLimit: "calls", MemoryError: "memory", RecursionError: "recursion"}
        limit = kinds.get(type(problem), "")
        space = None
        error = _describe(problem, source)
        if limit == "memory":
            error = error.removesuffix("MemoryError") + "MemoryLimit: the program may use %d MB" % (limits["memory"] >> 20)
        elif limit == "time":
            error += ": the program may compute for %g s" % limits["time"]
        elif limit == "recursion":
            error += " (the program may nest %d calls)" % limits["recursion"]
    _output.held = None
    _output.flush()
    _finish(error, limit)


def _serve():
    "Answers the lines of the other side until one is a program."
    _send('{"ready":[%d,%d,%d]}' % (*_assent.addresses(), id(TimeLimit)))
    while True:
        line = _in.readline()
        if not line:
            return
        asked = _decode(line.decode())
        if "check" in asked:
            _send('{"checked":%s}' % _json.encode_basestring_ascii(_check(asked["check"])))
        elif "prepare" in asked:
            for name in asked["prepare"]:
                __import__(name)
        elif "program" in asked:
            _run(asked["program"])


_modules = _decode(MODULES)
sys.stdout = sys.stderr = _output
_serve()
