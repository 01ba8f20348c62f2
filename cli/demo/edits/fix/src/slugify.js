/** The text as a part of a URL; see docs/design/slugify.md. */
export function slugify(text) {
  if (typeof text !== 'string') throw new TypeError(`slugify: expected a string, found ${typeof text}`);
  // Decomposed, every accent is a mark of its own, however the text was typed.
  const letters = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return letters.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}
