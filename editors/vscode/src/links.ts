// Keeps links in chats as long as they are. What is written right behind one, such as a reply behind a mention, VS Code takes into it, and it
// asks for links anew only when the text rests; but also when a provider of links comes or goes.
import * as vscode from "vscode";
import { isChat } from "./live";

const rest = 200; // milliseconds: the server writes the beginnings of a reply one after the other
const tries = 100; // nobody asks where the editor shows no links
const beginning = /^(?:\s*\n(?:## |`{3,})|---\n)/; // of a turn, of what goes with one, or of a chat
const chats: vscode.DocumentSelector = { scheme: "file", pattern: "**/*.chat.md" };

export function keepLinks(): vscode.Disposable {
  const due = new Map<vscode.TextDocument, number>(); // the chats whose links are to be asked for, and how often that was tried
  const heard = vscode.languages.registerDocumentLinkProvider(chats, {
    provideDocumentLinks(document) {
      if (due.get(document)) due.delete(document); // else it is from before the first try
      return [];
    },
  });
  let timer: NodeJS.Timeout | undefined;
  let change: vscode.Disposable | undefined;
  // A change of the text that arrives together with the request puts it off, so it is made until links were asked for.
  const ask = (): void => {
    const shown = new Set(vscode.window.visibleTextEditors.map(({ document }) => document));
    for (const [document, tried] of due) {
      if (tried < tries && shown.has(document)) due.set(document, tried + 1);
      else due.delete(document);
    }
    if (due.size === 0) return;
    if (change) change = void change.dispose();
    else change = vscode.languages.registerDocumentLinkProvider(chats, { provideDocumentLinks: () => [] });
    timer = setTimeout(ask, rest);
  };
  return vscode.Disposable.from(
    heard,
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (isChat(document) && contentChanges.some(({ text }) => beginning.test(text.replaceAll("\r\n", "\n")))) {
        clearTimeout(timer);
        due.set(document, 0);
        timer = setTimeout(ask, rest);
      }
    }),
    { dispose: () => (clearTimeout(timer), change?.dispose()) },
  );
}
