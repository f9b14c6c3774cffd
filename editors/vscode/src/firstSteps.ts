// The walkthrough, and which of its steps are done. VS Code completes a step when a context key becomes true, and may know the steps only
// once the walkthrough was opened: then all keys become true again.
import * as vscode from "vscode";

const walkthrough = "assent-ls.assent#assent.firstSteps";
const known = 1000; // milliseconds after which the editor knows the steps of a walkthrough that it shows

export class FirstSteps {
  private readonly done = new Set<string>();

  // Something was done: a command of the server by its name, or assent.start: the server runs.
  did(name: string): void {
    if (!this.done.has(name)) {
      this.done.add(name);
      setDone(name, true);
    }
  }

  // Opens the walkthrough, at a step.
  async open(step?: string): Promise<void> {
    this.done.forEach((name) => setDone(name, false));
    const at = step ? { category: walkthrough, step: `${walkthrough}#${step}` } : walkthrough;
    await vscode.commands.executeCommand("workbench.action.openWalkthrough", at, false);
    setTimeout(() => this.done.forEach((name) => setDone(name, true)), known);
  }
}

// The key of assent.NAME is assent.did.NAME.
function setDone(name: string, done: boolean): void {
  void vscode.commands.executeCommand("setContext", name.replace(/^assent\./, "assent.did."), done);
}
