// The language client: which program is started, for which documents, with which additions of ours.
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import { addArguments } from "./commands";
import { saveUnchanged } from "./saving";
import { showWhereVisible } from "./showing";

export function createClient(): LanguageClient {
  const command = vscode.workspace.getConfiguration("assent").get<string>("path") || "assent";
  const client: LanguageClient = new LanguageClient(
    "assent",
    "Assent",
    { command, args: ["serve"] },
    {
      // Every file: an approved edit goes through the editor only for documents that the server has seen opened.
      documentSelector: [{ scheme: "file" }],
      synchronize: { configurationSection: "assent" },
      middleware: {
        executeCommand: (name, args, next) => next(name, addArguments(client, args)),
        workspace: { handleApplyEdit: saveUnchanged },
        window: { showDocument: showWhereVisible(() => client) },
      },
    },
  );
  return client;
}

// Starts the client; a program that is missing becomes one sentence with a way to the setting.
export async function startClient(client: LanguageClient): Promise<void> {
  try {
    await client.start();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const open = "Open settings";
    void vscode.window
      .showErrorMessage(`Assent did not start (${reason}). Install the program assent or set assent.path.`, open)
      .then((choice) => {
        if (choice === open) {
          void vscode.commands.executeCommand("workbench.action.openSettings", "assent.path");
        }
      });
  }
}
