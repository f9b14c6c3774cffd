// The server shows a document at a place, such as the call that waits. A document that is visible already is shown there,
// and not a second time in the group that has the focus.
import * as vscode from "vscode";
import type { LanguageClient, Middleware } from "vscode-languageclient/node";

type ShowDocument = NonNullable<NonNullable<Middleware["window"]>["showDocument"]>;

export function showWhereVisible(client: () => LanguageClient): ShowDocument {
  return async (params, token, next) => {
    const { asRange, asUri } = client().protocol2CodeConverter;
    const uri = asUri(params.uri);
    const shown = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());
    if (params.external || !shown?.viewColumn) {
      return next(params, token);
    }
    const options: vscode.TextDocumentShowOptions = { viewColumn: shown.viewColumn, preserveFocus: params.takeFocus === false };
    if (params.selection) {
      options.selection = asRange(params.selection);
    }
    await vscode.window.showTextDocument(shown.document, options);
    return { success: true };
  };
}

// Shows a line of a document: where it is visible already, else in front.
export async function showLine(uri: vscode.Uri, line: number): Promise<void> {
  const shown = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());
  const at = new vscode.Range(line, 0, line, 0);
  const options: vscode.TextDocumentShowOptions = { selection: at, ...(shown?.viewColumn === undefined ? {} : { viewColumn: shown.viewColumn }) };
  const editor = await vscode.window.showTextDocument(uri, options);
  editor.revealRange(at, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
