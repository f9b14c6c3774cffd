// Folds what a reader of a chat seldom wants open (thinking, context, results), once for each block, when nothing was written for
// a moment. LSP has no way to close a fold.
import * as vscode from "vscode";
import { FoldingRangeRequest, type LanguageClient, type Middleware } from "vscode-languageclient/node";
import { isChat, keyOf, type Live } from "./live";
import { detailBlocks, FoldedOnce, type Lines } from "./pure/details";

const quiet = 400; // milliseconds
const tries = 5; // other changes of what can be folded make VS Code drop the command

export function foldDetails(client: LanguageClient, live: Live): vscode.Disposable {
  const folded = new Map<string, FoldedOnce>();
  let timer: NodeJS.Timeout | undefined;
  let folds: Promise<void> = Promise.resolve(); // one after the other
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => (folds = folds.then(fold).catch((error: unknown) => client.warn("A chat was not folded.", error, false))), quiet);
  };
  // The command works on the editor in front, and scrolls to its cursor: others, and one whose reader is elsewhere, are folded later.
  const fold = async (): Promise<void> => {
    const editor = vscode.window.activeTextEditor;
    if (!editor || !isChat(editor.document) || !client.isRunning() || !enabled() || !cursorInSight(editor)) {
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
    if (due.blocks.length > 0) {
      for (let i = 0; i < tries && document.version === version && vscode.window.activeTextEditor === editor; i++) {
        await foldBlocks(document, due.blocks);
        await new Promise((resolve) => setTimeout(resolve, quiet)); // the extension hears of it a little later
        if (!due.blocks.some((block) => open(editor, block))) {
          break;
        }
      }
      if (document.version === version) {
        due.done();
      } else {
        later();
      }
    }
  };
  return vscode.Disposable.from(
    { dispose: () => clearTimeout(timer) },
    vscode.window.onDidChangeActiveTextEditor(later),
    vscode.window.onDidChangeTextEditorVisibleRanges(later),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document === vscode.window.activeTextEditor?.document && isChat(document)) {
        later();
      }
    }),
    vscode.workspace.onDidCloseTextDocument((document) => folded.delete(keyOf(document.uri))),
    live.onState(later),
  );
}

// VS Code folds by line what it knows of that line, which on a busy machine is not yet the block but the turn around it. So the blocks
// are made the only regions of the chat for a moment, and its command folds regions, however late it learns of them.
async function foldBlocks(chat: vscode.TextDocument, blocks: readonly Lines[]): Promise<void> {
  const version = chat.version;
  const regions = blocks.map(({ startLine, endLine }) => new vscode.FoldingRange(startLine, endLine, vscode.FoldingRangeKind.Region));
  // The newest provider comes first: of ranges that begin on the same line VS Code takes that of the first.
  const provider = vscode.languages.registerFoldingRangeProvider(
    { scheme: "file", pattern: "**/*.chat.md" },
    { provideFoldingRanges: (document) => (document === chat && document.version === version ? regions : []) },
  );
  try {
    await vscode.commands.executeCommand("editor.foldAllMarkerRegions"); // waits for the ranges
  } finally {
    provider.dispose();
  }
}

// The ranges of the server are turns and all their blocks: none of them is a region that is folded.
export const withoutKinds: NonNullable<Middleware["provideFoldingRanges"]> = async (document, context, token, next) =>
  (await next(document, context, token))?.map(({ start, end }) => new vscode.FoldingRange(start, end));

// Whether the window shows that a block is open.
function open({ visibleRanges }: vscode.TextEditor, { startLine }: Lines): boolean {
  return visibleRanges.some(({ start, end }) => start.line <= startLine && startLine < end.line);
}

function cursorInSight({ selection, visibleRanges }: vscode.TextEditor): boolean {
  return visibleRanges.some(({ start, end }) => start.line <= selection.active.line && selection.active.line <= end.line);
}

function enabled(): boolean {
  return vscode.workspace.getConfiguration("assent").get<boolean>("foldDetails", true);
}
