// The panel's only script: the sign-in link, confirmations, reloading while a job runs, and the chat.
"use strict";

const csrf = document.body.dataset.csrf;

function headers() {
  return { "Content-Type": "application/json", "X-CSRF-Token": csrf };
}

function enterByLink() {
  const form = document.querySelector("[data-entry]");
  const code = location.hash.slice(1);
  if (!form || !code) return;
  history.replaceState(null, "", location.pathname);
  form.elements.code.value = decodeURIComponent(code);
  form.submit();
}

function askFirst(event) {
  const question = event.target.dataset.sure;
  if (question && !confirm(question)) event.preventDefault();
}

function reloadWhileRunning() {
  const part = document.querySelector("[data-reload]");
  if (part) setTimeout(() => location.reload(), 1000 * Number(part.dataset.reload));
}

async function thumb(button) {
  const turn = button.closest("[data-turn]").dataset.turn;
  const answer = await fetch("/panel/feedback", { method: "POST", headers: headers(), body: JSON.stringify({ turn, signal: button.dataset.thumb }) });
  if (!answer.ok) return;
  for (const other of button.parentElement.querySelectorAll("[data-thumb]")) other.setAttribute("aria-pressed", String(other === button));
}

// Server-sent events, one parsed object at a time; a chunk may end in the middle of a line.
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith("data: ") && line !== "data: [DONE]") yield JSON.parse(line.slice(6));
    }
  }
}

class Chat {
  constructor(form) {
    this.form = form;
    this.text = document.getElementById("text");
    this.turns = document.getElementById("turns");
    this.stop = document.getElementById("stop");
    this.trouble = document.getElementById("trouble");
    form.addEventListener("submit", (event) => { event.preventDefault(); this.say(); });
    this.text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(); }
    });
    this.stop.addEventListener("click", () => this.abort.abort());
    this.down();
  }

  down() { this.turns.scrollTop = this.turns.scrollHeight; }

  add(role, text) {
    const turn = document.createElement("article");
    turn.className = `turn ${role}`;
    const words = document.createElement("div");
    words.className = "words raw";
    words.dir = "auto";
    words.textContent = text;
    turn.append(words);
    this.turns.querySelector(".hint")?.remove();
    this.turns.append(turn);
    this.down();
    return turn;
  }

  busy(is) {
    this.turns.setAttribute("aria-busy", String(is));
    this.form.querySelector("[type=submit]").disabled = is;
    this.stop.hidden = !is;
  }

  async say() {
    const text = this.text.value.trim();
    if (!text || !this.stop.hidden) return;
    this.abort = new AbortController();
    this.trouble.hidden = true;
    this.busy(true);
    const mine = this.add("user", text);
    this.text.value = "";
    let reply = null;
    try {
      const body = { text, conversation: this.form.dataset.conversation || null, memory: document.getElementById("mode").value };
      const answer = await fetch("/panel/chat", { method: "POST", headers: headers(), body: JSON.stringify(body), signal: this.abort.signal });
      if (!answer.ok) throw new Error(await this.reason(answer));
      const conversation = answer.headers.get("X-Laoma-Conversation");
      if (conversation) this.form.dataset.conversation = decodeURIComponent(conversation);
      reply = this.add("assistant", "");
      const words = reply.querySelector(".words");
      for await (const event of events(answer.body)) {
        if (event.error) throw new Error(event.error.message);
        words.textContent += event.choices?.[0]?.delta?.content ?? "";
        this.down();
      }
      await this.finish(reply, answer.headers.get("X-Laoma-Turn"));
    } catch (error) {
      if (error.name !== "AbortError") {
        this.trouble.textContent = error.message;
        this.trouble.hidden = false;
      }
      if (!reply) {
        mine.remove();
        this.text.value ||= text;
      }
    } finally {
      this.busy(false);
      this.text.focus();
    }
  }

  async reason(answer) {
    try { return (await answer.json()).error.message; } catch { return `${answer.status} ${answer.statusText}`; }
  }

  async finish(reply, turn) {
    if (!turn) return;
    const answer = await fetch(`/panel/turns/${encodeURIComponent(turn)}`);
    if (!answer.ok) return;
    const whole = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(".turn");
    if (whole) reply.replaceWith(whole);
    this.down();
  }
}

document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }); // on a phone the pages are a strip
enterByLink();
window.addEventListener("hashchange", enterByLink); // a link pasted into the tab that shows the entry already
reloadWhileRunning();
document.addEventListener("submit", askFirst);
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-thumb]");
  if (button) thumb(button);
});
const form = document.getElementById("say");
if (form) new Chat(form);
