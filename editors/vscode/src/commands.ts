// All commands of the extension: the server's, which are passed on to it, and its own. They are there from the start, so that each of
// them can explain what is missing where the server does not run.
import * as vscode from "vscode";
import { ExecuteCommandRequest, LSPErrorCodes, ResponseError, type LanguageClient } from "vscode-languageclient/node";
import { searchChats } from "./chatSearch";
import type { FirstSteps } from "./firstSteps";
import { commands } from "./generated/protocol";
import type { Previews } from "./preview";
import { type Handler, type Handlers, type withoutServer, type withServer } from "./pure/ownCommands";
import type { Starter } from "./starter";

export class Commands implements vscode.Disposable {
  private readonly registered = new Map<string, vscode.Disposable>();
  private readonly executed = new vscode.EventEmitter<string>();
  readonly onDidExecute = this.executed.event; // the name of a command that the server did

  constructor(
    private readonly client: LanguageClient,
    private readonly starter: Starter,
    private readonly previews: Previews,
    private readonly steps: FirstSteps,
    helping: Handlers<typeof withoutServer>,
    own: Handlers<typeof withServer>,
  ) {
    Object.entries(helping).forEach(([name, handler]) => this.register(name, handler));
    Object.entries(own).forEach(([name, handler]) => this.registerServed(name, handler));
    this.pass(Object.values(commands).map(({ name }) => name));
    // A newer server may have more of them.
    client.onDidChangeState(() => this.pass(client.initializeResult?.capabilities.executeCommandProvider?.commands ?? []));
  }

  dispose(): void {
    this.registered.forEach((each) => each.dispose());
  }

  private pass(names: readonly string[]): void {
    for (const name of names.filter((each) => !this.registered.has(each))) {
      this.registerServed(name, (...args: unknown[]) => this.execute(name, args));
    }
  }

  private registerServed(name: string, handler: Handler): void {
    this.register(name, async (...args: unknown[]) => ((await this.starter.ready()) ? handler(...args) : undefined));
  }

  private register(name: string, handler: Handler): void {
    this.registered.set(name, vscode.commands.registerCommand(name, handler));
  }

  // The server takes one argument or none: a document and a place, or what it put into a menu itself.
  private async execute(name: string, args: unknown[]): Promise<unknown> {
    const [argument] = serverArguments(this.client, args);
    const id = (argument as { id?: unknown } | undefined)?.id;
    if (name === commands.showPreview.name && typeof id === "string" && (await this.previews.show(id))) {
      return null;
    }
    if (name === commands.searchChats.name) {
      const { uri, file } = (argument ?? {}) as { uri?: string; file?: boolean };
      searchChats(this.client, file === true && uri !== undefined ? { uri } : {});
      return null;
    }
    const params = { command: name, arguments: argument === undefined ? [] : [argument] };
    try {
      const result = await this.client.sendRequest(ExecuteCommandRequest.type, params);
      this.steps.did(name);
      this.executed.fire(name);
      return result;
    } catch (error) {
      if (error instanceof ResponseError && error.code === LSPErrorCodes.RequestFailed) {
        void vscode.window.showErrorMessage(`Assent: ${error.message}`);
        return null; // of an error the editor would say that there was one, in a dialog
      }
      return this.client.handleFailedRequest(ExecuteCommandRequest.type, undefined, error, null);
    }
  }
}

// From the palette a command comes without arguments, from the bar above an editor with its URI: both mean the place of
// the cursor. A code action and a row of a list bring their own.
function serverArguments(client: LanguageClient, args: unknown[]): unknown[] {
  const [given] = args;
  if (given !== undefined && !(given instanceof vscode.Uri)) {
    return [given];
  }
  const { asUri, asPosition } = client.code2ProtocolConverter;
  const active = vscode.window.activeTextEditor;
  const uri = given ?? active?.document.uri;
  const editor = vscode.window.visibleTextEditors.find((each) => each.document.uri.toString() === uri?.toString()) ?? active;
  if (uri?.scheme !== "file" || editor?.document.uri.toString() !== uri.toString()) {
    return uri?.scheme === "file" ? [{ uri: asUri(uri) }] : [];
  }
  return [{ uri: asUri(uri), position: asPosition(editor.selection.active) }];
}
