// A file as chats mention it: @notes.md, @"my notes.md":10-40. Without the editor.
export interface LineRange {
  start: { line: number };
  end: { line: number; character: number };
}

// Nothing for a name that cannot be written so.
export function mentionOf(path: string, range?: LineRange): string | undefined {
  if (/["`\r\n]/.test(path) || path === "") {
    return undefined;
  }
  const name = /^[\w-]+(?:[/.][\w-]+)*\.[\w-]+$/.test(path) ? path : `"${path}"`;
  if (!range) {
    return `@${name}`;
  }
  const first = range.start.line + 1;
  const last = Math.max(first, range.end.character === 0 ? range.end.line : range.end.line + 1);
  return `@${name}:${first === last ? first : `${first}-${last}`}`;
}
