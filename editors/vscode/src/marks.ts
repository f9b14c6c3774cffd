// What stands in the editors: the first line of a call that waits, and the lines of changes that wait for a decision.
import * as vscode from "vscode";
import { keyOf, type Live } from "./live";
import { kindOf, lineBehind, type Kind } from "./pure/hunks";
import type { FileChange, Range } from "./generated/protocol";

const color = (id: string): vscode.ThemeColor => new vscode.ThemeColor(id);

const styles: Record<Kind | "waits", vscode.DecorationRenderOptions> = {
  waits: {
    isWholeLine: true,
    backgroundColor: color("assent.waitingBackground"),
    overviewRulerColor: color("editorOverviewRuler.warningForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  },
  added: changed("editorOverviewRuler.addedForeground", "diffEditor.insertedLineBackground"),
  changed: changed("editorOverviewRuler.modifiedForeground", "diffEditor.insertedLineBackground"),
  removed: {
    isWholeLine: true,
    borderColor: color("editorGutter.deletedBackground"),
    borderStyle: "solid",
    borderWidth: "2px 0 0 0",
    overviewRulerColor: color("editorOverviewRuler.deletedForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  },
};

function changed(ruler: string, background: string): vscode.DecorationRenderOptions {
  return {
    isWholeLine: true,
    backgroundColor: color(background),
    overviewRulerColor: color(ruler),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  };
}

export function showMarks(live: Live): vscode.Disposable {
  const kinds = ["waits", "added", "changed", "removed"] as const;
  const types = new Map(kinds.map((kind) => [kind, vscode.window.createTextEditorDecorationType(styles[kind])]));
  const update = (editor: vscode.TextEditor): void => {
    const uri = editor.document.uri;
    const waiting = live.waitingIn(uri).map((question) => firstLine(question.range));
    const hunks = live.changesOf(uri)?.hunks ?? [];
    for (const [kind, type] of types) {
      const ranges = kind === "waits" ? waiting : hunks.filter((hunk) => kindOf(hunk) === kind).map((hunk) => lines(hunk));
      editor.setDecorations(type, ranges);
    }
  };
  const all = (): void => vscode.window.visibleTextEditors.forEach(update);
  return vscode.Disposable.from(
    ...types.values(),
    live.onState(all),
    live.onChanges((key) => vscode.window.visibleTextEditors.filter((editor) => keyOf(editor.document.uri) === key).forEach(update)),
    vscode.window.onDidChangeVisibleTextEditors(all),
  );
}

function firstLine({ start }: Range): vscode.Range {
  return new vscode.Range(start.line, 0, start.line, 0);
}

function lines(hunk: FileChange): vscode.Range {
  const first = hunk.range.start.line;
  return new vscode.Range(first, 0, Math.max(first, lineBehind(hunk) - 1), 0);
}
