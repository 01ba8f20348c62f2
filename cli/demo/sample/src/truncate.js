/** The text cut to at most `length` characters, an ellipsis in place of what is gone. */
export function truncate(text, length) {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).trimEnd()}…`;
}
