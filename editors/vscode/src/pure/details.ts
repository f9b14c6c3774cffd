// The blocks of a chat that a reader seldom wants open: thinking, context, results. Without the editor.

export interface Lines {
  startLine: number;
  endLine: number;
}

// What was asked while a call ran stays open: the person reads it before they answer.
const detail = /^ {0,3}(?:`{3,}|~{3,})\s*(?:thinking|context(?!\s+asked\b)|result)\b/;
const shortest = 4; // a block of fewer lines costs more folded than open

// Finds the blocks among the folding ranges of a chat: those whose first line opens one, and that are closed.
export function detailBlocks(line: (i: number) => string, count: number, folds: readonly Lines[]): Lines[] {
  return folds.filter(
    ({ startLine, endLine }) =>
      endLine - startLine >= shortest && endLine < count && detail.test(line(startLine)) && closes(line(startLine), line(endLine)),
  );
}

function closes(first: string, last: string): boolean {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(first)?.[1] ?? "";
  return fence !== "" && last.trim().startsWith(fence);
}

// Remembers which blocks were folded once: who opens one again wants it open. A block is known by its words, since lines move.
export class FoldedOnce {
  private readonly known = new Set<string>();

  // The blocks to fold now, and what to call once they were. A block that holds the cursor or what waits stays as it is, and is looked
  // at again later.
  due(blocks: readonly Lines[], line: (i: number) => string, busy: readonly number[]): { blocks: Lines[]; done: () => void } {
    const seen = new Map<string, number>();
    const found = new Map<string, Lines>();
    for (const block of blocks) {
      const words = [line(block.startLine), line(block.startLine + 1), line(block.startLine + 2)].join("\n");
      const nth = (seen.get(words) ?? 0) + 1;
      seen.set(words, nth);
      const key = `${nth} ${words}`;
      if (!this.known.has(key) && !busy.some((at) => at >= block.startLine && at <= block.endLine)) {
        found.set(key, block);
      }
    }
    return { blocks: [...found.values()], done: () => found.forEach((_, key) => this.known.add(key)) };
  }
}
