// Reads what the server writes into a chat document and gives it, piece by piece, in the words of a chat view: prose as it is, calls as
// code, results in one line. A view can only be added to, so that lines are given when they are complete.

export type Piece = { prose: string } | { doing: string };

interface Fence {
  marks: string;
  info: string;
  body: string[];
}

const opening = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const longest = 12; // lines of a result

export class ReplyReader {
  private given = 0;
  private fence: Fence | undefined;

  // The reply to read is the one below the nth turn of the person.
  constructor(private readonly turn: number) {}

  // The new pieces of a document; still: nothing is being written now.
  read(text: string, still: boolean): Piece[] {
    const lines = replyLines(text, this.turn);
    // The last line is still being written, and so is a block that is open: what stands below seems to be in it.
    const last = lines.findLastIndex((line) => line.trim() !== "");
    const complete = still ? lines.length : Math.min(last, openBlock(lines));
    const pieces: Piece[] = [];
    for (; this.given < complete; this.given++) {
      pieces.push(...this.line(lines[this.given] ?? ""));
    }
    return pieces;
  }

  private line(line: string): Piece[] {
    if (!this.fence) {
      const [, marks, info] = opening.exec(line) ?? [];
      if (marks === undefined || info === undefined) {
        return [{ prose: harmless(line) + "\n" }];
      }
      this.fence = { marks, info: info.trim(), body: [] };
      return /^thinking\b/.test(info) ? [{ doing: "Thinking" }] : [];
    }
    if (closes(line, this.fence.marks)) {
      const { marks, info, body } = this.fence;
      this.fence = undefined;
      return block(marks, info, body);
    }
    this.fence.body.push(line);
    return [];
  }
}

// How many turns of the person a document has.
export function personTurns(text: string): number {
  return headings(text.split(/\r?\n/)).filter(({ role }) => role === "You").length;
}

function replyLines(text: string, turn: number): string[] {
  const lines = text.split(/\r?\n/);
  const all = headings(lines);
  const you = all.filter(({ role }) => role === "You");
  const begin = all.find(({ role, line }) => role === "Assistant" && line > (you[turn - 1]?.line ?? Infinity));
  if (!begin) {
    return [];
  }
  const end = you.find(({ line }) => line > begin.line)?.line ?? lines.length;
  return lines.slice(begin.line + 1, end);
}

// The line at which a block begins that does not end.
function openBlock(lines: readonly string[]): number {
  let marks: string | undefined;
  let begin = lines.length;
  lines.forEach((line, i) => {
    if (marks !== undefined) {
      marks = closes(line, marks) ? undefined : marks;
    } else if ((marks = opening.exec(line)?.[1]) !== undefined) {
      begin = i;
    }
  });
  return marks === undefined ? lines.length : begin;
}

function headings(lines: readonly string[]): { role: string; line: number }[] {
  const found: { role: string; line: number }[] = [];
  let marks: string | undefined;
  lines.forEach((text, line) => {
    if (marks !== undefined) {
      marks = closes(text, marks) ? undefined : marks;
      return;
    }
    marks = opening.exec(text)?.[1];
    const role = /^ {0,3}## (You|Assistant)[ #]*$/.exec(text)?.[1];
    if (role !== undefined) {
      found.push({ role, line });
    }
  });
  return found;
}

function closes(line: string, marks: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1];
  return found !== undefined && found[0] === marks[0] && found.length >= marks.length;
}

function block(marks: string, info: string, body: readonly string[]): Piece[] {
  const [kind, ...words] = info.split(/\s+/);
  const code = (language: string, lines: readonly string[]): string => [`\n${marks}${language}`, ...lines, marks, ""].join("\n");
  switch (kind) {
    case "thinking":
    case "context":
      return [];
    case "tool":
      return [{ prose: `\n**${plain(words[0] ?? "")}**\n${code("yaml", body)}` }];
    case "result": {
      const shown = body.slice(0, longest);
      const more = body.length > longest ? [`… ${body.length - longest} more lines`] : [];
      return [{ prose: `\n*${plain(words.slice(1).join(" "))}*\n${code("text", [...shown, ...more])}` }];
    }
    default:
      return [{ prose: code(info, body) }];
  }
}

// A picture in a reply would be fetched where it is shown: it stays text.
function harmless(line: string): string {
  return line.replaceAll("![", "!\\[");
}

function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>()!]/g, "\\$&");
}
