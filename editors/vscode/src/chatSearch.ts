// Finds chats by what was said in them, as the person types, and opens the one that is chosen at its turn.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { methods, type ChatsWanted, type FoundTurn, type FoundTurns } from "./generated/protocol";

interface Row extends vscode.QuickPickItem {
  readonly turn: FoundTurn;
}

// Opens the list. wanted: what is looked for beside the words that are typed.
export function searchChats(client: LanguageClient, wanted: ChatsWanted = {}): void {
  const pick = vscode.window.createQuickPick<Row>();
  pick.placeholder = "What was said in the chat?";
  pick.matchOnDescription = pick.matchOnDetail = true;
  let last = 0;
  const find = async (query: string): Promise<void> => {
    const mine = ++last;
    if (query.trim() === "" && wanted.uri === undefined) {
      pick.items = [];
      return;
    }
    pick.busy = true;
    try {
      const found = await client.sendRequest<FoundTurns>(methods.chatsFind, { ...wanted, query });
      if (mine === last) {
        pick.items = found.turns.map(rowOf);
      }
    } catch (error) {
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    } finally {
      pick.busy = mine !== last;
    }
  };
  pick.onDidChangeValue((query) => void find(query));
  const preview = vscode.window.createTextEditorDecorationType({ backgroundColor: new vscode.ThemeColor("editor.findMatchHighlightBackground"), isWholeLine: true });
  let chosen = false;
  pick.ignoreFocusOut = true; // the preview would close the list
  pick.onDidChangeActive(([row]) => {
    if (row && !chosen) {
      void showTurn(row.turn, true).then((editor) => editor.setDecorations(preview, [editor.selection]), () => undefined);
    }
  });
  pick.onDidAccept(() => {
    const [row] = pick.selectedItems;
    chosen = true;
    pick.hide();
    if (row) {
      void showTurn(row.turn);
    }
  });
  pick.onDidHide(() => {
    preview.dispose();
    pick.dispose();
  });
  pick.show();
  void find("");
}

// What is listed was found by the server: the editor's own filter must not take it out again.
function rowOf(turn: FoundTurn): Row {
  return { label: `${turn.pinned ? "$(pin) " : ""}${turn.title}`, description: turn.day, detail: `${turn.role}: ${turn.excerpt}`, alwaysShow: true, turn };
}

// The place of a turn in its chat.
export function selectionOf(turn: FoundTurn): vscode.Range {
  return new vscode.Range(turn.line, 0, turn.line, 0);
}

// Opens a chat at a turn. asPreview: the person stays where they are.
export function showTurn(turn: FoundTurn, asPreview = false): Thenable<vscode.TextEditor> {
  const options = { selection: selectionOf(turn), preview: asPreview, preserveFocus: asPreview };
  return vscode.window.showTextDocument(vscode.Uri.parse(turn.uri), options);
}
