import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { commands } from "../src/generated/protocol";
import { withoutServer, withServer } from "../src/pure/ownCommands";

interface Entry {
  command: string;
  when?: string;
}
interface Setting {
  scope: string;
  order: number;
  markdownDescription: string;
  enum?: string[];
  markdownEnumDescriptions?: string[];
}
interface Manifest {
  name: string;
  publisher: string;
  version: string;
  license: string;
  icon: string;
  private?: boolean;
  repository: { url: string; directory: string };
  categories: string[];
  keywords: string[];
  scripts: Record<string, string>;
  dependencies?: Record<string, string>;
  capabilities: { untrustedWorkspaces: { supported: string; restrictedConfigurations: string[] } };
  contributes: {
    commands: Entry[];
    grammars: { scopeName: string; path: string }[];
    keybindings: Entry[];
    menus: Record<string, Entry[]>;
    configuration: { title: string; order: number; properties: Record<string, Setting> }[];
    walkthroughs: { steps: { id: string; description: string; media: { markdown: string }; completionEvents?: string[] }[] }[];
  };
}

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const { capabilities, contributes } = manifest;
const settings = contributes.configuration.flatMap(({ properties }) => Object.entries(properties));

test("what menus and keys name exists, and the extension has all that it lists", () => {
  const listed = new Set(contributes.commands.map(({ command }) => command));
  const own = [...listed].filter((name) => name.startsWith("assent.vscode."));
  assert.deepEqual(own.sort(), [...withoutServer, ...withServer].sort());
  const server = new Set<string>(Object.values(commands).map(({ name }) => name));
  assert.deepEqual([...listed].filter((name) => !name.startsWith("assent.vscode.") && !server.has(name)), []);
  for (const { command } of [...contributes.keybindings, ...Object.values(contributes.menus).flat()]) {
    assert.ok(listed.has(command), `${command} is not in contributes.commands`);
    assert.ok(command.startsWith("assent.vscode.") || server.has(command), `${command} is no command of the server`);
  }
  const steps = contributes.walkthroughs.flatMap((walk) => walk.steps);
  for (const [, name] of steps.flatMap(({ description }) => [...description.matchAll(/\(command:([\w.]+)/g)])) {
    assert.ok(listed.has(name ?? "") || name?.startsWith("workbench."), `${name} of the walkthrough is no command`);
  }
  const keys = new Set(["assent.did.start", ...[...server].map((name) => name.replace(/^assent\./, "assent.did."))]);
  for (const event of steps.flatMap(({ completionEvents }) => completionEvents ?? [])) {
    assert.ok(keys.has(event.replace(/^onContext:/, "")), `${event} of the walkthrough never happens`);
  }
  steps.forEach(({ media }) => assert.ok(readFileSync(media.markdown, "utf8").startsWith("# ")));
});

test("the walkthrough installs the program as the README does", () => {
  const steps = ["\ntar -xzf assent_*.tar.gz\nsudo install assent_*/assent /usr/local/bin\n", "`go install ./cmd/assent`"];
  for (const page of ["../../README.md", "walkthrough/program.md"]) {
    const text = readFileSync(page, "utf8").replaceAll("\n    ", "\n");
    for (const step of steps) {
      assert.ok(text.includes(step), `${page} lacks ${step}`);
    }
  }
});

test("keys and buttons that answer a question are there only while one waits", () => {
  const answers = /^assent\.vscode\.(approve|deny|denyWithReason|preview)$/;
  for (const { command, when } of [...contributes.keybindings, ...Object.values(contributes.menus).flat()]) {
    assert.ok(!answers.test(command) || /^assent\.(oneWaits|waitsHere|waits)\b/.test(when ?? ""), `${command}: ${when}`);
  }
  for (const { command, when } of contributes.keybindings.filter(({ command }) => answers.test(command))) {
    assert.equal(when, "assent.oneWaits", command);
  }
});

test("no workspace names the program that is started", () => {
  assert.equal(settings.find(([name]) => name === "assent.path")?.[1].scope, "machine");
});

test("one that is not trusted sets nothing at all", () => {
  const restricted = new Set(["assent.path", ...capabilities.untrustedWorkspaces.restrictedConfigurations]);
  for (const [name, { scope }] of settings) {
    assert.ok(scope === "machine" || restricted.has(name), name);
  }
});

test("a workspace sets only what grants nothing", () => {
  const open = settings.filter(([, { scope }]) => scope !== "machine" && scope !== "application");
  assert.deepEqual(
    open.map(([name]) => name.replace("assent.", "")).sort(),
    ["longestReply", "minP", "model", "preset", "repeatPenalty", "seed", "temperature", "think", "topK", "topP"],
  );
});

test("the marketplace gets a name, a licence, an icon and a repository", () => {
  assert.equal(`${manifest.publisher}.${manifest.name}`, "assent-ls.assent");
  assert.equal(manifest.private, undefined);
  assert.equal(manifest.license, "Apache-2.0");
  assert.equal(readFileSync("LICENSE", "utf8"), readFileSync("../../LICENSE", "utf8"));
  assert.equal(manifest.repository.url, "https://github.com/assent-ls/assent.git");
  assert.ok(existsSync(`../../${manifest.repository.directory}/package.json`));
  const known = new Set(["AI", "Chat", "Machine Learning", "Programming Languages", "Other"]);
  assert.ok(manifest.categories.length > 0 && manifest.categories.every((name) => known.has(name)), String(manifest.categories));
  assert.ok(manifest.keywords.length > 0 && manifest.keywords.length <= 30 && new Set(manifest.keywords).size === manifest.keywords.length);
  const icon = readFileSync(manifest.icon); // a PNG begins with 8 bytes, then its header: a length, "IHDR", width and height
  assert.equal(icon.toString("latin1", 1, 4) + icon.toString("latin1", 12, 16), "PNGIHDR");
  assert.ok(icon.readUInt32BE(16) >= 128 && icon.readUInt32BE(16) === icon.readUInt32BE(20), "the icon is a square of 128 pixels or more");
});

test("it is packaged without flags that switch checks off, and all that it needs is in its bundle", () => {
  assert.equal(manifest.dependencies, undefined);
  for (const script of [manifest.scripts["package"] ?? "", readFileSync("bundle.sh", "utf8")]) {
    assert.ok(!/--(no-dependencies|skip-license|allow-\w+|no-\w+)/.test(script), script);
  }
});

test("its pages show pictures and links of the repository that exist", () => {
  const own = /https:\/\/github\.com\/assent-ls\/assent\/(raw|blob)\/HEAD\/([^)\s#]+)/g;
  const pages = ["README.md", "CHANGELOG.md"].map((name) => readFileSync(name, "utf8"));
  const links = pages.flatMap((text) => [...text.matchAll(own)]);
  assert.ok(links.filter(([, kind]) => kind === "raw").length >= 3);
  for (const [link, kind, path] of links) {
    assert.ok(existsSync(`../../${path}`), link);
    assert.ok(kind === "blob" || path?.endsWith(".png"), `${link}: a marketplace shows no other pictures`);
  }
  for (const [, target] of pages.flatMap((text) => [...text.matchAll(/\]\(([^)]+)\)/g)])) {
    assert.ok(target?.startsWith("https://"), `${target} leads nowhere on the extension's page`);
  }
  assert.ok(pages[1]?.includes(`\n## ${manifest.version}\n`), "the changelog has no entry for this version");
});

