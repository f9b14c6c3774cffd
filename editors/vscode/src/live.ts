// What the server says beyond LSP: how the chats are, what waits, which changes wait. Everything that shows it listens here.
import * as vscode from "vscode";
import { State as ClientState, type ClientCapabilities, type FeatureState, type LanguageClient, type StaticFeature } from "vscode-languageclient/node";
import { methods, type Changes, type Client, type State, type Waiting } from "./generated/protocol";
import { offered } from "./knowledge";

const nothing: State = { chats: [], waiting: [] };

// Says in initialize what this extension takes and answers.
class Announcement implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const ours: Client & { follow: boolean } = { state: true, changes: true, messages: true, restart: true, output: true, saves: true, follow: true, editor: offered };
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), assent: ours };
  }
  initialize(): void {}
  getState(): FeatureState {
    return { kind: "static" };
  }
  clear(): void {}
}

export class Live implements vscode.Disposable {
  private readonly stateChanged = new vscode.EventEmitter<State>();
  private readonly changesChanged = new vscode.EventEmitter<string>();
  private readonly byFile = new Map<string, Changes>();
  private current = nothing;
  readonly onState = this.stateChanged.event;
  // The argument is the key of a file.
  readonly onChanges = this.changesChanged.event;

  constructor(client: LanguageClient) {
    client.registerFeature(new Announcement());
    client.onNotification(methods.state, (state: State) => this.setState(state));
    client.onNotification(methods.changes, (changes: Changes) => this.setChanges(changes));
    client.onDidChangeState(({ newState }) => {
      if (newState !== ClientState.Running) {
        this.setState(nothing);
        [...this.byFile.values()].forEach((changes) => this.setChanges({ ...changes, hunks: [] }));
      }
    });
  }

  get state(): State {
    return this.current;
  }

  waiting(id: string): Waiting | undefined {
    return this.current.waiting.find((question) => question.id === id);
  }

  // The questions of one chat.
  waitingIn(uri: vscode.Uri): Waiting[] {
    return this.current.waiting.filter((question) => keyOf(question.uri) === keyOf(uri));
  }

  files(): Changes[] {
    return [...this.byFile.values()];
  }

  changesOf(uri: vscode.Uri): Changes | undefined {
    return this.byFile.get(keyOf(uri));
  }

  dispose(): void {
    this.stateChanged.dispose();
    this.changesChanged.dispose();
  }

  private setState(state: State): void {
    this.current = state;
    this.stateChanged.fire(state);
  }

  private setChanges(changes: Changes): void {
    const key = keyOf(changes.uri);
    if (changes.hunks.length > 0) {
      this.byFile.set(key, changes);
    } else if (!this.byFile.delete(key)) {
      return;
    }
    this.changesChanged.fire(key);
  }
}

// Servers and editors write the same URI in different ways.
export function keyOf(uri: vscode.Uri | string): string {
  return (typeof uri === "string" ? vscode.Uri.parse(uri) : uri).toString();
}

export function isChat(document: vscode.TextDocument | undefined): boolean {
  return document?.uri.scheme === "file" && document.fileName.endsWith(".chat.md");
}
