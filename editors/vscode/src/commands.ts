// The language client registers the server's commands under their own names, which the palette lists by package.json.
// From there they come without arguments, and the server acts on a document and a position.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

// Gives a command that came without arguments the place of the cursor. A code action brings its own.
export function addArguments(client: LanguageClient, args: unknown[]): unknown[] {
  const editor = vscode.window.activeTextEditor;
  if (args.length > 0 || editor?.document.uri.scheme !== "file") {
    return args;
  }
  return [
    {
      uri: client.code2ProtocolConverter.asUri(editor.document.uri),
      position: client.code2ProtocolConverter.asPosition(editor.selection.active),
    },
  ];
}
