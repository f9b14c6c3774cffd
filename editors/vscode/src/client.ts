// The language client: which program is started, for which documents, with which additions of ours.
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient, type Executable, type LanguageClientOptions } from "vscode-languageclient/node";
import { executeCommand } from "./commands";
import type { Previews } from "./preview";
import { chooseProgram } from "./pure/program";
import { withoutLinks } from "./pure/questions";
import { saveUnchanged } from "./saving";
import { showWhereVisible } from "./showing";

export function createClient(extensionPath: string, previews: Previews): LanguageClient {
  const client: LanguageClient = new Client(extensionPath, {
    // Every file: an approved edit goes through the editor only for documents that the server has seen opened.
    documentSelector: [{ scheme: "file" }],
    synchronize: { configurationSection: "assent" },
    middleware: {
      executeCommand: executeCommand(() => client, previews),
      workspace: { handleApplyEdit: saveUnchanged },
      window: { showDocument: showWhereVisible(() => client) },
    },
  });
  return client;
}

class Client extends LanguageClient {
  private readonly executable: Executable;

  constructor(
    private readonly extensionPath: string,
    options: LanguageClientOptions,
  ) {
    // Not in the folder of a workspace: Windows looks for programs there first.
    const executable: Executable = { command: "", args: ["serve"], options: { cwd: os.homedir() } };
    super("assent", "Assent", executable, options);
    this.executable = executable;
  }

  override async start(): Promise<void> {
    this.executable.command = program(this.extensionPath);
    await super.start();
  }
}

function program(extensionPath: string): string {
  const windows = process.platform === "win32";
  const bundled = path.join(extensionPath, "bin", windows ? "assent.exe" : "assent");
  const setting = vscode.workspace.getConfiguration("assent").get<string>("path");
  return chooseProgram(setting, bundled, { windows, path: process.env["PATH"] ?? "", runs });
}

function runs(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

// Starts the client; a program that is missing becomes one sentence with a way to the setting.
export async function startClient(client: LanguageClient): Promise<void> {
  try {
    await client.start();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const open = "Open settings";
    const help = "First steps";
    const choice = await vscode.window.showErrorMessage(
      `Assent did not start: ${withoutLinks(reason)}. Install the program assent or set assent.path.`,
      open,
      help,
    );
    if (choice) {
      await vscode.commands.executeCommand(choice === open ? "assent.vscode.settings" : "assent.vscode.firstSteps");
    }
  }
}
