const accents = [
  [/[àáâãäå]/g, 'a'],
  [/ç/g, 'c'],
  [/[èéêë]/g, 'e'],
  [/[ìíîï]/g, 'i'],
  [/ñ/g, 'n'],
  [/[òóôõö]/g, 'o'],
  [/[ùúûü]/g, 'u'],
];

/** The text as a part of a URL; see docs/design/slugify.md. */
export function slugify(text) {
  if (typeof text !== 'string') throw new TypeError(`slugify: expected a string, found ${typeof text}`);
  let slug = text.toLowerCase();
  for (const [accented, letter] of accents) slug = slug.replace(accented, letter);
  return slug.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}
