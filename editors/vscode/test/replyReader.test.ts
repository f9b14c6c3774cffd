import assert from "node:assert/strict";
import { test } from "node:test";
import { personTurns, ReplyReader, type Piece } from "../src/pure/replyReader";

const asked = "---\nmodel: m\n---\n\n## You\n\nHello.\n\n```context outline\n## Assistant\n```\n\n";
const reply = [
  "## Assistant", "", "````thinking", "## You", "````", "", "I look.", "", "```tool read_file c1", "path: a.txt", "```", "",
  "````result c1 ok 1ms", "one", "```", "two", "````", "", "```go", "## You", "```", "![x](https://example.com/p.png)", "", "## You", "", "Next.", "",
].join("\n");

const words = (pieces: Piece[]): string => pieces.map((piece) => ("prose" in piece ? piece.prose : `[${piece.doing}]`)).join("");

test("a reply in the words of a chat view", () => {
  const got = words(new ReplyReader(1).read(asked + reply, true));
  assert.match(got, /^\n\[Thinking\]\nI look\.\n\n\n\*\*read\\_file\*\*\n\n```yaml\npath: a\.txt\n```\n/);
  assert.match(got, /\*ok 1ms\*\n\n````text\none\n```\ntwo\n````\n/, "a fence of a result is longer than those in it");
  assert.match(got, /```go\n## You\n```/, "a heading in code ends nothing");
  assert.ok(got.includes("!\\[x]"), "nothing is fetched");
  assert.ok(!got.includes("Next.") && !got.includes("context"));
});

test("the same pieces come whatever the steps in which it is written", () => {
  const whole = words(new ReplyReader(1).read(asked + reply, true));
  for (const step of [1, 7, 40]) {
    const reader = new ReplyReader(1);
    let got = "";
    for (let n = 0; n < reply.length; n += step) {
      got += words(reader.read(asked + reply.slice(0, n), false));
    }
    assert.equal(got + words(reader.read(asked + reply, true)), whole);
    // The server writes above the next turn of the person.
    const above = new ReplyReader(1);
    const written = reply.slice(0, reply.indexOf("## You\n\nNext."));
    got = "";
    for (let n = 0; n < written.length; n += step) {
      got += words(above.read(`${asked}${written.slice(0, n)}\n\n## You\n\n`, false));
    }
    assert.equal((got + words(above.read(`${asked}${written}## You\n\n`, true))).trim(), whole.trim());
  }
});

test("only the reply to the message is read", () => {
  const text = `${asked}## Assistant\n\nFirst.\n\n## You\n\nAgain.\n\n## Assistant\n\nSecond.\n`;
  assert.equal(personTurns(text), 2);
  assert.equal(words(new ReplyReader(2).read(text, true)).trim(), "Second.");
  assert.equal(words(new ReplyReader(3).read(text, true)), "");
});

test("a long result is shortened, and says so", () => {
  const text = `## You\n\nx\n\n## Assistant\n\n\`\`\`result c1 ok\n${"line\n".repeat(40)}\`\`\`\n`;
  assert.match(words(new ReplyReader(1).read(text, true)), /… 28 more lines\n```/);
});
