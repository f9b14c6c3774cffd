// The list "Changes by Assent" in Source Control: each file that a turn changed, and in it each change that waits for a decision.
// A tree, since Source Control itself knows only whole files, and a change is what a person decides on.
import * as vscode from "vscode";
import type { Changes, FileChange } from "./generated/protocol";
import { keyOf, type Live } from "./live";
import type { Previews } from "./preview";
import { showLine } from "./showing";
import { labelOf, neighbour, original } from "./pure/hunks";

// The fields uri and id are the argument of the commands that keep and reject, which the rows bring.
interface FileRow {
  uri: string;
}
interface HunkRow extends FileRow {
  id: string;
  hunk: FileChange;
}
type Row = FileRow | HunkRow;

const isHunk = (row: Row): row is HunkRow => "hunk" in row;

class Rows implements vscode.TreeDataProvider<Row> {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly live: Live) {}

  refresh(): void {
    this.changed.fire(undefined);
  }

  getChildren(row?: Row): Row[] {
    if (!row) {
      return this.live.files().map(({ uri }) => ({ uri }));
    }
    const changes = isHunk(row) ? undefined : this.live.changesOf(vscode.Uri.parse(row.uri));
    return (changes?.hunks ?? []).map((hunk) => ({ uri: row.uri, id: hunk.id, hunk }));
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const uri = vscode.Uri.parse(row.uri);
    if (!isHunk(row)) {
      const item = new vscode.TreeItem(uri, vscode.TreeItemCollapsibleState.Expanded);
      item.id = keyOf(uri);
      item.description = vscode.workspace.asRelativePath(uri).split("/").slice(0, -1).join("/");
      item.contextValue = "file";
      item.command = { command: "assent.vscode.compare", title: "Compare", arguments: [row] };
      return item;
    }
    const { hunk } = row;
    const item = new vscode.TreeItem(labelOf(hunk));
    item.id = `${keyOf(uri)} ${hunk.id}`;
    item.contextValue = hunk.edited ? "editedHunk" : "hunk";
    if (hunk.edited) {
      item.description = "somebody changed it since: it can be kept only";
    }
    item.tooltip = new vscode.MarkdownString().appendCodeblock(difference(hunk), "diff");
    if (!hunk.deleted) {
      item.command = { command: "assent.vscode.goToChange", title: "Go to", arguments: [row] };
    }
    return item;
  }
}

function difference(hunk: FileChange): string {
  const side = (sign: string, text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n").map((line) => sign + line));
  return [...side("-", hunk.old), ...side("+", hunk.new)].slice(0, 40).join("\n");
}

export function showChanges(live: Live): vscode.Disposable {
  const rows = new Rows(live);
  const view = vscode.window.createTreeView<Row>("assent.changes", { treeDataProvider: rows });
  const update = (): void => {
    const count = live.files().reduce((sum, { hunks }) => sum + hunks.length, 0);
    view.badge = count > 0 ? { value: count, tooltip: `${count} ${count === 1 ? "change waits" : "changes wait"} for a decision` } : undefined;
    void vscode.commands.executeCommand("setContext", "assent.hasChanges", count > 0);
    rows.refresh();
    updateHere();
  };
  const updateHere = (): void => {
    const uri = vscode.window.activeTextEditor?.document.uri;
    void vscode.commands.executeCommand("setContext", "assent.changesHere", uri !== undefined && live.changesOf(uri) !== undefined);
  };
  return vscode.Disposable.from(
    view,
    live.onChanges(update),
    vscode.window.onDidChangeActiveTextEditor(updateHere),
  );
}

export function changeCommands(live: Live, previews: Previews) {
  return {
    "assent.vscode.compare": (row?: FileRow) => compare(live, previews, row),
    "assent.vscode.goToChange": (row: HunkRow) => showLine(vscode.Uri.parse(row.uri), row.hunk.range.start.line),
    "assent.vscode.nextChange": () => goToNext(live, true),
    "assent.vscode.previousChange": () => goToNext(live, false),
  };
}

// The file as it was before the changes that wait, beside the file.
async function compare(live: Live, previews: Previews, row: FileRow | undefined): Promise<void> {
  const uri = row?.uri === undefined ? vscode.window.activeTextEditor?.document.uri : vscode.Uri.parse(row.uri);
  const changes = uri && live.changesOf(uri);
  if (!uri || !changes || changes.hunks.some((hunk) => hunk.deleted)) {
    vscode.window.setStatusBarMessage(changes ? "The file does not exist any more." : "No change of this file waits for a decision.", 4000);
    return;
  }
  const path = vscode.workspace.asRelativePath(uri);
  const document = await vscode.workspace.openTextDocument(uri);
  const before = original(document.getText(), changes.hunks);
  await previews.compare(path, before, uri, `${path}: changes that wait for a decision`);
}

async function goToNext(live: Live, forward: boolean): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const here = editor && live.changesOf(editor.document.uri);
  const changes: Changes | undefined = here ?? live.files()[0];
  const line = changes && neighbour(changes.hunks, here && editor ? editor.selection.active.line : -1, forward);
  if (!changes || line === undefined) {
    vscode.window.setStatusBarMessage("No change waits for a decision.", 4000);
    return;
  }
  await showLine(vscode.Uri.parse(changes.uri), line);
}
