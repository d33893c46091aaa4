// Before the first paint, so that a dark room doesn't flash white.
try {
  const theme = localStorage.getItem("concordance-theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
} catch {
  // Storage is forbidden here: the system's theme it is.
}
