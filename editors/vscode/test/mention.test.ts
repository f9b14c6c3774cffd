import assert from "node:assert/strict";
import { test } from "node:test";
import { mentionOf } from "../src/pure/mention";

const lines = (from: number, to: number, character = 3) => ({ start: { line: from }, end: { line: to, character } });

test("a file is mentioned as a chat reads it", () => {
  assert.equal(mentionOf("src/main.go"), "@src/main.go");
  for (const name of ["my notes.md", "Makefile", "a,b.md", "x.md)", "é.md", "a:1.md", "diff"]) {
    assert.equal(mentionOf(name), `@"${name}"`);
  }
  for (const name of ['a"b.md', "a`b.md", "a\n## You\n.md", ""]) {
    assert.equal(mentionOf(name), undefined);
  }
});

test("a selection is a range of lines", () => {
  assert.equal(mentionOf("a.md", lines(9, 39)), "@a.md:10-40");
  assert.equal(mentionOf("my a.md", lines(9, 9)), '@"my a.md":10');
  assert.equal(mentionOf("a.md", lines(9, 40, 0)), "@a.md:10-40", "the line that it ends before is not in it");
  assert.equal(mentionOf("a.md", lines(0, 0, 0)), "@a.md:1");
});
