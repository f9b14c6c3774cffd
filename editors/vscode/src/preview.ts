// What a pending edit would do, as the editor's own diff. What has no files is shown by the server, as text.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { methods, type FilePreview, type Preview } from "./generated/protocol";

const scheme = "assent-preview";

export class Previews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly parts: vscode.Disposable;

  constructor(private readonly client: () => LanguageClient) {
    this.parts = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument((document) => this.texts.delete(document.uri.toString())),
    );
  }

  dispose(): void {
    this.parts.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  // Whether it showed something.
  async show(id: string): Promise<boolean> {
    const preview = await this.client().sendRequest<Preview | null>(methods.preview, { id });
    const [first, ...more] = preview?.files ?? [];
    if (!preview || !first) {
      return false;
    }
    const other = vscode.window.tabGroups.all.find((group) => !group.isActive); // beside the chat, without one group more
    const options: vscode.TextDocumentShowOptions = { preview: true, viewColumn: other?.viewColumn ?? vscode.ViewColumn.Beside };
    if (more.length === 0) {
      const [before, after] = this.sides(id, first);
      await vscode.commands.executeCommand("vscode.diff", before, after, preview.title, options);
      return true;
    }
    const resources = [first, ...more].map((file) => [vscode.Uri.parse(file.uri), ...this.sides(id, file)]);
    await vscode.commands.executeCommand("vscode.changes", preview.title, resources);
    return true;
  }

  // Closes the previews of questions that were answered.
  close(ids: ReadonlySet<string>): void {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const stale = tabs.filter((tab) => ids.has(questionOf(tab) ?? ""));
    if (stale.length > 0) {
      void vscode.window.tabGroups.close(stale, true);
    }
  }

  // Shows two texts of a file as a diff.
  async compare(path: string, before: string, now: vscode.Uri, title: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme, path: absolute(path), query: `side=before&at=${Date.now()}` });
    this.texts.set(uri.toString(), before);
    await vscode.commands.executeCommand("vscode.diff", uri, now, title);
  }

  private sides(id: string, file: FilePreview): [vscode.Uri, vscode.Uri] {
    const side = (name: "before" | "after"): vscode.Uri => {
      const uri = vscode.Uri.from({ scheme, path: absolute(file.path), query: `id=${encodeURIComponent(id)}&side=${name}` });
      this.texts.set(uri.toString(), file[name]);
      return uri;
    };
    return [side("before"), side("after")];
  }
}

// The question whose preview is in front.
export function previewedQuestion(): string | undefined {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab && questionOf(tab);
}

function questionOf({ input }: vscode.Tab): string | undefined {
  // Of several files a tab has several diffs, which the published API does not name.
  const several = (input as { textDiffs?: readonly { modified?: vscode.Uri }[] } | undefined)?.textDiffs;
  const modified = input instanceof vscode.TabInputTextDiff ? input.modified : several?.[0]?.modified;
  return modified?.scheme === scheme ? (new URLSearchParams(modified.query).get("id") ?? undefined) : undefined;
}

function absolute(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}
