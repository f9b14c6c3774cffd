// Changes of files that wait for a decision, without the editor.
import type { FileChange } from "../generated/protocol";

export type Kind = "added" | "changed" | "removed";

// The line behind a hunk.
export function lineBehind({ range: { end } }: FileChange): number {
  return end.character > 0 ? end.line + 1 : end.line;
}

export function kindOf(hunk: FileChange): Kind {
  if (lineBehind(hunk) <= hunk.range.start.line) {
    return "removed";
  }
  return hunk.old === "" ? "added" : "changed";
}

// One line for a list: where, and the first line that says something.
export function labelOf(hunk: FileChange): string {
  if (hunk.deleted || (hunk.made && hunk.old === "" && hunk.range.start.line === 0)) {
    return hunk.deleted ? "deleted" : "new file";
  }
  const text = (hunk.new || hunk.old).split(/\r?\n/).find((line) => line.trim() !== "") ?? "blank lines";
  const short = [...text.trim()].slice(0, 60).join("");
  return `${hunk.range.start.line + 1}: ${kindOf(hunk) === "removed" ? "− " : ""}${short}`;
}

// The text of a file without its hunks, whose ranges are whole lines of it.
export function original(text: string, hunks: readonly FileChange[]): string {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  for (const hunk of [...hunks].sort((a, b) => b.range.start.line - a.range.start.line)) {
    lines.splice(hunk.range.start.line, lineBehind(hunk) - hunk.range.start.line, hunk.old);
  }
  return lines.join("");
}

// The line of the next change after a line, or of the one before it; it goes round at the ends.
export function neighbour(hunks: readonly FileChange[], line: number, forward: boolean): number | undefined {
  const starts = hunks.map((hunk) => hunk.range.start.line).sort((a, b) => a - b);
  if (forward) {
    return starts.find((start) => start > line) ?? starts[0];
  }
  return starts.findLast((start) => start < line) ?? starts.at(-1);
}
