// The installed models for the editor's own chat and for other extensions, without an account. They ask by the server, which sends
// nothing to a model that runs elsewhere unless the user named it. Tools are those of who asks, who runs them.
import * as vscode from "vscode";
import { State, type LanguageClient } from "vscode-languageclient/node";
import { methods, type ModelAnswer, type ModelRequest, type Models, type ModelText } from "./generated/protocol";
import { textOf, wireMessages } from "./modelMessages";

const vendor = "assent";
const usual = 8192; // tokens
const again = 30_000; // milliseconds between two questions for models while there is none

interface Information extends vscode.LanguageModelChatInformation {
  // Without these the chat view does not list a model.
  isUserSelectable: boolean;
  isDefault: boolean;
}

export class NativeModels implements vscode.LanguageModelChatProvider, vscode.Disposable {
  private readonly pieces = new Map<string, (text: string) => void>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly parts: vscode.Disposable;
  private last = 0;
  private found = 0; // models in the last answer
  readonly onDidChangeLanguageModelChatInformation = this.changed.event;

  constructor(private readonly client: LanguageClient) {
    client.onNotification(methods.modelText, ({ id, text }: ModelText) => this.pieces.get(id)?.(text));
    const look = (): void => {
      if (this.found === 0 && client.isRunning() && vscode.window.state.focused) {
        this.changed.fire();
      }
    };
    const timer = setInterval(look, again); // a model may be installed, and the model server started, at any time
    this.parts = vscode.Disposable.from(
      this.changed,
      vscode.lm.registerLanguageModelChatProvider(vendor, this),
      client.onDidChangeState(({ newState }) => void (newState === State.Running && this.warmUp())),
      vscode.window.onDidChangeWindowState(look),
      { dispose: () => clearInterval(timer) },
    );
  }

  dispose(): void {
    this.parts.dispose();
  }

  // The chat view asks for models once: before that answer it says that there is none.
  private async warmUp(): Promise<void> {
    this.changed.fire();
    try {
      await vscode.lm.selectChatModels({ vendor });
    } catch (error) {
      this.client.warn("The editor does not list the models.", error, false);
    }
  }

  async provideLanguageModelChatInformation(): Promise<Information[]> {
    if (!this.client.isRunning()) {
      return [];
    }
    this.found = 0;
    const { models } = await this.client.sendRequest<Models>(methods.models, {});
    this.found = models.length;
    return models.map(({ name, family, size, context, tools, images }, i) => ({
      id: name,
      name,
      family: family || name,
      version: size || "1",
      detail: "on your model server",
      maxInputTokens: context || usual,
      maxOutputTokens: context || usual,
      capabilities: { toolCalling: tools, imageInput: images },
      isUserSelectable: true,
      isDefault: i === 0,
    }));
  }

  async provideLanguageModelChatResponse(
    model: vscode.LanguageModelChatInformation,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const id = String(++this.last);
    const request: ModelRequest = {
      id,
      model: model.id,
      messages: wireMessages(messages),
      tools: (options.tools ?? []).map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema ?? { type: "object" } })),
    };
    let given = "";
    const give = (text: string): void => {
      given += text;
      progress.report(new vscode.LanguageModelTextPart(text));
    };
    this.pieces.set(id, give);
    try {
      const answer = await this.client.sendRequest<ModelAnswer>(methods.modelAsk, request, token);
      if (answer.text.length > given.length) {
        give(answer.text.slice(given.length)); // the answer overtook its last pieces
      }
      answer.calls.forEach((call, i) =>
        progress.report(new vscode.LanguageModelToolCallPart(call.id || `${id}-${i}`, call.name, (call.arguments ?? {}) as object)),
      );
    } finally {
      this.pieces.delete(id);
    }
  }

  // An estimate: the server counts, and refuses what does not fit.
  async provideTokenCount(_model: vscode.LanguageModelChatInformation, text: string | vscode.LanguageModelChatRequestMessage): Promise<number> {
    return Math.ceil((typeof text === "string" ? text : textOf(text)).length / 3);
  }
}
