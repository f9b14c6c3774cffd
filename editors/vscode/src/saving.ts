// LSP has no request to save. A file without unsaved changes before an approved edit is saved after it, so that
// commands see it; a file with unsaved changes is the user's to save. Chat documents are left alone: text streams
// into them all the time.
import * as vscode from "vscode";
import { ResponseError, type Middleware, type WorkspaceEdit } from "vscode-languageclient/node";

type ApplyEdit = NonNullable<NonNullable<Middleware["workspace"]>["handleApplyEdit"]>;

export const saveUnchanged: ApplyEdit = async (params, next) => {
  const unchanged = vscode.workspace.getConfiguration("assent").get<boolean>("saveAfterEdit")
    ? openDocuments(params.edit).filter((document) => !document.isDirty)
    : [];
  const result = await next(params, new vscode.CancellationTokenSource().token);
  if (!(result instanceof ResponseError) && result.applied) {
    for (const document of unchanged) {
      void document.save();
    }
  }
  return result;
};

function openDocuments(edit: WorkspaceEdit): vscode.TextDocument[] {
  const uris = new Set(Object.keys(edit.changes ?? {}));
  for (const change of edit.documentChanges ?? []) {
    if ("textDocument" in change) {
      uris.add(change.textDocument.uri);
    }
  }
  const wanted = new Set([...uris].map((uri) => vscode.Uri.parse(uri).toString()));
  return vscode.workspace.textDocuments.filter(
    (document) => wanted.has(document.uri.toString()) && !document.fileName.endsWith(".chat.md"),
  );
}
