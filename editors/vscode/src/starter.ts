// Starts the server when it is needed, and again when its program changes. Where it cannot start, it says why and what to do.
import * as os from "node:os";
import * as vscode from "vscode";
import type { Client } from "./client";
import type { FirstSteps } from "./firstSteps";
import { methods, type RestartWanted } from "./generated/protocol";
import { withoutLinks } from "./pure/questions";

const choose = "Choose the program…";
const get = "How to get it";

export class Starter implements vscode.Disposable {
  private turn: Promise<unknown> = Promise.resolve(); // one start or stop at a time
  private readonly settings: vscode.Disposable;

  constructor(
    private readonly client: Client,
    private readonly steps: FirstSteps,
  ) {
    client.onNotification(methods.restart, ({ sentence }: RestartWanted) => void this.offerRestart(sentence));
    this.settings = vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("assent.path")) {
        void this.restart();
      }
    });
  }

  dispose(): void {
    this.settings.dispose();
  }

  // Whether the server runs. It is started if it does not, with a program that may have been installed since; the person is told why it
  // cannot start.
  ready(): Promise<boolean> {
    return this.inTurn(async () => this.client.isRunning() || this.start());
  }

  // Starts it, and says that it runs.
  async startAloud(): Promise<void> {
    if (await this.ready()) {
      const info = this.client.initializeResult?.serverInfo;
      void vscode.window.showInformationMessage(`Assent runs${info?.version ? `: version ${info.version}` : ""}.`);
    }
  }

  // Lets the person choose the file of the program, for all folders.
  async choose(): Promise<void> {
    const [file] = (await vscode.window.showOpenDialog({ title: "Choose the program assent", openLabel: "Choose", defaultUri: vscode.Uri.file(os.homedir()) })) ?? [];
    if (file) {
      await vscode.workspace.getConfiguration("assent").update("path", file.fsPath, vscode.ConfigurationTarget.Global);
      await this.startAloud();
    }
  }

  // A setting changed that the server reads only when it starts.
  private async offerRestart(sentence: string): Promise<void> {
    const restart = "Restart Assent";
    if ((await vscode.window.showInformationMessage(withoutLinks(sentence), restart)) === restart) {
      await this.restart();
    }
  }

  private restart(): Promise<boolean> {
    return this.inTurn(async () => {
      if (this.client.isRunning()) {
        await this.client.stop().catch((error: unknown) => this.client.warn("The program did not stop.", error, false)); // it is stopped all the same
      }
      return this.start();
    });
  }

  private async start(): Promise<boolean> {
    try {
      await this.client.begin();
      this.steps.did("assent.start");
      return true;
    } catch (error) {
      void this.explain(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  private inTurn(action: () => Promise<boolean>): Promise<boolean> {
    const mine = this.turn.then(action);
    this.turn = mine;
    return mine;
  }

  private async explain(reason: string): Promise<void> {
    const chosen = await vscode.window.showErrorMessage(`Assent cannot start because ${withoutLinks(reason)}.`, choose, get);
    if (chosen === choose) {
      await vscode.commands.executeCommand("assent.vscode.chooseProgram");
    } else if (chosen === get) {
      await this.steps.open("program");
    }
  }
}
