// Answer keys, parts of a page that are replaced, values under the pointer.
// Every page works without this file.

const WAIT = 60; // ms after the last move of a slider
let answering = false;
let asked = null;
let timer = 0;

/** Fetch a page and put its element `into` in the place of ours. */
async function replace(url, options, into) {
  const response = await fetch(url, { ...options, headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const [old, fresh] = [document, page].map((each) => each.getElementById(into));
  const moved = options.method && new URL(response.url).pathname !== location.pathname;
  if (!fresh || (moved && response.redirected)) {
    location.assign(response.url);
    return;
  }
  old.replaceWith(fresh);
  if (into === "main") {
    document.title = page.title;
    fresh.querySelector("h1").focus();
  }
  enhance(fresh);
}

async function answer(form, button) {
  if (answering) return;
  answering = true;
  const body = new URLSearchParams(new FormData(form, button));
  const url = button?.getAttribute("formaction") || form.action;
  try {
    await replace(url, { method: "POST", body }, form.dataset.into);
  } catch {
    form.removeAttribute("data-into");
    form.requestSubmit(button); // as without this file: the browser says what is wrong
  } finally {
    answering = false;
  }
}

/** Show what a form that only asks, or is not sent yet, would show; the latest request wins. */
function look(form) {
  asked?.abort();
  asked = new AbortController();
  const { signal } = asked;
  const fields = new URLSearchParams([...new FormData(form)].filter(([, value]) => !value.size));
  if (form.dataset.look) {
    fields.set("look", "yes");
    replace(form.action, { method: "POST", body: fields, signal }, form.dataset.look).catch(() => {});
    return;
  }
  replace(`${form.action.split("?")[0]}?${fields}`, { signal }, form.dataset.into).catch((error) => {
    if (error.name !== "AbortError") form.submit();
  });
}

document.addEventListener("submit", (event) => {
  clearTimeout(timer); // what is sent now must not be overtaken by a look at it
  asked?.abort();
  const form = event.target.closest("form[data-into]");
  if (!form) return;
  event.preventDefault();
  if (form.method === "post") answer(form, event.submitter);
  else look(form);
});

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-live], form[data-look]");
  if (!form) return;
  const shown = event.target.parentElement.querySelector("output");
  if (shown) {
    const { lang } = document.documentElement;
    const value = Number(event.target.value);
    const { unit } = shown.dataset; // ## is a year; a date has none
    shown.textContent = unit?.replace("##", value).replace("#", value.toLocaleString(lang)) || new Date(value * 864e5).toLocaleDateString(lang, { dateStyle: "medium" });
  }
  clearTimeout(timer);
  timer = setTimeout(look, WAIT, form);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-into]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const { into } = link.dataset;
  replace(link.href, {}, into)
    .then(() => document.querySelector(`#${into} a[aria-current]`)?.focus())
    .catch(() => location.assign(link.href));
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hide();
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (event.target.closest("input:not([type=radio]), select, textarea")) return;
  const button = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (button) {
    event.preventDefault();
    button.click();
  }
});

const tip = document.createElement("div");
tip.className = "tip";
tip.setAttribute("aria-hidden", "true"); // the same words are the label of the mark
tip.hidden = true;
document.body.append(tip);

function hide() {
  tip.hidden = true;
}

function show(words, x, y) {
  tip.textContent = words;
  tip.hidden = false;
  const half = tip.offsetWidth / 2 + 8;
  tip.style.left = `${Math.min(Math.max(x, half), innerWidth - half)}px`;
  tip.style.top = `${Math.max(y - 12, tip.offsetHeight + 8)}px`;
}

document.addEventListener("pointerover", (event) => {
  const mark = event.target.closest?.("[data-tip]");
  if (!mark) return hide();
  const box = mark.getBoundingClientRect();
  show(mark.getAttribute("aria-label"), event.clientX, box.top);
});
addEventListener("scroll", hide, { passive: true });

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
  button.textContent = button.dataset.done;
});

/** Show news where nobody is at work. */
async function listen() {
  const known = document.querySelector("[data-news]");
  if (!known || document.hidden) return;
  const [path] = location.pathname.match(/^.*\/studies\/[^/]+/);
  const headers = { Accept: "application/json", "If-None-Match": `"${known.dataset.seen}"` };
  const news = await fetch(`${path}/news`, { headers, cache: "no-store" });
  if (news.status !== 200) return;
  const part = document.getElementById("live");
  if (part && !part.querySelector("details[open], :focus")) await replace(location.href, {}, "live");
  else for (const fresh of document.querySelectorAll("[data-fresh]")) fresh.hidden = false;
}

if (document.querySelector("[data-news]")) setInterval(() => listen().catch(() => {}), 10_000);

/** Look again at what goes on. */
function poll() {
  const part = document.querySelector("[data-again]");
  const end = () => document.querySelector("[data-again]") || location.reload();
  if (part) setTimeout(() => replace(location.href, {}, part.id).then(end, poll), 1500);
}

/** Prepare what is new on the page; drop buttons that the script makes needless. */
function enhance(part) {
  poll();
  for (const button of part.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
  for (const button of part.querySelectorAll("[data-live] [data-plain], [data-look] [data-plain]")) button.remove();
}

enhance(document);
document.querySelector(".pages [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
