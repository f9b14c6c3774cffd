import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { commands } from "../src/generated/protocol";
import { withoutServer, withServer } from "../src/pure/ownCommands";

interface Entry {
  command: string;
  when?: string;
}
interface Manifest {
  capabilities: { untrustedWorkspaces: { supported: string; restrictedConfigurations: string[] } };
  contributes: {
    commands: Entry[];
    keybindings: Entry[];
    menus: Record<string, Entry[]>;
    configuration: { properties: Record<string, { scope: string }> };
    walkthroughs: { steps: { id: string; description: string; media: { markdown: string }; completionEvents?: string[] }[] }[];
  };
}

const { capabilities, contributes } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;

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
  const keys = new Set(["assent.running", ...[...server].map((name) => name.replace(/^assent\./, "assent.did."))]);
  for (const event of steps.flatMap(({ completionEvents }) => completionEvents ?? [])) {
    assert.ok(keys.has(event.replace(/^onContext:/, "")), `${event} of the walkthrough never happens`);
  }
  steps.forEach(({ media }) => assert.ok(readFileSync(media.markdown, "utf8").startsWith("# ")));
});

test("the walkthrough installs the program as the README does", () => {
  const install = "\ngo install ./cmd/assent\n";
  assert.ok(readFileSync("../../README.md", "utf8").includes(install));
  assert.ok(readFileSync("walkthrough/program.md", "utf8").replaceAll("\n    ", "\n").includes(install));
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
  assert.equal(contributes.configuration.properties["assent.path"]?.scope, "machine");
});

test("one that is not trusted sets nothing at all", () => {
  const restricted = new Set(["assent.path", ...capabilities.untrustedWorkspaces.restrictedConfigurations]);
  for (const [name, { scope }] of Object.entries(contributes.configuration.properties)) {
    assert.ok(scope === "machine" || restricted.has(name), name);
  }
});

test("a workspace sets only what grants nothing", () => {
  const open = Object.entries(contributes.configuration.properties).filter(([, { scope }]) => scope !== "machine" && scope !== "application");
  assert.deepEqual(
    open.map(([name]) => name.replace("assent.", "")).sort(),
    ["longestReply", "minP", "model", "preset", "repeatPenalty", "seed", "temperature", "think", "topK", "topP"],
  );
});
