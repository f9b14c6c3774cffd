// The language client: which program is started, for which documents, with which additions of ours.
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { ExecuteCommandRequest, LanguageClient, type DynamicFeature, type Executable, type LanguageClientOptions, type StaticFeature } from "vscode-languageclient/node";
import { withoutKinds } from "./folding";
import { chooseProgram, isAssent } from "./pure/program";
import { saveUnchanged } from "./saving";
import { showWhereVisible } from "./showing";

export function createClient(extensionPath: string): Client {
  const client: Client = new Client(extensionPath, {
    // Every file: an approved edit goes through the editor only for documents that the server has seen opened.
    documentSelector: [{ scheme: "file" }],
    synchronize: { configurationSection: "assent" },
    middleware: {
      provideFoldingRanges: withoutKinds,
      workspace: { handleApplyEdit: saveUnchanged },
      window: { showDocument: showWhereVisible(() => client) },
    },
  });
  return client;
}

export class Client extends LanguageClient {
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

  // The commands are registered by the extension, also while no server runs: see commands.ts.
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if (!("registrationType" in feature) || feature.registrationType.method !== ExecuteCommandRequest.method) {
      super.registerFeature(feature);
    }
  }

  // Finds the program and starts it. A client whose program could not be run never starts again, so the program is tried first. This is
  // not start, which the client itself calls before each message.
  async begin(): Promise<void> {
    const command = program(this.extensionPath);
    const asked = promisify(execFile)(command, ["version"], { cwd: os.homedir(), timeout: 10_000 });
    asked.child.stdin?.end(); // a script around the program may read all of its input first
    const answer = await asked.catch((error: Error) => error);
    if (answer instanceof Error || !isAssent(answer.stdout)) {
      throw new Error(`${command} is not the program assent, or cannot run on this machine: choose another file`);
    }
    this.executable.command = command;
    try {
      await this.start();
    } catch (error) {
      throw new Error(`${command} did not start as a server: ${error instanceof Error ? error.message : String(error)}`);
    }
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
