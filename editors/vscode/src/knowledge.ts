// What the editor knows, for the server's tools: problems of other servers, open files, symbols. It answers and changes nothing.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { methods, type Documents, type Edits, type Locations, type OfFile, type Place, type Symbols, type SymbolsWanted, type Diagnostics } from "./generated/protocol";

export const offered = ["diagnostics", "documents", "definition", "references", "symbols", "format"];

export function answerAboutEditor(client: LanguageClient): vscode.Disposable {
  const { asUri, asPosition } = client.protocol2CodeConverter;
  const code = client.code2ProtocolConverter;
  const locations = async (command: string, { uri, position }: Place): Promise<Locations> => {
    type Found = vscode.Location | vscode.LocationLink;
    const found = await vscode.commands.executeCommand<Found[] | undefined>(command, asUri(uri), asPosition(position));
    return {
      locations: (found ?? []).map((at) =>
        "targetUri" in at
          ? { uri: code.asUri(at.targetUri), range: code.asRange(at.targetSelectionRange ?? at.targetRange) }
          : { uri: code.asUri(at.uri), range: code.asRange(at.range) },
      ),
    };
  };
  return vscode.Disposable.from(
    client.onRequest(methods.editorDiagnostics, ({ uri }: OfFile): Diagnostics => diagnostics(client, uri)),
    client.onRequest(methods.editorDocuments, (): Documents => documents(client)),
    client.onRequest(methods.editorDefinition, (at: Place) => locations("vscode.executeDefinitionProvider", at)),
    client.onRequest(methods.editorReferences, (at: Place) => locations("vscode.executeReferenceProvider", at)),
    client.onRequest(methods.editorSymbols, (wanted: SymbolsWanted) => symbols(client, wanted)),
    client.onRequest(methods.editorFormat, ({ uri }: OfFile) => formatted(client, uri)),
  );
}

function diagnostics(client: LanguageClient, uri: string | undefined): Diagnostics {
  const { asUri, asRange, asDiagnosticSeverity } = client.code2ProtocolConverter;
  const wanted = uri === undefined ? undefined : client.protocol2CodeConverter.asUri(uri);
  const all = wanted ? ([[wanted, vscode.languages.getDiagnostics(wanted)]] as const) : vscode.languages.getDiagnostics();
  return {
    diagnostics: all.flatMap(([file, list]) =>
      list.filter((d) => d.source !== "assent").map((d) => {
        const code = typeof d.code === "object" ? d.code.value : d.code;
        return {
          uri: asUri(file),
          range: asRange(d.range),
          severity: asDiagnosticSeverity(d.severity),
          message: d.message,
          ...(d.source === undefined ? {} : { source: d.source }),
          ...(code === undefined ? {} : { code: String(code) }),
        };
      }),
    ),
  };
}

function documents(client: LanguageClient): Documents {
  const visible = new Set(vscode.window.visibleTextEditors.map((editor) => editor.document));
  const active = vscode.window.activeTextEditor?.document;
  return {
    documents: vscode.workspace.textDocuments
      .filter((document) => document.uri.scheme === "file")
      .map((document) => ({
        uri: client.code2ProtocolConverter.asUri(document.uri),
        languageId: document.languageId,
        dirty: document.isDirty,
        visible: visible.has(document),
        active: document === active,
      })),
  };
}

async function symbols(client: LanguageClient, wanted: SymbolsWanted): Promise<Symbols> {
  const { asUri, asRange } = client.code2ProtocolConverter;
  if (wanted.uri === undefined) {
    type Found = vscode.SymbolInformation[] | undefined;
    const found = await vscode.commands.executeCommand<Found>("vscode.executeWorkspaceSymbolProvider", wanted.query ?? "");
    return { symbols: (found ?? []).map((s) => named(s, asUri(s.location.uri), asRange(s.location.range))) };
  }
  const file = client.protocol2CodeConverter.asUri(wanted.uri);
  type Found = (vscode.SymbolInformation | vscode.DocumentSymbol)[] | undefined;
  const found = await vscode.commands.executeCommand<Found>("vscode.executeDocumentSymbolProvider", file);
  const flat = (list: Found, container: string): Symbols["symbols"] =>
    (list ?? []).flatMap((s) =>
      "children" in s // the editor's own objects have a location, too
        ? [named({ name: s.name, kind: s.kind, containerName: container }, asUri(file), asRange(s.range)), ...flat(s.children, s.name)]
        : [named(s, asUri(s.location.uri), asRange(s.location.range))],
    );
  return { symbols: flat(found, "") };
}

function named(
  symbol: { name: string; kind: vscode.SymbolKind; containerName: string },
  uri: string,
  range: Symbols["symbols"][number]["range"],
): Symbols["symbols"][number] {
  const kind = symbol.kind + 1; // LSP counts from 1
  return { name: symbol.name, kind, uri, range, ...(symbol.containerName ? { container: symbol.containerName } : {}) };
}

async function formatted(client: LanguageClient, uri: string | undefined): Promise<Edits> {
  if (uri === undefined) {
    return { edits: [] };
  }
  const file = client.protocol2CodeConverter.asUri(uri);
  const options = vscode.workspace.getConfiguration("editor", file);
  const edits = await vscode.commands.executeCommand<vscode.TextEdit[] | undefined>("vscode.executeFormatDocumentProvider", file, {
    tabSize: options.get<number>("tabSize", 4),
    insertSpaces: options.get<boolean>("insertSpaces", true),
  });
  if (!edits?.length) {
    throw new Error("VS Code has no formatter for it, or it is formatted already"); // the editor does not say which
  }
  return { edits: edits.map((edit) => client.code2ProtocolConverter.asTextEdit(edit)) };
}
