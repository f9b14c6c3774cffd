// What a running call prints, in the panel, which follows the end unless the person scrolls up.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { methods, type Output } from "./generated/protocol";

export function showOutput(client: LanguageClient): vscode.Disposable {
  const channel = vscode.window.createOutputChannel("Assent: command");
  let key = "";
  let shown = "";
  const receive = (output: Output): void => {
    if (output.show) {
      key = keyOf(output);
      channel.show(true);
    } else if (key !== keyOf(output)) {
      return; // the person asked for another one since
    }
    const text = textOf(output);
    if (shown !== "" && text.startsWith(shown)) {
      channel.append(text.slice(shown.length)); // whoever scrolled up stays there
    } else {
      channel.replace(text);
    }
    shown = text;
  };
  return vscode.Disposable.from(channel, client.onNotification(methods.output, receive));
}

function keyOf(output: Output): string {
  return `${output.uri} ${output.call}`;
}

function textOf({ title, text, over }: Output): string {
  return `${title}\n\n${text}\n${over ? "\n[The call has ended: its result is in the chat.]\n" : ""}`;
}
