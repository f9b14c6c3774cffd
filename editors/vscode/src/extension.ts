// The entry point: puts the parts together and starts the language server once, without waiting for it.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { Answers } from "./answers";
import { changeCommands, showChanges } from "./changes";
import { showChats } from "./chatTree";
import { createClient } from "./client";
import { Commands } from "./commands";
import { keepContextKeys } from "./contextKeys";
import { FirstSteps } from "./firstSteps";
import { foldDetails } from "./folding";
import { followReplies } from "./following";
import { answerAboutEditor } from "./knowledge";
import { keepLinks } from "./links";
import { Live } from "./live";
import { showMarks } from "./marks";
import { takePart } from "./nativeChat";
import { NativeModels } from "./nativeModel";
import { showOutput } from "./output";
import { Previews } from "./preview";
import { Starter } from "./starter";
import { menu, showStatus } from "./statusBar";

let client: LanguageClient | undefined;

// The result says in how many milliseconds the editor had the extension; tests look at it.
export function activate(context: vscode.ExtensionContext): { milliseconds: number } {
  const begin = performance.now();
  const previews: Previews = new Previews(() => server);
  const server = createClient(context.extensionPath);
  const steps = new FirstSteps();
  const starter = new Starter(server, steps);
  const live = new Live(server);
  const answers = new Answers(live, previews);
  const helping = {
    "assent.vscode.start": () => starter.startAloud(),
    "assent.vscode.chooseProgram": () => starter.choose(),
    "assent.vscode.settings": () => vscode.commands.executeCommand("workbench.action.openSettings", "@ext:assent-ls.assent"),
    "assent.vscode.firstSteps": () => steps.open(),
  };
  const own = { ...answers.commands, ...changeCommands(live, previews), "assent.vscode.menu": () => menu(live) };
  const commands = new Commands(server, starter, previews, steps, helping, own);
  context.subscriptions.push(
    server,
    starter,
    live,
    previews,
    answers,
    commands,
    answerAboutEditor(server),
    showStatus(server, live),
    showMarks(live),
    showChanges(live),
    showOutput(server),
    showChats(server, starter, commands.onDidExecute),
    keepContextKeys(server, live),
    foldDetails(server, live),
    followReplies(live),
    keepLinks(),
    new NativeModels(server),
    takePart(server, starter, live, steps),
  );
  client = server;
  void starter.ready();
  return { milliseconds: performance.now() - begin };
}

export async function deactivate(): Promise<void> {
  if (client?.needsStop()) {
    await client.stop();
  }
}
