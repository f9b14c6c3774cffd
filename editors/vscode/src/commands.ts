// The language client registers the server's commands under their own names, which the palette, menus and keys use. The server
// takes one argument or none: a document and a place, or what it put into a menu itself.
import * as vscode from "vscode";
import type { LanguageClient, Middleware } from "vscode-languageclient/node";
import { commands } from "./generated/protocol";
import type { Previews } from "./preview";

type ExecuteCommand = NonNullable<Middleware["executeCommand"]>;

export function executeCommand(client: () => LanguageClient, previews: Previews): ExecuteCommand {
  return async (name, args: unknown[], next) => {
    const [argument] = serverArguments(client(), args);
    const id = (argument as { id?: unknown } | undefined)?.id;
    if (name === commands.showPreview.name && typeof id === "string" && (await previews.show(id))) {
      return null;
    }
    return next(name, argument === undefined ? [] : [argument]);
  };
}

// From the palette a command comes without arguments, from the bar above an editor with its URI: both mean the place of
// the cursor. A code action and a row of a list bring their own.
function serverArguments(client: LanguageClient, args: unknown[]): unknown[] {
  const [given] = args;
  if (given !== undefined && !(given instanceof vscode.Uri)) {
    return [given];
  }
  const { asUri, asPosition } = client.code2ProtocolConverter;
  const active = vscode.window.activeTextEditor;
  const uri = given ?? active?.document.uri;
  const editor = vscode.window.visibleTextEditors.find((each) => each.document.uri.toString() === uri?.toString()) ?? active;
  if (uri?.scheme !== "file" || editor?.document.uri.toString() !== uri.toString()) {
    return uri?.scheme === "file" ? [{ uri: asUri(uri) }] : [];
  }
  return [{ uri: asUri(uri), position: asPosition(editor.selection.active) }];
}
