// What pages of Strandline do beyond HTML: theme, keys, values under the pointer,
// zooming of figures. Everything works without it but the zooming.
"use strict";
(function () {
  var root = document.documentElement;
  function kept() { try { return localStorage.getItem("theme"); } catch (e) { return null; } }
  var theme = kept();
  if (theme === "light" || theme === "dark") { root.dataset.theme = theme; }

  function typing(el) { return el && (/^(INPUT|SELECT|TEXTAREA)$/.test(el.tagName) && el.type !== "radio" || el.isContentEditable); }

  function themes() {
    var button = document.querySelector("[data-theme-switch]");
    if (!button) { return; }
    button.hidden = false;
    button.addEventListener("click", function () {
      var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      try { localStorage.setItem("theme", root.dataset.theme); } catch (e) { /* not remembered then */ }
    });
  }

  // j and k walk through the rows of the list that is in view, or the first one.
  function walk(step) {
    var lists = Array.prototype.slice.call(document.querySelectorAll("[data-list]"));
    var list = lists.find(function (l) { return l.querySelector("[aria-selected=true]"); }) ||
      lists.find(function (l) { return l.getBoundingClientRect().bottom > 0; }) || lists[0];
    if (!list) { return; }
    var rows = Array.prototype.slice.call(list.tagName === "OL" ? document.querySelectorAll("ol[data-list] > li") : list.querySelectorAll("tbody tr"));
    var at = rows.findIndex(function (r) { return r.getAttribute("aria-selected") === "true"; });
    var next = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + step))];
    if (!next) { return; }
    if (at >= 0) { rows[at].removeAttribute("aria-selected"); }
    next.setAttribute("aria-selected", "true");
    var link = next.querySelector("[data-row]") || next.querySelector("a");
    if (link) { link.focus({ preventScroll: true }); }
    next.scrollIntoView({ block: "nearest" });
  }

  function keys() {
    document.addEventListener("keydown", function (e) {
      if (e.ctrlKey || e.metaKey || e.altKey || typing(e.target)) { return; }
      if (e.key === "/") {
        var find = document.querySelector("[data-key='/']");
        if (find) { e.preventDefault(); find.focus(); find.select(); }
      } else if (e.key === "j") { walk(1);
      } else if (e.key === "k") { walk(-1);
      } else if (e.key === "n" || e.key === "p") {
        var link = document.querySelector("a[data-key='" + e.key + "']");
        if (link) { link.click(); }
      }
    });
  }

  // The <title> of a mark is shown at the pointer at once, instead of after a while.
  function hovers() {
    var box = null;
    function hide() { if (box) { box.remove(); box = null; } }
    document.addEventListener("pointerover", function (e) {
      hide();
      var mark = e.target.closest && e.target.closest("figure svg *");
      var title = null;
      while (mark && !title && mark.tagName !== "svg") {
        title = Array.prototype.find.call(mark.children, function (c) { return c.tagName === "title"; });
        if (!title && mark.dataset.words) { break; }
        mark = mark.parentElement;
      }
      if (!title) { return; }
      box = document.createElement("div");
      box.className = "hover";
      box.textContent = title.textContent;
      document.body.append(box);
      box.style.left = Math.min(e.clientX + 12, innerWidth - box.offsetWidth - 8) + "px";
      box.style.top = (e.clientY + box.offsetHeight + 24 > innerHeight ? e.clientY - box.offsetHeight - 8 : e.clientY + 16) + "px";
    });
    document.addEventListener("scroll", hide, true);
    document.addEventListener("pointerleave", hide);
  }

  // A double click, or + and - on a focused figure, change the part of a figure that
  // is seen; dragging and arrows move it, 0 and Escape show all.
  function zooms() {
    document.querySelectorAll("figure[data-zoom] > svg[viewBox]").forEach(function (svg) {
      var all = svg.getAttribute("viewBox").split(" ").map(Number), now = all.slice();
      svg.classList.add("zoomable");
      svg.tabIndex = 0;
      function set(v) {
        v[2] = Math.min(all[2], Math.max(all[2] / 16, v[2]));
        v[3] = v[2] * all[3] / all[2];
        v[0] = Math.min(all[0] + all[2] - v[2], Math.max(all[0], v[0]));
        v[1] = Math.min(all[1] + all[3] - v[3], Math.max(all[1], v[1]));
        now = v;
        svg.setAttribute("viewBox", v.join(" "));
        svg.classList.toggle("near", v[2] < all[2]);
      }
      function zoom(by, x, y) { set([x - (x - now[0]) * by, y - (y - now[1]) * by, now[2] * by, now[3] * by]); }
      function at(e) {
        var b = svg.getBoundingClientRect();
        return [now[0] + (e.clientX - b.left) / b.width * now[2], now[1] + (e.clientY - b.top) / b.height * now[3]];
      }
      svg.addEventListener("dblclick", function (e) { var p = at(e); e.preventDefault(); zoom(e.shiftKey ? 2 : 0.5, p[0], p[1]); });
      svg.addEventListener("keydown", function (e) {
        var x = now[0] + now[2] / 2, y = now[1] + now[3] / 2, step = now[2] / 8;
        if (e.key === "+" || e.key === "=") { zoom(0.5, x, y);
        } else if (e.key === "-") { zoom(2, x, y);
        } else if (e.key === "0" || e.key === "Escape") { set(all.slice());
        } else if (now[2] < all[2] && e.key === "ArrowLeft") { set([now[0] - step, now[1], now[2], now[3]]);
        } else if (now[2] < all[2] && e.key === "ArrowRight") { set([now[0] + step, now[1], now[2], now[3]]);
        } else if (now[2] < all[2] && e.key === "ArrowUp") { set([now[0], now[1] - step, now[2], now[3]]);
        } else if (now[2] < all[2] && e.key === "ArrowDown") { set([now[0], now[1] + step, now[2], now[3]]);
        } else { return; }
        e.preventDefault();
      });
      var from = null;
      svg.addEventListener("pointerdown", function (e) { if (now[2] < all[2]) { from = at(e); svg.setPointerCapture(e.pointerId); } });
      svg.addEventListener("pointermove", function (e) {
        if (!from) { return; }
        var p = at(e);
        set([now[0] + from[0] - p[0], now[1] + from[1] - p[1], now[2], now[3]]);
      });
      svg.addEventListener("pointerup", function () { from = null; });
    });
  }

  document.addEventListener("DOMContentLoaded", function () { themes(); keys(); hovers(); zooms(); });
})();
