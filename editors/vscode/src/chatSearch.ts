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
  pick.onDidAccept(() => {
    const [row] = pick.selectedItems;
    pick.hide();
    if (row) {
      void show(row.turn);
    }
  });
  pick.onDidHide(() => pick.dispose());
  pick.show();
  void find("");
}

// What is listed was found by the server: the editor's own filter must not take it out again.
function rowOf(turn: FoundTurn): Row {
  return { label: `${turn.pinned ? "$(pin) " : ""}${turn.title}`, description: turn.day, detail: `${turn.role}: ${turn.excerpt}`, alwaysShow: true, turn };
}

async function show(turn: FoundTurn): Promise<void> {
  const at = new vscode.Position(turn.line, 0);
  await vscode.window.showTextDocument(vscode.Uri.parse(turn.uri), { selection: new vscode.Range(at, at) });
}
