// The entry in the status bar: does the server run, which model, how full its context is, what waits. A click opens what waits,
// or a short menu.
import * as vscode from "vscode";
import { State, type LanguageClient } from "vscode-languageclient/node";
import { isChat, keyOf, type Live } from "./live";
import { busy, chatToShow, details, statusText } from "./pure/summary";

const stopped: Partial<Record<State, string>> = {
  [State.Stopped]: "$(circle-slash) Assent: stopped",
  [State.Starting]: "$(loading~spin) Assent: starting",
  [State.StartFailed]: "$(error) Assent: did not start",
};

export function showStatus(client: LanguageClient, live: Live): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("assent", vscode.StatusBarAlignment.Right);
  item.name = "Assent";
  item.command = "assent.vscode.menu";
  const update = (): void => {
    const document = vscode.window.activeTextEditor?.document;
    const state = { ...live.state, chats: live.state.chats.map((chat) => ({ ...chat, uri: keyOf(chat.uri) })) };
    const chat = chatToShow(state, document && keyOf(document.uri));
    const down = stopped[client.state];
    item.text = down ?? statusText(state, chat);
    item.tooltip = down ? undefined : tooltip(details(state, chat));
    item.backgroundColor = state.waiting.length > 0 ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    item.accessibilityInformation = { label: item.text.replace(/\$\([^)]*\) ?/g, "") };
    if (isChat(document) || busy(state) || client.state === State.StartFailed) {
      item.show();
    } else {
      item.hide();
    }
  };
  update();
  return vscode.Disposable.from(
    item,
    client.onDidChangeState(update),
    live.onState(update),
    vscode.window.onDidChangeActiveTextEditor(update),
  );
}

function tooltip(rows: readonly [string, string][]): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  for (const [name, value] of rows) {
    // Titles and names come from files and models: they are text, never links or commands.
    text.appendMarkdown(`**${name}** `).appendText(value).appendMarkdown("  \n");
  }
  return text;
}

export async function menu(live: Live): Promise<void> {
  if (live.state.waiting.length > 0) {
    await vscode.commands.executeCommand("assent.vscode.showWaiting");
    return;
  }
  const runs = live.state.chats.some((chat) => chat.state !== "idle");
  const rows: (vscode.QuickPickItem & { command: string })[] = [
    { label: "$(add) New chat", command: "assent.newChat" },
    ...(runs ? [{ label: "$(debug-stop) Stop", command: "assent.stop" }] : []),
    ...(isChat(vscode.window.activeTextEditor?.document)
      ? [{ label: "$(eye) Show what the model sees", command: "assent.showRequest" }]
      : []),
    { label: "$(shield) Show what you always allow", command: "assent.showPermissions" },
    { label: "$(gear) Settings", command: "assent.vscode.settings" },
  ];
  const chosen = await vscode.window.showQuickPick(rows, { placeHolder: "Assent" });
  if (chosen) {
    await vscode.commands.executeCommand(chosen.command);
  }
}
