/** The text as a part of a URL; see docs/design/slugify.md. */
export function slugify() {
  throw new Error('slugify is not implemented yet');
}
