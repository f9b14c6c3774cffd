// @assent in the editor's own chat. Each conversation there is a chat document of the workspace: the words go into it, the server
// answers there, and what it writes is shown here. The document stays the truth, and every question is one of the server's, answered
// by its own id.
import * as vscode from "vscode";
import { ExecuteCommandRequest, type LanguageClient } from "vscode-languageclient/node";
import type { FirstSteps } from "./firstSteps";
import { commands, methods, type Beginning, type ChatState, type NextMessage, type OfFile, type Preview, type Waiting } from "./generated/protocol";
import { keyOf, type Live } from "./live";
import { mentionOf } from "./pure/mention";
import { complete, withoutLinks } from "./pure/questions";
import { personTurns, ReplyReader } from "./pure/replyReader";
import { RunWatch } from "./pure/run";
import type { Starter } from "./starter";

const pause = 150; // milliseconds between two looks at the document
const patience = 2000; // milliseconds for a question to get all its answers
const opening = 5000; // milliseconds for the server to know a document that was opened

export function takePart(client: LanguageClient, starter: Starter, live: Live, steps: FirstSteps): vscode.Disposable {
  const participant = vscode.chat.createChatParticipant("assent.chat", async (request, context, stream, token) => {
    if (!(await starter.ready())) {
      stream.markdown("Assent cannot start: install the program `assent`, or choose its file.");
      stream.button({ command: "assent.vscode.chooseProgram", title: "Choose the program…" });
      stream.button({ command: "assent.vscode.firstSteps", title: "How to get it" });
      return {};
    }
    let chat = knownChat(context);
    const result: vscode.ChatResult = {};
    try {
      const at = chat ?? vscode.window.activeTextEditor?.document.uri;
      const text = request.prompt + mentions(request.references, at, stream);
      const document = await (chat ? goOn(client, live, chat, text) : begin(client, at, text));
      chat = document.uri;
      await answer(client, live, document, stream, token);
      steps.did(commands.send.name);
      await document.save();
    } catch (error) {
      result.errorDetails = { message: withoutLinks(error instanceof Error ? error.message : String(error)) };
    }
    if (!chat) {
      return result;
    }
    stream.button({ command: "vscode.open", title: "Open the chat document", arguments: [chat] });
    return { ...result, metadata: { chat: chat.toString() } };
  });
  participant.iconPath = new vscode.ThemeIcon("comment-discussion");
  return participant;
}

// The document of the conversation.
function knownChat(context: vscode.ChatContext): vscode.Uri | undefined {
  const known = context.history.flatMap((turn): unknown[] => (turn instanceof vscode.ChatResponseTurn ? [turn.result.metadata?.["chat"]] : []));
  const last = known.findLast((uri) => typeof uri === "string");
  return last === undefined ? undefined : vscode.Uri.parse(last);
}

// Files that the person attached in the chat view, as chats mention them: those of the chat's own folder. Of others it says so.
function mentions(references: readonly vscode.ChatPromptReference[], chat: vscode.Uri | undefined, stream: vscode.ChatResponseStream): string {
  const folder = (chat && vscode.workspace.getWorkspaceFolder(chat)) ?? vscode.workspace.workspaceFolders?.[0];
  const left: string[] = [];
  const found = references.flatMap(({ value }) => {
    const [file, range] = value instanceof vscode.Location ? [value.uri, value.range] : [value];
    if (!(file instanceof vscode.Uri)) {
      return [];
    }
    const inside = folder && vscode.workspace.getWorkspaceFolder(file)?.uri.toString() === folder.uri.toString();
    const mention = inside ? mentionOf(vscode.workspace.asRelativePath(file, false), range) : undefined;
    if (mention === undefined) {
      left.push(vscode.workspace.asRelativePath(file));
    }
    return mention ?? [];
  });
  if (left.length > 0) {
    const words = `Not attached: ${left.join(", ")}. A chat takes files of its own folder, whose names it can write.`;
    stream.markdown(new vscode.MarkdownString().appendText(words).appendMarkdown("\n\n"));
  }
  return found.map((mention) => ` ${mention}`).join("");
}

async function begin(client: LanguageClient, at: vscode.Uri | undefined, text: string): Promise<vscode.TextDocument> {
  const begin: Beginning = { text, ...(at?.scheme === "file" ? { uri: client.code2ProtocolConverter.asUri(at) } : {}) };
  const made = await client.sendRequest<OfFile>(methods.chatMake, begin);
  return vscode.workspace.openTextDocument(vscode.Uri.parse(made.uri ?? ""));
}

