// Keeps the end of a streaming reply in view, in windows where the person neither scrolls nor types. The cursor stays where it is.
import * as vscode from "vscode";
import { isChat, keyOf, type Live } from "./live";
import { Follower, lastTurn } from "./pure/follower";

export function followReplies(live: Live): vscode.Disposable {
  const followers = new WeakMap<vscode.TextEditor, Follower>();
  let running = new Set<string>();
  const of = (editor: vscode.TextEditor): Follower => {
    const known = followers.get(editor) ?? new Follower();
    followers.set(editor, known);
    return known;
  };
  const chats = (key?: string): vscode.TextEditor[] =>
    vscode.window.visibleTextEditors.filter(({ document }) => isChat(document) && (key === undefined || keyOf(document.uri) === key));
  return vscode.Disposable.from(
    live.onState(({ chats: states }) => {
      const now = new Set(states.filter((chat) => chat.state !== "idle").map((chat) => keyOf(chat.uri)));
      for (const editor of chats()) {
        const key = keyOf(editor.document.uri);
        if (now.has(key) && !running.has(key)) {
          of(editor).begin(bottomOf(editor), lastTurn(editor.document.getText().split(/\r?\n/)));
        } else if (!now.has(key) && running.has(key)) {
          of(editor).end();
        }
      }
      running = now;
    }),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const key = keyOf(document.uri);
      if (!running.has(key) || contentChanges.length === 0 || !enabled()) {
        return;
      }
      for (const editor of chats(key).filter((each) => of(each).follows)) {
        const end = document.lineAt(document.lineCount - 1).range;
        editor.revealRange(end, vscode.TextEditorRevealType.Default);
      }
    }),
    vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor, visibleRanges }) => {
      if (isChat(textEditor.document)) {
        const top = visibleRanges[0]?.start.line ?? 0;
        of(textEditor).scrolled(top, bottomOf(textEditor), textEditor.document.lineCount - 1);
      }
    }),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
      const byPerson = kind === vscode.TextEditorSelectionChangeKind.Keyboard || kind === vscode.TextEditorSelectionChangeKind.Mouse;
      if (byPerson && isChat(textEditor.document)) {
        of(textEditor).typed();
      }
    }),
  );
}

function bottomOf(editor: vscode.TextEditor): number {
  return editor.visibleRanges.at(-1)?.end.line ?? 0;
}

function enabled(): boolean {
  return vscode.workspace.getConfiguration("assent").get<boolean>("followReply", true);
}
