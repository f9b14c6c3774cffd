// Commands that answer what waits, and the notification that tells of it. Every answer carries the opaque id of the question
// that the person saw; nothing is approved by default.
import * as vscode from "vscode";
import { commands, type Waiting, type WaitingAction } from "./generated/protocol";
import { keyOf, type Live } from "./live";
import { previewedQuestion, type Previews } from "./preview";
import { showLine } from "./showing";
import { announcement, answer, approval, buttons, glance, newQuestions, Sight, withoutLinks } from "./pure/questions";

export class Answers implements vscode.Disposable {
  private readonly sight = new Sight();
  private readonly open = new Set<string>(); // questions whose notification is there
  private known: Waiting[] = [];
  private readonly parts: vscode.Disposable;
  readonly commands = {
    "assent.vscode.approve": () => this.approve(),
    "assent.vscode.preview": () => this.preview(),
    "assent.vscode.deny": () => this.deny(),
    "assent.vscode.denyWithReason": (id?: unknown) => this.denyWithReason(id),
    "assent.vscode.showWaiting": () => this.showWaiting(),
    "assent.vscode.answer": (id: string, title: string, since: number) => this.answer(id, title, since),
  };

  constructor(
    private readonly live: Live,
    private readonly previews: Previews,
  ) {
    const look = (): void => this.sight.update(this.visible(), Date.now());
    this.parts = vscode.Disposable.from(
      live.onState(() => {
        look();
        this.announce();
      }),
      vscode.window.onDidChangeVisibleTextEditors(look),
      vscode.window.onDidChangeTextEditorVisibleRanges(look),
    );
  }

  dispose(): void {
    this.parts.dispose();
  }

  // Approves what the person sees. What is not in sight is shown first, and so is what came into sight only now.
  private async approve(): Promise<void> {
    const question = await this.choose(approval);
    if (!question) {
      return;
    }
    const action = approval(question);
    if (!action) {
      await show(question);
      void vscode.window.showWarningMessage(withoutLinks(question.blocked ?? "") || "This asks you something: write the answer below it in the chat.");
    } else if (this.sight.seen(question.id, Date.now())) {
      await run(action);
    } else {
      await show(question);
      vscode.window.setStatusBarMessage("Look at the call first, then approve it.", 4000);
    }
  }

  private async preview(): Promise<void> {
    const question = await this.choose((found) => answer(found, commands.showPreview.name));
    const action = question && answer(question, commands.showPreview.name);
    if (action) {
      await run(action);
    } else if (question) {
      await show(question);
    }
  }

  private async deny(): Promise<void> {
    const question = await this.choose((found) => answer(found, commands.deny.name));
    const action = question && answer(question, commands.deny.name);
    if (action) {
      await run(action);
    }
  }

  private async denyWithReason(id: unknown): Promise<void> {
    const question = typeof id === "string" ? this.waiting(id) : await this.choose((found) => answer(found, commands.deny.name));
    if (!question) {
      return;
    }
    const prompt = question.title.replace(/^Waits for your answer: /, "Deny: ");
    const reason = await vscode.window.showInputBox({ title: prompt, placeHolder: "Why? The model reads it.", ignoreFocusOut: true });
    if (reason === undefined) {
      return;
    }
    if (this.live.waiting(question.id)) {
      await vscode.commands.executeCommand(commands.deny.name, { id: question.id, text: reason });
    } else {
      const copy = "Copy the reason";
      const chosen = await vscode.window.showWarningMessage("This was answered already: your reason was not sent.", copy);
      await (chosen === copy ? vscode.env.clipboard.writeText(reason) : undefined);
    }
  }

