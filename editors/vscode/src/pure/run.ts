// Whether the run goes on that a message began, without the editor.
import type { ChatState } from "../generated/protocol";

const unsure = 600; // milliseconds: what the server said may be older than the run
const none = 3000; // by then a run would have begun

export class RunWatch {
  private begun = false;
  private busy = false;
  private idleSince: number | undefined;

  // The number of runs in the chat before the message was sent.
  constructor(private readonly before: number) {}

  // How it stands, by what the server said last of the chat. A short run may begin and end between two words of the server.
  look(chat: Pick<ChatState, "state" | "runs"> | undefined, now: number): "runs" | "over" | "nothing began" {
    const idle = chat === undefined || chat.state === "idle";
    this.busy ||= !idle;
    this.begun ||= this.busy || (chat?.runs ?? 0) > this.before;
    if (!idle) {
      this.idleSince = undefined;
      return "runs";
    }
    this.idleSince ??= now;
    if (!this.busy && now - this.idleSince < (this.begun ? unsure : none)) {
      return "runs";
    }
    return this.begun ? "over" : "nothing began";
  }
}