// The server writes the message: as the person's words, which cannot look like anything else.
async function goOn(client: LanguageClient, live: Live, chat: vscode.Uri, text: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(chat);
  await known(live, chat);
  const next: NextMessage = { uri: client.code2ProtocolConverter.asUri(chat), text };
  await client.sendRequest(methods.chatContinue, next);
  return document;
}

function stateOf(live: Live, chat: vscode.Uri): ChatState | undefined {
  return live.state.chats.find(({ uri }) => keyOf(uri) === keyOf(chat));
}

// Waits until the server has said how the chat is.
async function known(live: Live, chat: vscode.Uri): Promise<void> {
  for (const since = Date.now(); !stateOf(live, chat) && Date.now() - since < opening; ) {
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

// Sends the chat, and shows what comes into the document and what waits until the run is over.
async function answer(
  client: LanguageClient,
  live: Live,
  document: vscode.TextDocument,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
): Promise<void> {
  await known(live, document.uri);
  const uri = client.code2ProtocolConverter.asUri(document.uri);
  const reader = new ReplyReader(personTurns(document.getText()));
  const run = new RunWatch(stateOf(live, document.uri)?.runs ?? 0);
  const stop = token.onCancellationRequested(() => void vscode.commands.executeCommand(commands.stop.name, { uri }));
  try {
    // not the command, which says itself why it was refused: here the view does
    await client.sendRequest(ExecuteCommandRequest.type, { command: commands.send.name, arguments: [{ uri }] });
    await show(client, live, document, reader, run, stream, token);
  } finally {
    stop.dispose();
  }
}

async function show(
  client: LanguageClient,
  live: Live,
  document: vscode.TextDocument,
  reader: ReplyReader,
  run: RunWatch,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
): Promise<void> {
  const [known, asked] = [new Map<string, number>(), new Set<string>()];
  const give = (still: boolean): boolean => {
    const pieces = reader.read(document.getText(), still);
    for (const piece of pieces) {
      if ("prose" in piece) {
        stream.markdown(piece.prose);
      } else {
        stream.progress(piece.doing);
      }
    }
    return pieces.length > 0;
  };
  stream.progress("Sent");
  let stands = run.look(stateOf(live, document.uri), Date.now());
  while (stands === "runs" && !token.isCancellationRequested) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    const more = give(false);
    for (const question of live.waitingIn(document.uri).filter(({ id }) => !asked.has(id))) {
      // What the model said before it asks comes first: the text may arrive after the question.
      const since = known.get(question.id);
      if (!more && since !== undefined && (complete(question) || Date.now() - since >= patience)) {
        give(true);
        asked.add(question.id);
        await ask(client, stream, question, document.uri);
      }
      known.set(question.id, since ?? Date.now());
    }
    stands = run.look(stateOf(live, document.uri), Date.now());
  }
  give(true);
  const ended = stands === "nothing began" ? "Nothing was sent to a model: look at the chat document." : stateOf(live, document.uri)?.ended;
  if (ended) {
    stream.markdown(new vscode.MarkdownString("\n\n").appendText(ended));
  }
}

// The question with all that it would do, and its answers as buttons.
async function ask(client: LanguageClient, stream: vscode.ChatResponseStream, question: Waiting, chat: vscode.Uri): Promise<void> {
  const preview = await client.sendRequest<Preview | null>(methods.preview, { id: question.id }).catch(() => null);
  stream.markdown(new vscode.MarkdownString("\n").appendText(question.title));
  if (preview) {
    stream.markdown(new vscode.MarkdownString("\n").appendCodeblock(preview.text, "diff"));
  }
  if (question.blocked) {
    stream.markdown(new vscode.MarkdownString().appendText(question.blocked));
  }
  for (const action of question.actions) {
    if (action.command === commands.denyWithReason.name) {
      stream.button({ command: "assent.vscode.denyWithReason", title: action.title, arguments: [question.id] });
    } else if (action.command === commands.answer.name) {
      stream.button({ command: "vscode.open", title: "Answer in the chat document", arguments: [chat] });
    } else {
      stream.button({ command: "assent.vscode.answer", title: action.title, arguments: [question.id, action.title, Date.now()] });
    }
  }
}
