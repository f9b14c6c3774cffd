import assert from "node:assert/strict";
import { test } from "node:test";
import type { Waiting } from "../src/generated/protocol";
import { announcement, approval, buttons, complete, glance, newQuestions, Sight, withoutLinks } from "../src/pure/questions";

const range = { start: { line: 3, character: 0 }, end: { line: 4, character: 0 } };

function question(id: string, more: Partial<Waiting> = {}): Waiting {
  const action = (title: string, name: string) => ({ title, command: `assent.${name}`, arguments: [{ id }] });
  return {
    id,
    uri: "file:///w/ask.chat.md",
    range,
    title: "Waits for your answer: edit README.md",
    target: "README.md",
    actions: [
      action("Show what would happen", "showPreview"),
      action("Approve once: edit README.md", "approve"),
      action("Allow edit_file in this chat", "allow"),
      action("Deny", "deny"),
      action("Deny and say why", "denyWithReason"),
    ],
    ...more,
  };
}

test("only questions that were not there before are new", () => {
  const [a, b] = [question("a"), question("b")];
  assert.deepEqual(newQuestions([], [a, b]), [a, b]);
  assert.deepEqual(newQuestions([a], [a, b]), [b]);
  assert.deepEqual(newQuestions([a, b], []), []);
});

test("a notification names what it approves, and offers nothing for longer", () => {
  assert.equal(announcement(question("a"), "ask.chat.md"), "Assent waits for your answer: edit README.md (ask.chat.md)");
  assert.deepEqual(buttons(question("a")), ["Show", "Approve once: edit README.md", "Deny"]);
});

test("a notification has no links that a model wrote", () => {
  // What VS Code takes for a link in a message.
  const link = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)[^)\s]+/;
  const bad = "run echo [Show](command:workbench.action.closeWindow) [](](https://example.com)";
  assert.match(bad, link);
  assert.doesNotMatch(announcement(question("a", { title: `Waits for your answer: ${bad}` }), "[x](command:y).chat.md"), link);
  assert.doesNotMatch(withoutLinks(bad), link);
});

test("what is shortened or blocked has no button that approves", () => {
  assert.deepEqual(buttons(question("a", { title: "Waits for your answer: run make a b c…" })), ["Show", "Deny"]);
  assert.deepEqual(buttons(question("a", { target: "make a…" })), ["Show", "Deny"]);
  assert.deepEqual(buttons(question("a", { blocked: "It changed meanwhile." })), ["Show", "Deny"]);
  assert.equal(approval(question("a", { blocked: "It changed meanwhile." })), undefined);
});

test("a question is complete when something approves it, nothing may, or the person writes the answer", () => {
  const only = (...names: string[]) => names.map((name) => ({ title: name, command: `assent.${name}`, arguments: [{ id: "a" }] }));
  assert.ok(complete(question("a")));
  assert.ok(complete(question("a", { blocked: "It changed meanwhile.", actions: only("deny") })));
  assert.ok(complete(question("a", { actions: only("answer", "deny") })));
  assert.ok(!complete(question("a", { actions: only("showPreview", "deny") })));
});

test("a question that asks the person something is not approved", () => {
  const asks = question("a", { actions: [{ title: "Answer", command: "assent.answer", arguments: [{ id: "a" }] }] });
  assert.equal(approval(asks), undefined);
  assert.deepEqual(buttons(asks), ["Show"]);
});

test("a key approves only what was in sight for a while", () => {
  const sight = new Sight();
  assert.equal(sight.seen("a", 0), false);
  sight.update(["a"], 1000);
  assert.equal(sight.seen("a", 1000), false, "a key that was meant for the question before");
  sight.update(["a", "b"], 1000 + glance);
  assert.equal(sight.seen("a", 1000 + glance), true);
  assert.equal(sight.seen("b", 1000 + glance), false);
  sight.update(["b"], 5000);
  assert.equal(sight.seen("a", 9000), false, "it was scrolled away");
});