  private async showWaiting(): Promise<void> {
    const [first, ...others] = this.live.state.waiting;
    if (!first) {
      vscode.window.setStatusBarMessage("Nothing waits for your answer.", 4000);
      return;
    }
    const rows = [first, ...others].map((question) => ({ label: question.title, description: chatName(question), question }));
    const chosen = others.length === 0 ? rows[0] : await vscode.window.showQuickPick(rows, { placeHolder: "Which one?" });
    if (chosen) {
      await show(chosen.question);
    }
  }

  // The question of the preview in front, or of the chat in front, or the only one. Of several, the person says which; the row
  // that stands first answers nothing.
  private async choose(action: (question: Waiting) => WaitingAction | undefined): Promise<Waiting | undefined> {
    const previewed = previewedQuestion();
    if (previewed !== undefined) {
      return this.waiting(previewed);
    }
    const uri = vscode.window.activeTextEditor?.document.uri;
    const here = uri ? this.live.waitingIn(uri) : [];
    const among = here.length > 0 ? here : this.live.state.waiting;
    if (among.length <= 1) {
      return among[0];
    }
    const rows: (vscode.QuickPickItem & { question?: Waiting })[] = among.flatMap((question) => {
      const found = action(question);
      return found ? [{ label: found.title, description: chatName(question), detail: question.title, question }] : [];
    });
    const chosen = await vscode.window.showQuickPick([{ label: "Show what waits" }, ...rows], { placeHolder: `${among.length} wait` });
    if (chosen && !chosen.question) {
      await this.showWaiting();
    }
    return chosen?.question;
  }

  private announce(): void {
    const now = this.live.state.waiting;
    const found = newQuestions(this.known, now);
    const answered = newQuestions(now, this.known).map(({ id }) => id);
    this.previews.close(new Set(answered));
    if (answered.some((id) => this.open.delete(id))) {
      // A notification cannot be taken back, but what was answered elsewhere must not look as if it waits.
      void vscode.commands.executeCommand("notifications.hideToasts");
    }
    this.known = now;
    if (!vscode.workspace.getConfiguration("assent").get<boolean>("notify", true)) {
      return;
    }
    const visible = new Set(this.visible());
    for (const question of found) {
      if (!visible.has(question.id)) {
        void this.notify(question);
      }
    }
  }

  private async notify(question: Waiting): Promise<void> {
    const since = Date.now();
    this.open.add(question.id);
    const chosen = await vscode.window.showInformationMessage(announcement(question, chatName(question)), ...buttons(question));
    this.open.delete(question.id);
    if (chosen !== undefined) {
      await this.answer(question.id, chosen, since);
    }
  }

  // Answers by a button, which is there since some time: a second click that was meant for what stood in its place before answers nothing.
  private async answer(id: string, title: string, since: number): Promise<void> {
    const question = this.waiting(id);
    if (question) {
      const action = question.actions.find((each) => each.title === title);
      await (action && Date.now() - since >= glance ? run(action) : show(question));
    }
  }

  // A question that still waits; of another it says so.
  private waiting(id: string): Waiting | undefined {
    const question = this.live.waiting(id);
    if (!question) {
      vscode.window.setStatusBarMessage("This was answered already.", 4000);
    }
    return question;
  }

  // The questions whose first line is on the screen, or whose preview is.
  private visible(): string[] {
    const previewed = previewedQuestion();
    const seen = this.live.state.waiting.filter((question) =>
      vscode.window.visibleTextEditors.some(
        (editor) =>
          keyOf(editor.document.uri) === keyOf(question.uri) &&
          editor.visibleRanges.some(({ start, end }) => start.line <= question.range.start.line && question.range.start.line <= end.line),
      ),
    );
    return [...seen.map((question) => question.id), ...(previewed === undefined ? [] : [previewed])];
  }
}

function chatName(question: Waiting): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(question.uri));
}

export async function run(action: WaitingAction): Promise<void> {
  await vscode.commands.executeCommand(action.command, ...action.arguments);
}

function show(question: Waiting): Promise<void> {
  return showLine(vscode.Uri.parse(question.uri), question.range.start.line);
}
