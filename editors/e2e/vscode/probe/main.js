// Runs inside VS Code and does what the Go tests ask for over a socket: one JSON object per line, {id, op, ...}, answered
// by {id, value} or {id, error}. The operations are described in driver_test.go; what needs the mouse, the keyboard or
// the eyes of a person is in page.mjs.
const fs = require("fs");
const net = require("net");
const vscode = require("vscode");

const find = (args) => {
  const doc = vscode.workspace.textDocuments.find((d) => d.uri.scheme === "file" && d.fileName === args.file);
  if (!doc) throw new Error(`${args.file} is not open`);
  return doc;
};
const show = async (args) => {
  const shown = vscode.window.visibleTextEditors.find((e) => e.document.fileName === args.file);
  return vscode.window.showTextDocument(find(args), { viewColumn: shown?.viewColumn ?? vscode.ViewColumn.Active, preview: false });
};
// Runs a command on a file until it took effect: until a change of the document that it made was seen. VS Code runs it on
// what has the focus, which may come late, and gives up a revert whose document changes meanwhile.
const untilChanged = (command, byIt) => async (args) => {
  const doc = find(args);
  let took = false;
  const listener = vscode.workspace.onDidChangeTextDocument((change) => {
    took ||= change.document === doc && change.contentChanges.length > 0 && byIt(change);
  });
  try {
    while (!took) {
      await show(args);
      await vscode.commands.executeCommand(command); // answered behind the change
      if (!took) await pause(50);
    }
  } finally {
    listener.dispose();
  }
  return true;
};
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// What formats on save does it for these: a formatter that replaces the whole text.
const formatted = new Set();
const formatter = {
  provideDocumentFormattingEdits: (doc) => {
    const all = new vscode.Range(new vscode.Position(0, 0), doc.lineAt(doc.lineCount - 1).range.end);
    return [vscode.TextEdit.replace(all, doc.getText().replaceAll("] [", "], [").replace(/[ \t]+$/gm, ""))];
  },
};

// VS Code refuses an edit of a document that changed meanwhile.
const edit = async (args, place, text) => {
  for (;;) {
    const doc = find(args);
    const edit = new vscode.WorkspaceEdit();
    const at = place(doc);
    edit.replace(doc.uri, at instanceof vscode.Range ? at : new vscode.Range(at, at), text);
    if (await vscode.workspace.applyEdit(edit)) return true;
  }
};

// Another extension that asks the models of ours. What it heard of the answer to its last request, and how that ended.
const heard = { pieces: [], calls: [], over: true, error: "" };
let asking;
let asked; // the place that a definition was asked for
const said = ({ assistant, text, call, result, data }) => {
  const role = assistant ? vscode.LanguageModelChatMessageRole.Assistant : vscode.LanguageModelChatMessageRole.User;
  const part = call
    ? new vscode.LanguageModelToolCallPart(call.id, call.name, call.input)
    : result
      ? new vscode.LanguageModelToolResultPart(result.id, [new vscode.LanguageModelTextPart(text)])
      : data
        ? new vscode.LanguageModelDataPart(Buffer.from(data.base64, "base64"), data.mimeType)
        : new vscode.LanguageModelTextPart(text);
  return new vscode.LanguageModelChatMessage(role, [part]);
};
const listen = async (model, args) => {
  const answer = await model.sendRequest(args.messages.map(said), { tools: args.tools }, asking.token);
  for await (const part of answer.stream) {
    if (part instanceof vscode.LanguageModelTextPart) heard.pieces.push(part.value);
    else if (part instanceof vscode.LanguageModelToolCallPart) heard.calls.push({ id: part.callId, name: part.name, input: part.input });
  }
};

// Extensions share a clock: this one turns it for those that are looked at.
const now = Date.now;

// What the editor shows of a place in a file, as text: of our extension and of all others.
const features = {
  completion: async (uri, at) => (await vscode.commands.executeCommand("vscode.executeCompletionItemProvider", uri, at)).items.map(({ label }) => label.label ?? label),
  hover: async (uri, at) => (await vscode.commands.executeCommand("vscode.executeHoverProvider", uri, at)).flatMap(({ contents }) => contents.map(({ value }) => value)),
  outline: async (uri) => (await vscode.commands.executeCommand("vscode.executeDocumentSymbolProvider", uri)).map(({ name }) => name),
  colors: async (uri) => vscode.commands.executeCommand("vscode.provideDocumentSemanticTokens", uri),
  hints: async (uri) => (await vscode.commands.executeCommand("vscode.executeInlayHintProvider", uri, new vscode.Range(0, 0, 999, 0))).map(({ label }) => label),
  async rename(uri, at, name) {
    const edit = await vscode.commands.executeCommand("vscode.executeDocumentRenameProvider", uri, at, name);
    await vscode.workspace.applyEdit(edit);
    return edit.entries().flatMap(([, edits]) => edits.map(({ newText }) => newText));
  },
  chats: async (_uri, _at, query) => (await vscode.commands.executeCommand("vscode.executeWorkspaceSymbolProvider", query)).map(({ name }) => name),
};

