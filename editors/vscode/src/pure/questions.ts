// What waits for an answer, without the editor: which questions are new, what their buttons are, what may be approved by a key.
import { commands, type Waiting, type WaitingAction } from "../generated/protocol";

// How long a question must have been in sight before a key approves it: a key that was meant for the question before it
// must not answer this one.
export const glance = 700;

export function newQuestions(before: readonly Waiting[], now: readonly Waiting[]): Waiting[] {
  const known = new Set(before.map((question) => question.id));
  return now.filter((question) => !known.has(question.id));
}

export function answer(question: Waiting, command: string): WaitingAction | undefined {
  return question.actions.find((action) => action.command === command);
}

// The answer that approves, once; there is none for what is blocked and for what asks the person something.
export function approval(question: Waiting): WaitingAction | undefined {
  return question.blocked ? undefined : answer(question, commands.approve.name);
}

// Whether it has all its answers: nothing approves a call before that stands in the chat, which may be a moment later.
export function complete(question: Waiting): boolean {
  return Boolean(question.blocked) || approval(question) !== undefined || answer(question, commands.answer.name) !== undefined;
}

// What a notification says.
export function announcement(question: Waiting, chat: string): string {
  const title = question.title.replace(/^Waits for your answer: /, "");
  return withoutLinks(`Assent waits for your answer: ${title} (${chat})`);
}

// Words of a model or of a file for a notification, which would make links of [label](command:...) and run the command at a click.
export function withoutLinks(text: string): string {
  return text.replaceAll("](", "] (");
}

// The buttons of a notification. It approves only what it names in full: of what was shortened the person has not read all.
export function buttons(question: Waiting): string[] {
  const found = ["Show"];
  const approve = approval(question);
  if (approve && ![question.title, question.target ?? "", approve.title].some((text) => text.includes("…"))) {
    found.push(approve.title);
  }
  const deny = answer(question, commands.deny.name);
  return deny ? [...found, deny.title] : found;
}

// Remembers since when each question is in sight.
export class Sight {
  private since = new Map<string, number>();

  update(visible: Iterable<string>, now: number): void {
    this.since = new Map([...visible].map((id) => [id, this.since.get(id) ?? now]));
  }

  // Whether a person had the time to see the question.
  seen(id: string, now: number): boolean {
    const since = this.since.get(id);
    return since !== undefined && now - since >= glance;
  }
}
