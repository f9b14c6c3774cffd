// Messages of the editor and of other extensions for a model, as the server takes them. What they hold is passed on or refused.
import * as vscode from "vscode";
import type { ModelCall, ModelMessage } from "./generated/protocol";

type Message = vscode.LanguageModelChatRequestMessage;

// Parts that newer editors have than the one whose types these are.
interface Data {
  readonly mimeType: string;
  readonly data: Uint8Array;
}

// A message of the editor may hold calls, and results of several calls: on the wire each result is a message.
export function wireMessages(messages: readonly Message[]): ModelMessage[] {
  const names = new Map<string, string>();
  return messages.flatMap((message) => {
    const out: ModelMessage[] = [];
    const calls: ModelCall[] = [];
    const said: unknown[] = [];
    for (const part of message.content) {
      if (part instanceof vscode.LanguageModelToolCallPart) {
        names.set(part.callId, part.name);
        calls.push({ id: part.callId, name: part.name, arguments: part.input });
      } else if (part instanceof vscode.LanguageModelToolResultPart) {
        out.push({ callId: part.callId, tool: names.get(part.callId) ?? "", ...content(part.content) });
      } else {
        said.push(part);
      }
    }
    const spoken = content(said);
    if (spoken.text !== "" || spoken.images || calls.length > 0) {
      const assistant = message.role === vscode.LanguageModelChatMessageRole.Assistant;
      out.push({ assistant, ...spoken, ...(calls.length > 0 ? { calls } : {}) });
    }
    return out;
  });
}

export function textOf(message: Message): string {
  return message.content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
}

// Text and images of parts; an error names what is neither.
function content(parts: readonly unknown[]): Pick<ModelMessage, "text" | "images"> {
  let text = "";
  const images: string[] = [];
  for (const part of parts) {
    if (part instanceof vscode.LanguageModelTextPart) {
      text += part.value;
    } else if (isData(part) && /^image\/(?:png|jpe?g)$/.test(part.mimeType)) {
      images.push(Buffer.from(part.data).toString("base64"));
    } else if (isData(part) && /^text\/|[/+]json$/.test(part.mimeType)) {
      text += new TextDecoder().decode(part.data);
    } else if (!forOthers(part)) {
      const what = isData(part) ? part.mimeType : "a part of another kind";
      throw new Error(`A message holds ${what}, which Assent does not pass on to a model: send text, PNG or JPEG.`);
    }
  }
  return { text, ...(images.length > 0 ? { images } : {}) };
}

function isData(part: unknown): part is Data {
  const { mimeType, data } = (part ?? {}) as Partial<Data>;
  return typeof mimeType === "string" && data instanceof Uint8Array;
}

// Notes to the servers of other models, whose type is a word and no media type, such as cache_control and stateful_marker, and what a model
// thought before: models here get neither.
function forOthers(part: unknown): boolean {
  const thinking = (vscode as { LanguageModelThinkingPart?: new () => object }).LanguageModelThinkingPart;
  return (isData(part) && !part.mimeType.includes("/")) || (thinking !== undefined && part instanceof thinking);
}