const ops = {
  hello: () => ({ name: "vscode", version: vscode.version }),
  async open(args) {
    const first = vscode.window.visibleTextEditors.length === 0;
    const doc = await vscode.workspace.openTextDocument(args.file);
    await vscode.window.showTextDocument(doc, { preview: false, viewColumn: first ? vscode.ViewColumn.One : vscode.ViewColumn.Two });
    const extension = vscode.extensions.getExtension("assent-ls.assent");
    while (!extension?.isActive) await pause(20);
    return doc.languageId;
  },
  text: (args) => ({ text: find(args).getText(), modified: find(args).isDirty }),
  insert: (args) => edit(args, () => new vscode.Position(args.line, args.character), args.text),
  set_line: (args) => edit(args, (doc) => doc.lineAt(args.line).range, args.text),
  append: (args) => edit(args, (doc) => doc.lineAt(doc.lineCount - 1).range.end, "\n" + args.text + "\n"),
  // Goes to a place; with find, to the last line that contains that. Answers whether it is there: what streams in may push
  // the line away before the window takes the selection over.
  async cursor(args) {
    const editor = await show(args);
    const lines = find(args).getText().split(/\r?\n/);
    const line = args.find ? lines.findLastIndex((line) => line.includes(args.find)) : args.line;
    const place = find(args).validatePosition(new vscode.Position(line, args.character ?? 0));
    editor.selection = new vscode.Selection(place, place);
    editor.revealRange(editor.selection);
    await vscode.commands.executeCommand("setContext", "assent.probe", true); // answered behind the selection
    await pause(150); // and the window draws it a little later
    return !args.find || find(args).lineAt(editor.selection.active.line).text.includes(args.find);
  },
  where() {
    const editor = vscode.window.activeTextEditor;
    return { file: editor?.document.fileName ?? "", line: editor?.selection.active.line ?? -1, editors: vscode.window.visibleTextEditors.length };
  },
  diagnostics: (args) =>
    vscode.languages.getDiagnostics(find(args).uri).map((d) => ({ line: d.range.start.line, severity: d.severity + 1, source: d.source ?? "", message: d.message })),
  async next_problem(args) {
    await ops.cursor({ ...args, line: 0 });
    await vscode.commands.executeCommand("editor.action.marker.next");
    return vscode.window.activeTextEditor.selection.active.line;
  },
  async actions(args) {
    await ops.cursor(args);
    const found = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", find(args).uri, vscode.window.activeTextEditor.selection);
    return found.map((action) => action.title);
  },
  async command(args) {
    const place = { uri: find(args).uri.toString(), position: { line: args.line, character: args.character ?? 0 } };
    return (await vscode.commands.executeCommand(args.name, place)) ?? null;
  },
  undo: untilChanged("undo", (change) => change.reason === vscode.TextDocumentChangeReason.Undo),
  redo: untilChanged("redo", (change) => change.reason === vscode.TextDocumentChangeReason.Redo),
  async on_save(args) {
    if (args.how === "trims") {
      await vscode.workspace.getConfiguration().update("files.trimTrailingWhitespace", true, vscode.ConfigurationTarget.Global);
    } else {
      vscode.languages.registerDocumentFormattingEditProvider({ scheme: "file", language: "markdown" }, formatter);
      formatted.add(args.file);
    }
    return true;
  },
  async save(args) {
    if (formatted.has(args.file)) {
      await show(args);
      await vscode.commands.executeCommand("editor.action.formatDocument");
    }
    while (!(await find(args).save())) await pause(50);
    return true;
  },
  reload: untilChanged("workbench.action.files.revert", (change) => change.document.getText() === fs.readFileSync(change.document.fileName, "utf8")),
  progress: () => [],
  run: async (args) => ((await vscode.commands.executeCommand(args.name, ...(args.arguments ?? []))), true),
  async setting(args) {
    await vscode.workspace.getConfiguration().update(args.name, args.value, vscode.ConfigurationTarget.Global);
    return true;
  },
  // How the window in front of a file stands: its lines, what is folded, where the cursor is.
  view(args) {
    const editor = vscode.window.visibleTextEditors.find((each) => each.document.fileName === args.file);
    if (!editor) throw new Error(`${args.file} is not visible`);
    const ranges = editor.visibleRanges.map(({ start, end }) => [start.line, end.line]);
    return { ranges, cursor: editor.selection.active.line, last: editor.document.lineCount - 1 };
  },
  // Makes of the probe what knows a language: what it says of the file is what a model is to be told.
  knows(args) {
    const { languages, Range, Location } = vscode;
    const { uri } = find(args);
    const at = (line, from, to) => new Range(line, from, line, to);
    const all = { scheme: "file", pattern: args.file };
    const problem = new vscode.Diagnostic(at(2, 4, 8), "name is a poor name", vscode.DiagnosticSeverity.Warning);
    problem.source = "linter";
    languages.createDiagnosticCollection("linter").set(uri, [problem]);
    languages.registerDefinitionProvider(all, {
      provideDefinition: (_, place) => ((asked = place), [{ targetUri: uri, targetRange: at(0, 0, 11), targetSelectionRange: at(0, 7, 11) }]),
    });
    languages.registerReferenceProvider(all, { provideReferences: () => [new Location(uri, at(0, 7, 11)), new Location(uri, at(2, 4, 8))] });
    const outer = new vscode.DocumentSymbol("outer", "", vscode.SymbolKind.Class, at(0, 0, 11), at(0, 7, 11));
    outer.children = [new vscode.DocumentSymbol("name", "", vscode.SymbolKind.Function, at(2, 4, 8), at(2, 4, 8))];
    languages.registerDocumentSymbolProvider(all, { provideDocumentSymbols: () => [outer] });
    const elsewhere = new vscode.SymbolInformation("named", vscode.SymbolKind.Function, "outer", new Location(uri, at(2, 4, 8)));
    languages.registerWorkspaceSymbolProvider({ provideWorkspaceSymbols: (query) => (query === "nam" ? [elsewhere] : []) });
    languages.registerDocumentFormattingEditProvider(all, { provideDocumentFormattingEdits: () => [vscode.TextEdit.delete(at(2, 0, 4))] });
    return true;
  },
  clock: ({ ahead, stopped }) => {
    const at = now() + ahead;
    Date.now = stopped ? () => at : () => now() + ahead;
    return true;
  },
  async feature(args) {
    const at = new vscode.Position(args.line, args.character);
    return JSON.stringify((await features[args.feature](find(args).uri, at, args.text)) ?? null);
  },
  asked: () => asked,
  models: async () => (await vscode.lm.selectChatModels({ vendor: "assent" })).map(({ id, family, maxInputTokens }) => ({ id, family, maxInputTokens })),
  async ask_model(args) {
    const [model] = await vscode.lm.selectChatModels({ vendor: "assent", id: args.model });
    asking = new vscode.CancellationTokenSource();
    Object.assign(heard, { pieces: [], calls: [], over: false, error: "" });
    listen(model, args).catch((error) => (heard.error = String(error?.message ?? error))).finally(() => (heard.over = true));
    return true;
  },
  heard: () => heard,
  end_request: () => (asking.cancel(), true),
  activation: () => vscode.extensions.getExtension("assent-ls.assent").exports.milliseconds,
  // The files of the diff in front, several or one.
  diffs() {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const all = input?.textDiffs ?? (input instanceof vscode.TabInputTextDiff ? [input] : []);
    return all.map(({ modified }) => modified.path.split("/").at(-1));
  },
  contributed: () => vscode.extensions.getExtension("assent-ls.assent").packageJSON.contributes.commands.map(({ command }) => command),
  registered: async () => (await vscode.commands.getCommands(true)).filter((name) => name.startsWith("assent.")),
  tab: () => vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? "",
};

exports.activate = () => {
  if (!process.env.ASSENT_E2E_SOCKET) return;
  const socket = net.connect(process.env.ASSENT_E2E_SOCKET);
  let rest = "";
  socket.setEncoding("utf8").on("data", async (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const request = JSON.parse(line);
      const reply = (answer) => socket.write(JSON.stringify({ id: request.id, ...answer }) + "\n");
      const op = ops[request.op];
      if (!op) reply({ error: `this editor cannot ${request.op}` });
      else Promise.resolve().then(() => op(request)).then((value) => reply({ value: value ?? null }), (error) => reply({ error: String(error?.message ?? error) }));
    }
  });
};