test("the page of settings has titled groups in order, and says what each choice does", () => {
  const orders = contributes.configuration.map(({ order }) => order);
  assert.deepEqual(orders, [...orders].sort((a, b) => a - b));
  assert.equal(new Set(contributes.configuration.map(({ title }) => title)).size, orders.length);
  for (const [name, setting] of settings) {
    assert.ok(setting.markdownDescription.includes("."), name);
    assert.equal(setting.enum?.length, setting.markdownEnumDescriptions?.length, name);
  }
  const log = contributes.configuration.find(({ properties }) => "assent.logLevel" in properties);
  assert.equal(log?.title, "Log and traces");
});

test("the grammar of programs begins at their calls alone", () => {
  const [listed] = contributes.grammars;
  const grammar = JSON.parse(readFileSync(listed?.path ?? "", "utf8")) as { scopeName: string; repository: { program: { begin: string; end: string } } };
  assert.equal(grammar.scopeName, listed?.scopeName);
  const begin = new RegExp(grammar.repository.program.begin);
  for (const [line, program] of [
    ["```tool python_execution c1", true],
    ["~~~~ tool python_execution", true],
    ["```tool python_execution_2 c1", false],
    ["```tool read_file c1", false],
    ["```python", false],
    ["    ```tool python_execution c1", false],
  ] as const) {
    assert.equal(begin.test(line), program, line);
  }
});
