// Whether a window keeps the end of a streaming reply in view. It never does so against the person: scrolling up or typing
// ends it; scrolling to the end, or the next message, begins it again.
export class Follower {
  private on = false;
  private top = 0;

  // A run began. Only who looks at the end of the chat wants to follow it.
  begin(bottom: number, last: number): void {
    this.on = bottom >= last - 1;
  }

  end(): void {
    this.on = false;
  }

  // The person typed, or put the cursor somewhere.
  typed(): void {
    this.on = false;
  }

  // The window shows other lines: because of us, or because the person scrolled.
  scrolled(top: number, bottom: number, last: number): void {
    if (top < this.top) {
      this.on = false;
    } else if (bottom >= last && top > this.top) {
      this.on = true;
    }
    this.top = top;
  }

  get follows(): boolean {
    return this.on;
  }
}
