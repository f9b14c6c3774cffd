// A status bar entry, shown beside chat documents: does the server run?
import * as vscode from "vscode";
import { State, type LanguageClient } from "vscode-languageclient/node";

const texts: Record<State, string> = {
  [State.Stopped]: "$(circle-slash) Assent: stopped",
  [State.Starting]: "$(loading~spin) Assent: starting",
  [State.StartFailed]: "$(error) Assent: did not start",
  [State.Running]: "$(comment-discussion) Assent",
};

export function showState(client: LanguageClient): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("assent", vscode.StatusBarAlignment.Right);
  item.name = "Assent";
  const update = (): void => {
    item.text = texts[client.state];
    if (vscode.window.activeTextEditor?.document.fileName.endsWith(".chat.md")) {
      item.show();
    } else {
      item.hide();
    }
  };
  update();
  return vscode.Disposable.from(item, client.onDidChangeState(update), vscode.window.onDidChangeActiveTextEditor(update));
}
