// The entry point: puts the parts together and starts the language server once, without waiting for it.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { Answers } from "./answers";
import { showChanges } from "./changes";
import { createClient, startClient } from "./client";
import { keepContextKeys } from "./contextKeys";
import { foldDetails } from "./folding";
import { followReplies } from "./following";
import { answerAboutEditor } from "./knowledge";
import { keepLinks } from "./links";
import { Live } from "./live";
import { showMarks } from "./marks";
import { takePart } from "./nativeChat";
import { NativeModels } from "./nativeModel";
import { Previews } from "./preview";
import { showStatus } from "./statusBar";

let client: LanguageClient | undefined;

// The result says in how many milliseconds the editor had the extension; tests look at it.
export function activate(context: vscode.ExtensionContext): { milliseconds: number } {
  const begin = performance.now();
  const previews: Previews = new Previews(() => server);
  const server = createClient(context.extensionPath, previews);
  const live = new Live(server);
  context.subscriptions.push(
    server,
    live,
    previews,
    new Answers(live, previews),
    answerAboutEditor(server),
    showStatus(server, live),
    showMarks(live),
    showChanges(live, previews),
    keepContextKeys(live),
    foldDetails(server, live),
    followReplies(live),
    keepLinks(),
    new NativeModels(server),
    takePart(server, live),
    vscode.commands.registerCommand("assent.vscode.settings", () => vscode.commands.executeCommand("workbench.action.openSettings", "@ext:assent-ls.assent")),
    vscode.commands.registerCommand("assent.vscode.firstSteps", () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", "assent-ls.assent#assent.firstSteps", false),
    ),
  );
  client = server;
  void startClient(server);
  return { milliseconds: performance.now() - begin };
}

export async function deactivate(): Promise<void> {
  if (client?.needsStop()) {
    await client.stop();
  }
}
