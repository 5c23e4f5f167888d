// The import page: files are dropped or chosen, sent with a bar, and what came of them is shown beside the form, which keeps them chosen.
"use strict";

class Upload {
  constructor(form) {
    this.form = form;
    this.files = form.querySelector("[type=file]");
    this.sending = document.getElementById("sending");
    this.told = document.getElementById("told");
    this.trouble = document.getElementById("trouble");
    form.addEventListener("submit", (event) => { event.preventDefault(); this.send(new FormData(form, event.submitter)); });
    form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("over"); });
    form.addEventListener("dragleave", () => form.classList.remove("over"));
    form.addEventListener("drop", (event) => {
      event.preventDefault();
      form.classList.remove("over");
      if (event.dataTransfer.files.length) this.files.files = event.dataTransfer.files;
    });
  }

  busy(is) {
    this.sending.hidden = !is;
    for (const button of document.querySelectorAll("#upload button, button[form=upload]")) button.disabled = is;
  }

  fail(message) {
    this.trouble.textContent = message || this.form.dataset.failed;
    this.trouble.hidden = false;
  }

  send(body) {
    for (const file of this.files.files) body.append("modified", String(file.lastModified / 1000));
    const request = new XMLHttpRequest();
    const bar = this.sending.querySelector("progress");
    this.trouble.hidden = true;
    this.told.replaceChildren();
    this.busy(true);
    request.open("POST", this.form.action);
    request.setRequestHeader("X-CSRF-Token", document.body.dataset.csrf);
    request.responseType = "document";
    request.upload.addEventListener("progress", (event) => { bar.value = event.lengthComputable ? event.loaded / event.total : 0; });
    request.addEventListener("error", () => { this.busy(false); this.fail(); });
    request.addEventListener("load", () => {
      this.busy(false);
      this.show(request.response, request.responseURL);
    });
    request.send(body);
  }

  // What the import's own page says, asked for again until it has ended.
  show(page, address) {
    const part = page?.getElementById("told");
    if (!part) return page?.querySelector("[data-entry]") ? location.assign(address) : this.fail(page?.querySelector(".alert")?.textContent);
    this.told.replaceChildren(...part.children);
    const waits = this.told.querySelector("[data-reload]");
    if (waits) return void setTimeout(() => this.look(address), 1000 * Number(waits.dataset.reload));
    const now = this.told.querySelector("button[form=upload]");
    if (now) now.hidden = false;
    this.told.focus();
  }

  async look(address) {
    try {
      const answer = await fetch(address);
      this.show(new DOMParser().parseFromString(await answer.text(), "text/html"), address);
    } catch {
      setTimeout(() => this.look(address), 3000); // the house restarts: the import goes on by itself or can be resumed
    }
  }
}

const upload = document.getElementById("upload");
if (upload) new Upload(upload);
