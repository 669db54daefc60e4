// The colours that were chosen on this device: light, dark, or as the system has them. This is no module, so that it runs
// before anything is drawn, as soon as the styles are there; the settings tell it when another is chosen, and so do other tabs.
{
  const dark = /** @type {CSSMediaRule} */ ([...document.styleSheets[0].cssRules].find((rule) => /** @type {any} */ (rule).media?.mediaText.includes("dark")));
  const system = dark.media.mediaText;
  const paint = () => {
    let theme = document.documentElement.dataset.theme; // for a browser that keeps nothing
    try {
      theme ??= localStorage["noughts.theme"];
    } catch {}
    dark.media.mediaText = theme === "dark" ? "all" : theme === "light" ? "not all" : system;
  };
  for (const type of ["theme", "storage"]) addEventListener(type, paint);
  paint();
}
