// The words of the status bar, without the editor.
import type { ChatState, State } from "../generated/protocol";

// The chat that the status bar tells of: the active one, else one that does something, else the first.
export function chatToShow(state: State, active: string | undefined): ChatState | undefined {
  return (
    state.chats.find((chat) => chat.uri === active) ??
    state.chats.find((chat) => chat.state !== "idle") ??
    state.chats[0]
  );
}

// Something goes on that a person wants to see from anywhere.
export function busy(state: State): boolean {
  return state.waiting.length > 0 || state.chats.some((chat) => chat.state !== "idle");
}

export function statusText(state: State, chat: ChatState | undefined): string {
  if (state.waiting.length > 0) {
    return `$(bell-dot) Assent: ${state.waiting.length === 1 ? "1 waits" : `${state.waiting.length} wait`}`;
  }
  if (!chat) {
    return "$(comment-discussion) Assent";
  }
  const icon = chat.state === "idle" ? "$(comment-discussion)" : "$(loading~spin)";
  const share = chat.size > 0 && chat.used > 0 ? ` ${Math.round((100 * chat.used) / chat.size)}%` : "";
  return `${icon} ${plain(chat.model || "Assent")}${share}`;
}

// The rows of the tooltip: a name and a value.
export function details(state: State, chat: ChatState | undefined): [string, string][] {
  const rows: [string, string][] = [];
  if (chat) {
    rows.push(["Chat", chat.title], ["Model", chat.model || "chosen when you send"]);
    rows.push(["State", chat.stage ? `${chat.state}: ${chat.stage}` : chat.state]);
    if (chat.size > 0) {
      rows.push(["Context", `${thousands(chat.used)} of ${thousands(chat.size)} tokens`]);
    }
    rows.push(["Sandbox", chat.sandbox || "not tried yet"]);
    if (chat.background) {
      rows.push(["Background", chat.background === 1 ? "1 command runs" : `${chat.background} commands run`]);
    }
  }
  for (const question of state.waiting) {
    rows.push(["Waits", question.title.replace(/^Waits for your answer: /, "")]);
  }
  return rows;
}

function thousands(n: number): string {
  return n.toLocaleString("en-US");
}

// Names of models may have what the status bar takes for an icon.
function plain(text: string): string {
  return text.replace(/\$\(/g, "$ (");
}
