// Folds what a reader of a chat seldom wants open (thinking, context, results), once for each block, when nothing was written for
// a moment. LSP has no way to close a fold.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { FoldingRangeRequest } from "vscode-languageclient/node";
import { isChat, keyOf, type Live } from "./live";
import { detailBlocks, foldedAt, FoldedOnce } from "./pure/details";

const quiet = 400; // milliseconds

export function foldDetails(client: LanguageClient, live: Live): vscode.Disposable {
  const folded = new Map<string, FoldedOnce>();
  let timer: NodeJS.Timeout | undefined;
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void fold(), quiet);
  };
  // editor.fold works on the editor in front: others are folded when they come there.
  const fold = async (): Promise<void> => {
    const editor = vscode.window.activeTextEditor;
    if (!editor || !isChat(editor.document) || !client.isRunning() || !enabled()) {
      return;
    }
    const { document } = editor;
    const version = document.version;
    const ranges = await client.sendRequest(FoldingRangeRequest.type, { textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri) } });
    if (document.version !== version || vscode.window.activeTextEditor !== editor) {
      return later();
    }
    const once = folded.get(keyOf(document.uri)) ?? new FoldedOnce();
    folded.set(keyOf(document.uri), once);
    const line = (i: number): string => (i < document.lineCount ? document.lineAt(i).text : "");
    const busy = [...editor.selections.map((each) => each.active.line), ...live.waitingIn(document.uri).map((each) => each.range.start.line)];
    const due = once.due(detailBlocks(line, document.lineCount, ranges ?? []), line, busy);
    if (due.length > 0) {
      const lines = due.map((block) => block.startLine);
      await vscode.commands.executeCommand("editor.fold", { selectionLines: lines, levels: 1 });
      await openOther(editor, lines);
    }
  };
  return vscode.Disposable.from(
    { dispose: () => clearTimeout(timer) },
    vscode.window.onDidChangeActiveTextEditor(later),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document === vscode.window.activeTextEditor?.document && isChat(document)) {
        later();
      }
    }),
    vscode.workspace.onDidCloseTextDocument((document) => folded.delete(keyOf(document.uri))),
    live.onState(later),
  );
}

// The person may have gone to another editor just before, which the extension is told a little later: what was folded there is opened again.
async function openOther(chat: vscode.TextEditor, lines: readonly number[]): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, quiet));
  const front = vscode.window.activeTextEditor;
  if (!front || front === chat || front.document === chat.document) {
    return;
  }
  const closed = foldedAt(
    front.visibleRanges.map((range) => ({ startLine: range.start.line, endLine: range.end.line })),
    lines,
  );
  if (closed.length > 0) {
    await vscode.commands.executeCommand("editor.unfold", { selectionLines: closed, levels: 1 });
  }
}

function enabled(): boolean {
  return vscode.workspace.getConfiguration("assent").get<boolean>("foldDetails", true);
}
