"use strict";
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const font = getComputedStyle(document.body).fontFamily;
  const dress = (layout, night) => {
    const ink = night ? "#e8e6e1" : "#24262b", grid = night ? "#36393f" : "#e8e5de";
    const dressed = { ...layout, autosize: true, font: { ...layout.font, color: ink, family: font } };
    for (const name of Object.keys(dressed)) {
      if (/^[xy]axis/.test(name)) dressed[name] = { ...dressed[name], gridcolor: grid, zerolinecolor: grid, linecolor: grid };
    }
    return dressed;
  };
  const draw = (night) => {
    for (const source of document.querySelectorAll("script.drawing")) {
      const place = document.getElementById(source.dataset.for);
      const drawing = JSON.parse(source.textContent);
      place.style.height = place.dataset.height + "px";
      Plotly.react(place, drawing.data, dress(drawing.layout, night), { displayModeBar: false, responsive: true });
    }
  };
  draw(dark.matches);
  dark.addEventListener("change", (change) => draw(change.matches));
  window.addEventListener("beforeprint", () => {
    for (const each of document.querySelectorAll("details")) each.open = true;
    draw(false);
  });
  window.addEventListener("afterprint", () => draw(dark.matches));
})();
