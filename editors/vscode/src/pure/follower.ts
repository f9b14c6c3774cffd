// The line at which the last turn of a chat begins, or the last line where the chat has none.
export function lastTurn(lines: readonly string[]): number {
  const turn = lines.findLastIndex((line) => /^## (You|Assistant)\s*$/.test(line));
  return turn < 0 ? lines.length - 1 : turn;
}

// Whether a window keeps the end of a streaming reply in view. It never does so against the person: scrolling up or typing
// ends it; scrolling to the end, or the next message, begins it again.
export class Follower {
  private on = false;
  private top = 0;
  private bottom = 0;

  // A run began. Only who looks at the last turn wants to follow it. Part of the reply may be there already.
  begin(bottom: number, turn: number): void {
    this.on = bottom >= turn - 1;
  }

  end(): void {
    this.on = false;
  }

  // The person typed, or put the cursor somewhere.
  typed(): void {
    this.on = false;
  }

  // The window shows other lines: because of us, because a block was folded, or because the person scrolled. Where the person
  // scrolls up, the last line moves up as well; a fold only brings more lines into view.
  scrolled(top: number, bottom: number, last: number): void {
    if (top < this.top && bottom < this.bottom) {
      this.on = false;
    } else if (bottom >= last && top > this.top) {
      this.on = true;
    }
    this.top = top;
    this.bottom = bottom;
  }

  get follows(): boolean {
    return this.on;
  }
}
