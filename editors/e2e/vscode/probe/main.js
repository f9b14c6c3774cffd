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
    edit.insert(doc.uri, place(doc), text);
    if (await vscode.workspace.applyEdit(edit)) return true;
  }
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
