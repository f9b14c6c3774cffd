// The extension's own commands, which package.json lists beside those of the server.

// Those that help where the program is missing.
export const withoutServer = ["assent.vscode.start", "assent.vscode.chooseProgram", "assent.vscode.settings", "assent.vscode.firstSteps"] as const;

// Those that show or answer what the server knows.
export const withServer = [
  "assent.vscode.preview",
  "assent.vscode.approve",
  "assent.vscode.deny",
  "assent.vscode.denyWithReason",
  "assent.vscode.showWaiting",
  "assent.vscode.nextChange",
  "assent.vscode.previousChange",
  "assent.vscode.compare",
  "assent.vscode.goToChange",
  "assent.vscode.answer",
  "assent.vscode.menu",
] as const;

export type Handler = (...args: any[]) => unknown;
export type Handlers<Names extends readonly string[]> = Readonly<Record<Names[number], Handler>>;
