// The list "Chats": pinned ones, those of today, and earlier ones. Nothing is asked before somebody opens it.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { selectionOf } from "./chatSearch";
import { commands, methods, type FoundTurn, type FoundTurns } from "./generated/protocol";
import { groups, type Group } from "./pure/pastChats";
import type { Starter } from "./starter";

type Row = Group | FoundTurn;

const isGroup = (row: Row): row is Group => "chats" in row;
const mostTurns = 200;

class Chats implements vscode.TreeDataProvider<Row> {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly client: LanguageClient,
    private readonly starter: Starter,
  ) {}

  refresh(): void {
    this.changed.fire(undefined);
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (row) {
      return isGroup(row) ? row.chats : [];
    }
    if (!(await this.starter.ready())) {
      return [];
    }
    const found = await this.client.sendRequest<FoundTurns>(methods.chatsFind, { limit: mostTurns });
    return groups(found.turns, today());
  }

  getTreeItem(row: Row): vscode.TreeItem {
    if (isGroup(row)) {
      return new vscode.TreeItem(row.name, vscode.TreeItemCollapsibleState.Expanded);
    }
    const item = new vscode.TreeItem(row.title);
    item.description = row.day;
    item.tooltip = `${row.role}: ${row.excerpt}`;
    item.contextValue = row.pinned ? "pinnedChat" : "chat";
    item.command = { command: "vscode.open", title: "Open", arguments: [vscode.Uri.parse(row.uri), { selection: selectionOf(row) }] };
    return item;
  }
}

const pinning: string[] = [commands.pinChat.name, commands.unpinChat.name];

// Shows the list while the editor is open. onDidExecute tells of each command that the server did.
export function showChats(client: LanguageClient, starter: Starter, onDidExecute: vscode.Event<string>): vscode.Disposable {
  const chats = new Chats(client, starter);
  const view = vscode.window.createTreeView<Row>("assent.chats", { treeDataProvider: chats });
  return vscode.Disposable.from(
    view,
    view.onDidChangeVisibility(({ visible }) => visible && chats.refresh()),
    vscode.workspace.onDidSaveTextDocument(({ fileName }) => fileName.endsWith(".chat.md") && view.visible && chats.refresh()),
    onDidExecute((name) => view.visible && pinning.includes(name) && chats.refresh()),
  );
}

function today(): string {
  const now = new Date();
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
