// The entry point: starts the language server once and shows whether it runs.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { createClient, startClient } from "./client";
import { showState } from "./status";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  client = createClient();
  context.subscriptions.push(client, showState(client));
  await startClient(client);
}

export async function deactivate(): Promise<void> {
  if (client?.needsStop()) {
    await client.stop();
  }
}
