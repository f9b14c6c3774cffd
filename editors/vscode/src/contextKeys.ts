// Context keys, by which package.json shows buttons and binds keys only where they do something:
// assent.chat: what the chat in front does (idle, working, writing, waiting), empty elsewhere; assent.oneWaits: exactly one
// question waits; assent.waitsHere: one waits in the chat in front, or its preview is in front.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { keyOf, type Live } from "./live";
import { previewedQuestion } from "./preview";

export function keepContextKeys(client: LanguageClient, live: Live): vscode.Disposable {
  const last = new Map<string, unknown>();
  const set = (key: string, value: unknown): void => {
    if (last.get(key) !== value) {
      last.set(key, value);
      void vscode.commands.executeCommand("setContext", key, value);
    }
  };
  const update = (): void => {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const chat = uri && live.state.chats.find((each) => keyOf(each.uri) === keyOf(uri));
    const previewed = previewedQuestion();
    set("assent.chat", chat?.state ?? "");
    set("assent.runs", chat !== undefined && chat.state !== "idle");
    set("assent.oneWaits", live.state.waiting.length === 1);
    set("assent.waits", live.state.waiting.length > 0);
    set("assent.waitsHere", previewed !== undefined ? live.waiting(previewed) !== undefined : uri !== undefined && live.waitingIn(uri).length > 0);
  };
  update();
  return vscode.Disposable.from(
    client.onDidChangeState(update),
    live.onState(update),
    vscode.window.onDidChangeActiveTextEditor(update),
    vscode.window.tabGroups.onDidChangeTabs(update),
    vscode.window.tabGroups.onDidChangeTabGroups(update),
  );
}
