// The chats of the tree: each once, in the groups pinned, today and earlier.
import type { FoundTurn } from "../generated/protocol";

export interface Group {
  readonly name: "Pinned" | "Today" | "Earlier";
  readonly chats: FoundTurn[];
}

// The first turn that is found of a chat is its row. today is written as 2026-01-31.
export function groups(turns: readonly FoundTurn[], today: string): Group[] {
  const seen = new Set<string>();
  const all: Group[] = [{ name: "Pinned", chats: [] }, { name: "Today", chats: [] }, { name: "Earlier", chats: [] }];
  for (const turn of turns) {
    if (!seen.has(turn.uri)) {
      seen.add(turn.uri);
      all[turn.pinned ? 0 : turn.day >= today ? 1 : 2]?.chats.push(turn);
    }
  }
  return all.filter(({ chats }) => chats.length > 0);
}
